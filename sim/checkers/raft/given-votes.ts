import type { Term } from '../../../src/model/log-position.ts'
import { checker } from '../checker.ts'

/** A node with one disk: it keeps what it has said over restarts. */
export interface Machine {
  readonly node: string
  isGone: boolean
}

/** Which machine each name in consensus stands for, and the votes that each disk has had. */
export class GivenVotes {
  /** By node, the machine that it is now. */
  readonly #present = new Map<string, Machine>()
  /** By the name in consensus. A machine that comes to another protocol is known by its address, and by its ID. */
  readonly #machines = new Map<string, Machine>()
  /** The votes of each term: the candidate's name in consensus by voter. */
  readonly #votes = new Map<Term, Map<Machine, string>>()

  named(node: string, id: string): void {
    const before = this.#present.get(node)
    const machine = before === undefined || before.isGone ? { node, isGone: false } : before
    this.#present.set(node, machine)
    this.#machines.set(id, machine)
  }

  /** Its disk is another one, and what the last one held cannot be looked at. */
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

  /** The machine of a name in consensus; undefined: no process has begun under it. */
  machineOf(id: string): Machine | undefined {
    return this.#machines.get(id)
  }

  /** The machine that the voter of this name has on its disk as its choice in that term. */
  candidateOf(voter: string, term: Term): Machine | undefined {
    const machine = this.#machines.get(voter)
    const votedFor = machine === undefined ? undefined : this.#votes.get(term)?.get(machine)
    return votedFor === undefined ? undefined : this.#machines.get(votedFor)
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
