/** What the limit must know of consensus. */
export interface ConsensusView {
  /** The voters, by ID, of every configuration that some server may still go by. */
  standing(): readonly (readonly string[])[]
}

/**
 * How much of what servers keep may be destroyed: of no configuration that anybody may still go by more voters than can be
 * spared. Why no committed entry is lost then, and no vote is forgotten that counts:
 * 1. An entry is committed when a majority of a standing configuration has it; a leader is elected by a majority of one.
 *    Two such majorities of one configuration, or of two successive ones, share a voter.
 * 2. A machine that lost its disk comes back under another ID. The old ID answers nobody any more, so in a majority that is
 *    counted from now on stand voters alone that kept everything.
 * 3. As fewer voters are lost than a majority has, that majority still shares a voter with each majority of before.
 * 4. A lost voter no longer counts against the limit once no standing configuration has it: the change that took it out was
 *    committed by a majority of those that are left.
 * 5. Who is asked to leave, or is to be taken out, may be gone from the next configuration: the limit holds with it and
 *    without it, and somebody stays.
 */
export class DataLimit {
  readonly #consensus: ConsensusView
  readonly #lost = new Set<string>()
  readonly #leaving = new Set<string>()

  constructor(consensus: ConsensusView) {
    this.#consensus = consensus
  }

  /** Whether this server's data may go, beside what is gone already. Not before there is a configuration. */
  allows(id: string): boolean {
    return this.#consensus.standing().length > 0 && this.#holds(id, undefined)
  }

  /** Whether this server may leave the group: those that stay must still be able to spare what is lost. */
  allowsLeaving(id: string): boolean {
    return this.#holds(undefined, id)
  }

  /** This server has been asked to leave, or is to be taken out. */
  leaves(id: string): void {
    this.#forgetGone(this.#leaving)
    this.#leaving.add(id)
  }

  /** Some configuration has no majority of voters any more whose data is whole: whoever goes by it waits for ever. */
  lacksMajority(): boolean {
    return this.#consensus.standing().some((voters) => !spares(voters, (voter) => this.#lost.has(voter)))
  }

  #holds(lost: string | undefined, leaving: string | undefined): boolean {
    const isLost = (voter: string): boolean => voter === lost || this.#lost.has(voter)
    const stays = (voter: string): boolean => voter !== leaving && !this.#leaving.has(voter)
    return this.#consensus
      .standing()
      .every((voters) => [voters, voters.filter(stays)].every((left) => left.length > 0 && spares(left, isLost)))
  }

  #forgetGone(ids: Set<string>): void {
    const standing = this.#consensus.standing()
    for (const id of [...ids]) if (!standing.some((voters) => voters.includes(id))) ids.delete(id)
  }

  /** This server's data is gone, or no longer to be relied on. */
  lose(id: string): void {
    this.#forgetGone(this.#lost)
    this.#lost.add(id)
  }
}

function spares(voters: readonly string[], isLost: (voter: string) => boolean): boolean {
  return voters.filter(isLost).length <= Math.floor(Math.max(0, voters.length - 1) / 2)
}
