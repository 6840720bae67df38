import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import { ComingConfigurations } from './coming-configurations.ts'
import { type ConfigurationChanges, configurationChanges } from './configuration-changes.ts'
import { type GivenVotes, givenVotes } from './given-votes.ts'
import { serverLogs } from './server-logs.ts'

type QuorumExcuses = { readonly R8: 'change under way' | 'machine replaced' }

interface HeldEntries {
  /** The node has the same entry as the leader. */
  readonly holds: (node: string, index: LogIndex, leader: string) => boolean
  readonly hadBefore: (node: string, index: LogIndex) => boolean
  /** The node's disk has the entry of that term at that index, or had it when that was compacted. */
  readonly isWritten: (node: string, index: LogIndex, term: Term) => boolean
  /** The term of the entry at that index on the node's disk. Undefined: its disk has no entry there. */
  readonly termAt: (node: string, index: LogIndex) => Term | undefined
}

/**
 * R8. Paper, section 6: a server uses the newest configuration in its own log, committed or not. So a leader has the
 * durable votes of a majority of its voters, and what it commits is durable in the logs of a majority of them. Thesis
 * 4.2.2: only a voter stands for election, or asks whether it could win one, of that configuration, or of an earlier one
 * back to the last that this server knows to be committed. It asks by the log in its memory, so a configuration that has
 * arrived and is not on its disk yet counts as well.
 *
 * Paper 5.4.2 and figure 8: by counting, a leader commits entries of its own term alone, and with them those before. Its
 * disk has all that it knew when it gave itself its vote, so an entry that is not there is of its own term.
 */
export class OwnQuorum {
  readonly #judge: Judge<QuorumExcuses>
  readonly #configurations: Pick<ConfigurationChanges, 'votersOf' | 'standingAt'>
  readonly #votes: GivenVotes
  readonly #logs: HeldEntries
  readonly #coming: ComingConfigurations
  readonly #leading = new Map<string, Term>()
  /** Leaders that were asked for a change which is not in their logs yet. */
  readonly #changing = new Set<string>()

  constructor(
    judge: Judge<QuorumExcuses>,
    configurations: Pick<ConfigurationChanges, 'votersOf' | 'standingAt'>,
    votes: GivenVotes,
    logs: HeldEntries,
  ) {
    this.#judge = judge
    this.#configurations = configurations
    this.#votes = votes
    this.#logs = logs
    this.#coming = new ComingConfigurations(logs.isWritten)
  }

  /** Its process knows no more than its disk has. */
  began(node: string): void {
    this.#coming.forget(node)
  }

  received(node: string, message: RaftMessage): void {
    this.#coming.received(node, message)
  }

  written(node: string, index: LogIndex): void {
    this.#coming.written(node, index)
  }

  sent(node: string, message: RaftMessage): void {
    if (message.kind !== 'vote-request' || !message.pre) return
    const standing = [...this.#configurations.standingAt(node), ...this.#coming.votersAt(node)]
    this.#mayStand(node, standing, `asks whether it could win term ${message.term}`)
  }

  /** The server has given its own vote to itself. */
  stood(node: string, term: Term): void {
    this.#mayStand(node, this.#configurations.standingAt(node, term), `stands in term ${term}`)
  }

  #mayStand(node: string, standing: readonly (readonly string[])[], does: string): void {
    const own = this.#votes.machineOn(node)
    if (standing.length === 0 || own === undefined) return
    this.#judge.judged('R8')
    if (standing.some((voters) => voters.some((id) => this.#votes.machineOf(id) === own))) return
    this.#judge.report('R8', `${node} ${does}, and is no voter of any configuration that its log leaves open`)
  }

  becameLeader(node: string, term: Term): void {
    this.#leading.set(node, term)
    this.#changing.delete(node)
    const voters = this.#configurations.votersOf(node)
    const own = this.#votes.machineOn(node)
    if (voters === undefined || own === undefined) return
    this.#judge.judged('R8')
    const given = voters.filter((voter) => this.#votes.candidatesOf(voter, term).includes(own))
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
    const term = this.#leading.get(node)
    if (term === undefined) return
    this.#ofItsTerm(node, index, term)
    const voters = this.#configurations.votersOf(node)
    if (voters === undefined) return
    this.#judge.judged('R8')
    const unseen = voters.filter((id) => this.#isUnseen(id, index))
    const holders = voters.filter((id) => this.#holdsOf(id, index, node))
    if (isMajority(holders.length, voters)) return
    if (isMajority(holders.length + unseen.length, voters)) return this.#judge.excused('R8', 'machine replaced')
    // The configuration by which the leader counts is not durable yet: one voter fewer suffices.
    if (this.#changing.has(node) && isMajority(holders.length, voters.slice(1))) {
      return this.#judge.excused('R8', 'change under way')
    }
    const names = `${holders.length} of ${voters.length} voters of the newest configuration in its log have it`
    this.#judge.report('R8', `${node} commits entry ${index}, and ${names}`)
  }

  #ofItsTerm(node: string, index: LogIndex, term: Term): void {
    const committed = this.#logs.termAt(node, index) ?? term
    if (committed === term) return
    this.#judge.report('R8', `${node}, leader of term ${term}, commits entry ${index} of term ${committed} by counting`)
  }

  /** The voter had the entry on a disk that is lost, or no process has used its ID. */
  #isUnseen(id: string, index: LogIndex): boolean {
    const machine = this.#votes.machineOf(id)
    if (machine === undefined || machine.isGone) return true
    return this.#votes.isInherited(id) && this.#logs.hadBefore(machine.node, index)
  }

  #holdsOf(id: string, index: LogIndex, leader: string): boolean {
    const machine = this.#votes.machineOf(id)
    return machine?.isGone === false && this.#logs.holds(machine.node, index, leader)
  }
}

export function isMajority(count: number, voters: readonly string[]): boolean {
  return count * 2 > voters.length
}

export const ownQuorum = checker({
  codes: {
    R8: {
      text: 'quorum: only voters stand or ask whether they could win, and an election or a commit needs a majority of the newest configuration in the log of that server; by counting copies, a leader commits only up to an entry of its own term',
      sources: ['Raft paper, sections 5.2, 5.3, 5.4.2 and 6', 'Raft thesis, section 4.2.2'],
      evidence: ['votes', 'elections', 'entries', 'acknowledgements', 'commits', 'configurations'],
      judges: ['question, candidature, election or commit', 'questions, candidatures, elections and commits'],
      excuses: {
        'change under way':
          'A leader that was asked for a change of members may count one voter less than its log has; until the change is in its log.',
        'machine replaced':
          'A voter whose machine was replaced may have had entries that can no longer be inspected; until the configuration is without it, or the new machine has its ID and these entries.',
      },
    },
  },
  make: (run: CheckedRun & Judge<QuorumExcuses>) => {
    const logs = run.of(serverLogs)
    const holds = (node: string, index: LogIndex, leader: string): boolean => {
      const [own, theirs] = [logs.of(leader).hashAt(index), logs.of(node)]
      const hash = theirs.hashAt(index)
      // A log that is compacted, or whose beginning is unknown, was committed: R5 compares it.
      return theirs.lastIndex >= index && (own === undefined || hash === undefined || own === hash)
    }
    const hadBefore = (node: string, index: LogIndex): boolean => logs.hadBefore(node, index)
    const isWritten = (node: string, index: LogIndex, term: Term): boolean => {
      const log = logs.of(node)
      return (log.termAt(index) ?? (index <= log.lastIndex ? term : undefined)) === term
    }
    const termAt = (node: string, index: LogIndex): Term | undefined => logs.of(node).termAt(index)
    const held = { holds, hadBefore, isWritten, termAt }
    return new OwnQuorum(run, run.of(configurationChanges), run.of(givenVotes), held)
  },
  takes: {
    'process began': (it, { node }) => it.began(node),
    'message sent': (it, { node, message }) => it.sent(node, message),
    'message received': (it, { node, message }) => it.received(node, message),
    'configuration written': (it, { node, index }) => it.written(node, index),
    'log reset': (it, { node, index }) => it.written(node, index),
    'term written': (it, { node, term, stands }) => {
      if (stands) it.stood(node, term)
    },
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'change asked': (it, { node }) => it.changeAsked(node),
    'change written': (it, { node }) => it.changed(node),
    'index committed': (it, { node, index }) => it.committed(node, index),
  },
})
