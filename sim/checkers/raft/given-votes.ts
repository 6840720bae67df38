import type { Term } from '../../../src/model/log-position.ts'
import { checker } from '../checker.ts'

/** A node with one disk: its promises survive restarts. */
export interface Machine {
  readonly node: string
  isGone: boolean
}

/** The machine of each Raft server ID, and the votes that each disk has recorded. */
export class GivenVotes {
  /** The present machine of each node. */
  readonly #present = new Map<string, Machine>()
  /**
   * By Raft server ID, the present one first: below Raft protocol 3 a machine that takes the place of a lost one has the
   * same ID, its address. A machine that changes to another Raft protocol is known by its address, and by its ID.
   */
  readonly #machines = new Map<string, readonly Machine[]>()
  /** The votes of each term: the candidate's Raft server ID by voter. */
  readonly #votes = new Map<Term, Map<Machine, string>>()

  named(node: string, id: string): void {
    const before = this.#present.get(node)
    const machine = before === undefined || before.isGone ? { node, isGone: false } : before
    this.#present.set(node, machine)
    const known = this.#machines.get(id) ?? []
    if (known[0] !== machine) this.#machines.set(id, [machine, ...known])
  }

  /** The node has another disk, and the content of the last one is unknown. */
  replaced(node: string): void {
    const machine = this.#present.get(node)
    if (machine !== undefined) machine.isGone = true
  }

  voted(node: string, term: Term, votedFor: string | undefined): void {
    const machine = this.#present.get(node)
    if (machine === undefined || votedFor === undefined) return
    const votes = this.#votes.get(term)
    if (votes === undefined) this.#votes.set(term, new Map([[machine, votedFor]]))
    else votes.set(machine, votedFor)
  }

  machineOn(node: string): Machine | undefined {
    return this.#present.get(node)
  }

  /** The machine of a Raft server ID; undefined: no process has used it. */
  machineOf(id: string): Machine | undefined {
    return this.#machines.get(id)?.[0]
  }

  /** Another machine had this ID, and its disk is lost; what it sent may still arrive. */
  isInherited(id: string): boolean {
    return this.#machines.get(id)?.some(({ isGone }, at) => at > 0 && isGone) === true
  }

  /** The machines for which this voter's disk, or one that was lost, records a vote in that term. */
  candidatesOf(voter: string, term: Term): readonly Machine[] {
    const given = (this.#machines.get(voter) ?? []).map((machine) => this.#votes.get(term)?.get(machine))
    return given.flatMap((votedFor) =>
      votedFor === undefined ? [] : (this.#machines.get(votedFor)?.slice(0, 1) ?? []),
    )
  }
}

export const givenVotes = checker({
  codes: {},
  make: () => new GivenVotes(),
  takes: {
    'process began': (it, { node, id }) => it.named(node, id),
    'machine replaced': (it, { node }) => it.replaced(node),
    'term found': (it, { node, term, votedFor }) => it.voted(node, term, votedFor),
    'term written': (it, { node, term, votedFor }) => it.voted(node, term, votedFor),
  },
})
