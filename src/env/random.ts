/**
 * A stream of numbers that nobody else draws from, chosen by name (`raft.election`): a new consumer never shifts the
 * numbers another one sees. Seeded in the simulator, from the machine's entropy in production. Never for key material:
 * that comes from `Crypto.randomBytes`.
 */
export interface RandomStream {
  /** An integer from 0 to 2^32 - 1. */
  uint32(): number
  /** An integer from 0 to `bound - 1`; `bound` from 1 to 2^32. */
  below(bound: number): number
  /** A number in [0, 1) with 32 random bits. */
  fraction(): number
}

export interface Random {
  /** The same name gives the same stream, going on where it was. */
  stream(name: string): RandomStream
}
