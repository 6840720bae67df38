import type { Term } from '../../../src/model/log-position.ts'
import { checker, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type GivenVotes, givenVotes } from './given-votes.ts'

/** Names the server that leads instead, by its Raft server ID. */
const anotherLeads = /^server (\S+) became leader$/

/**
 * R14. Thesis 3.10: an order to transfer leadership is answered as what became of it. It has succeeded if the server
 * that it named has led a later term, or any other than the one that was asked, if it named none. It has failed because
 * a server became leader only if that one did, and is not the one that it named.
 */
export class Transfers {
  readonly #judge: Judge<{ R14: never }>
  readonly #votes: Pick<GivenVotes, 'machineOf'>
  /** The newest term that each node has led. */
  readonly #led = new Map<string, Term>()

  constructor(judge: Judge<{ R14: never }>, votes: Pick<GivenVotes, 'machineOf'>) {
    this.#judge = judge
    this.#votes = votes
  }

  becameLeader(node: string, term: Term): void {
    this.#led.set(node, term)
  }

  answered({ node, to, term, failure }: Facts['transfer answered']): void {
    this.#judge.judged('R14')
    const since = [...this.#led].filter(([, led]) => led > term).map(([name]) => name)
    const order = `${node} answers an order to transfer its leadership${to === undefined ? '' : ` to ${to}`}`
    if (failure === undefined) {
      if (to === undefined ? since.some((name) => name !== node) : since.includes(to)) return
      this.#judge.report(
        'R14',
        `${order} with success, and since term ${term} ${since.join(', ') || 'no server'} has led`,
      )
      return
    }
    const id = anotherLeads.exec(failure)?.[1]
    const named = id === undefined ? undefined : this.#votes.machineOf(id)?.node
    if (named === undefined || (named !== to && since.includes(named))) return
    this.#judge.report('R14', `${order} with failure, because ${named} became leader`)
  }
}

export const transfers = checker({
  codes: {
    R14: {
      text: 'transfers: an order to transfer leadership succeeds if and only if the leader learned that the named server leads',
      sources: ['Raft thesis, section 3.10'],
      evidence: ['elections', 'votes'],
      judges: ['order', 'orders'],
    },
  },
  make: (run) => new Transfers(run, run.of(givenVotes)),
  takes: {
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'transfer answered': (it, fact) => it.answered(fact),
  },
})
