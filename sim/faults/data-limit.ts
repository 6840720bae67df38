/** The limit's view of Raft. */
export interface ConsensusView {
  /** The voters, by ID, of every configuration that some server may still use. */
  standing(): readonly (readonly string[])[]
}

/**
 * How many disks of servers may be destroyed: in no configuration that may still be in use, more voters than can be
 * spared. Why no committed entry is lost then, and no vote that counts is forgotten:
 * 1. An entry is committed when a majority of a standing configuration has it; a leader is elected by a majority of
 *    one. Two such majorities of one configuration, or of two successive ones, share a voter.
 * 2. A machine that lost its disk comes back under another ID. The old ID never answers again, so a majority that is
 *    counted from now on consists only of voters that kept everything.
 * 3. As long as fewer voters are lost than a majority has, that majority still shares a voter with each earlier
 *    majority.
 * 4. A lost voter no longer counts against the limit once no standing configuration has it: the change that removed it
 *    was committed by a majority of the remaining ones.
 * 5. A server that was asked to leave, or is to be removed, may be missing from the next configuration: the limit holds
 *    with it and without it, and at least one voter stays.
 */
export class DataLimit {
  readonly #consensus: ConsensusView
  readonly #lost = new Set<string>()
  readonly #leaving = new Set<string>()

  constructor(consensus: ConsensusView) {
    this.#consensus = consensus
  }

  /**
   * Whether this server's data may be destroyed, in addition to what was destroyed already. Never before there is a
   * configuration.
   */
  allows(id: string): boolean {
    return this.#consensus.standing().length > 0 && this.#holds(id, undefined)
  }

  /** Whether this server may leave: the remaining ones must still be able to spare what is lost. */
  allowsLeaving(id: string): boolean {
    return this.#holds(undefined, id)
  }

  /** This server was asked to leave, or is to be removed. */
  leaves(id: string): void {
    this.#forgetGone(this.#leaving)
    this.#leaving.add(id)
  }

  /**
   * In some configuration the voters with undamaged data are no majority: a server with that configuration waits for
   * ever.
   */
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

  /** This server's data is lost, or no longer reliable. */
  lose(id: string): void {
    this.#forgetGone(this.#lost)
    this.#lost.add(id)
  }
}

function spares(voters: readonly string[], isLost: (voter: string) => boolean): boolean {
  return voters.filter(isLost).length <= Math.floor(Math.max(0, voters.length - 1) / 2)
}
