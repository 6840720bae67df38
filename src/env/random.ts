/** Numbers of one decision, one after the other. Never for key material: that comes from `Crypto.randomBytes`. */
export interface RandomStream {
  /** An integer from 0 to 2^32 - 1. */
  uint32(): number
  /** An integer from 0 to `bound - 1`; `bound` from 1 to 2^32. */
  below(bound: number): number
  /** A number in [0, 1) with 32 random bits. */
  fraction(): number
}

export interface Random {
  /**
   * Numbers for one decision: what is decided (`raft.election`), and about which thing (a term, the name of a check).
   * They are requested where the decision is made, and not kept: in the simulator they depend on the seed, the life of
   * the process and these words, so that an additional decision elsewhere changes none of them. In production they are
   * the machine's entropy.
   */
  draws(purpose: string, ...about: readonly (string | number)[]): RandomStream
}
