import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import { type ConfigurationChanges, configurationChanges } from './configuration-changes.ts'
import { serverLogs } from './server-logs.ts'

type QuorumExcuses = { readonly R8: 'change under way' | 'machine replaced' }

/**
 * R8. Paper, section 6: a server goes by the newest configuration in its own log, committed or not. So a leader has the
 * durable votes of a majority of the voters there, and what it commits is durable in the logs of a majority of them.
 */
export class OwnQuorum {
  readonly #judge: Judge<QuorumExcuses>
  readonly #configurations: Pick<ConfigurationChanges, 'votersOf'>
  readonly #holds: (node: string, index: LogIndex, leader: string) => boolean
  /** By node, the machine that it is now. */
  readonly #present = new Map<string, Machine>()
  /** By the name in consensus. A machine that comes to another protocol is known by its address, and by its ID. */
  readonly #machines = new Map<string, Machine>()
  /** The votes of each term: the candidate's name in consensus by voter. */
  readonly #votes = new Map<Term, Map<Machine, string>>()
  readonly #leading = new Set<string>()
  /** Leaders that were asked for a change that their logs do not have yet. */
  readonly #changing = new Set<string>()

  constructor(
    judge: Judge<QuorumExcuses>,
    configurations: Pick<ConfigurationChanges, 'votersOf'>,
    holds: (node: string, index: LogIndex, leader: string) => boolean,
  ) {
    this.#judge = judge
    this.#configurations = configurations
    this.#holds = holds
  }

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

  becameLeader(node: string, term: Term): void {
    this.#leading.add(node)
    this.#changing.delete(node)
    const voters = this.#configurations.votersOf(node)
    const own = this.#present.get(node)
    if (voters === undefined || own === undefined) return
    this.#judge.judged('R8')
    const given = voters.filter((voter) => this.#candidateOf(voter, term) === own)
    if (isMajority(given.length, voters)) return
    const missing = `${given.length} of ${voters.length} voters of the newest configuration in its log voted for it`
    this.#judge.report('R8', `${node} leads term ${term}, and ${missing}`)
  }

  noLongerLeads(node: string): void {
    this.#leading.delete(node)
    this.#changing.delete(node)
  }

  changeAsked(node: string): void {
    this.#changing.add(node)
  }

  /** The change is in the leader's log. */
  changed(node: string): void {
    this.#changing.delete(node)
  }

  committed(node: string, index: LogIndex): void {
    if (!this.#leading.has(node)) return
    const voters = this.#configurations.votersOf(node)
    if (voters === undefined) return
    this.#judge.judged('R8')
    const unseen = voters.filter((id) => this.#machines.get(id)?.isGone !== false)
    const holders = voters.filter((id) => this.#holdsOf(id, index, node))
    if (isMajority(holders.length, voters)) return
    if (isMajority(holders.length + unseen.length, voters)) return this.#judge.excused('R8', 'machine replaced')
    // What the leader counts by is not durable yet: one voter less.
    if (this.#changing.has(node) && isMajority(holders.length, voters.slice(1))) {
      return this.#judge.excused('R8', 'change under way')
    }
    const names = `${holders.length} of ${voters.length} voters of the newest configuration in its log have it`
    this.#judge.report('R8', `${node} commits entry ${index}, and ${names}`)
  }

  #candidateOf(voter: string, term: Term): Machine | undefined {
    const machine = this.#machines.get(voter)
    const votedFor = machine === undefined ? undefined : this.#votes.get(term)?.get(machine)
    return votedFor === undefined ? undefined : this.#machines.get(votedFor)
  }

  #holdsOf(id: string, index: LogIndex, leader: string): boolean {
    const machine = this.#machines.get(id)
    return machine?.isGone === false && this.#holds(machine.node, index, leader)
  }
}

/** A node with one disk: it keeps what it has said over restarts. */
interface Machine {
  readonly node: string
  isGone: boolean
}

function isMajority(count: number, voters: readonly string[]): boolean {
  return count * 2 > voters.length
}

export const ownQuorum = checker({
  codes: {
    R8: {
      text: 'quorum: an election and a commit have a majority of the newest configuration in the log of that server',
      sources: ['Raft paper, sections 5.2, 5.3 and 6'],
      judges: ['election or commit', 'elections and commits'],
      excuses: {
        'change under way':
          'A leader that was asked for a change may count by one voter less than its log has; until the change is in its log.',
        'machine replaced':
          'A voter whose machine was replaced may have had what no one can look at any more; until the configuration is without it.',
      },
    },
  },
  make: (run: CheckedRun & Judge<QuorumExcuses>) => {
    const logs = run.of(serverLogs)
    return new OwnQuorum(run, run.of(configurationChanges), (node, index, leader) => {
      const [own, theirs] = [logs.of(leader).hashAt(index), logs.of(node)]
      const hash = theirs.hashAt(index)
      // What is compacted, or of unknown beginning, was committed: R5 compares it.
      return theirs.lastIndex >= index && (own === undefined || hash === undefined || own === hash)
    })
  },
  takes: {
    'process began': (it, { node, id }) => it.named(node, id),
    'machine replaced': (it, { node }) => it.replaced(node),
    'term found': (it, { node, term, votedFor }) => it.voted(node, term, votedFor),
    'term written': (it, { node, term, votedFor }) => it.voted(node, term, votedFor),
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'change asked': (it, { node }) => it.changeAsked(node),
    'members changed': (it, { node }) => it.changed(node),
    'index committed': (it, { node, index }) => it.committed(node, index),
  },
})
