import { itemAt, lastOf } from '../../../src/base/items.ts'
import { indexAfter, type LogIndex, logIndexOf, type Term } from '../../../src/model/log-position.ts'
import { checker, eventIn, type Judge } from '../checker.ts'
import type { ServerLog } from './server-log.ts'

interface Commit {
  /** Term of the leader that committed it, which is the first server observed to know. */
  readonly term: Term
  /** The highest index committed in this term. */
  index: LogIndex
  hash: number
  /** A recovery has lost the committed entries after it. */
  isCut: boolean
  /** Trace event by which the highest index was committed; 0: no trace is recorded. */
  event: number
}

/**
 * R4. Paper 5.4: entries committed in terms before T are in the log of the leader of T. A winner of term T that is
 * reported late owes nothing to entries committed in later terms meanwhile.
 */
export class LeaderCompleteness {
  /** In ascending order of term and index. */
  readonly #commits: Commit[] = []
  readonly #hashes: number[] = [0]
  readonly #leaders = new Map<string, { readonly term: Term; readonly log: ServerLog; readonly event: number }>()
  readonly #judge: Judge<{ R4: 'majority lost' | 'compacted' }>

  constructor(judge: Judge<{ R4: 'majority lost' | 'compacted' }>) {
    this.#judge = judge
  }

  get committedIndex(): LogIndex {
    return logIndexOf(this.#hashes.length - 1)
  }

  /** Hash of the committed log up to `index`; undefined if no commit of it was observed. */
  committedHash(index: LogIndex): number | undefined {
    return this.#hashes[index]
  }

  /** `log` has the committed entries; `term` is that of the leader that committed them. */
  committed(index: LogIndex, term: Term, log: ServerLog): void {
    for (let at = indexAfter(this.committedIndex); at <= index; at = indexAfter(at)) {
      const hash = log.hashAt(at)
      if (hash === undefined) return
      this.#hashes.push(hash)
    }
    const hash = itemAt(this.#hashes, index)
    const event = eventIn(this.#judge)
    const last = this.#commits.at(-1)
    if (last !== undefined && last.term >= term) {
      if (index <= last.index) return
      last.index = index
      last.hash = hash
      last.isCut = false
      last.event = event
    } else if (last === undefined || index > last.index) {
      this.#commits.push({ term, index, hash, isCut: false, event })
    }
    for (const [node, leader] of this.#leaders) {
      if (leader.term > term) this.#check(node, leader.term, leader.log, { index, term, hash, event: leader.event })
    }
  }

  /** An operator has forced the remaining servers to go on without these entries: no leader owes them any more. */
  forgetFrom(index: LogIndex): void {
    if (index >= this.#hashes.length) return
    this.#hashes.length = index
    const last = { index: this.committedIndex, hash: lastOf(this.#hashes), isCut: true }
    this.#judge.excused('R4', 'majority lost', this.#leaders.size)
    const owed = this.#commits.map((commit) => (commit.index < index ? commit : { ...commit, ...last }))
    this.#commits.splice(0, this.#commits.length, ...owed)
    this.#leaders.clear()
  }

  becameLeader(node: string, term: Term, log: ServerLog): void {
    this.#leaders.set(node, { term, log, event: eventIn(this.#judge) })
    const owed = this.#commits.findLast((commit) => commit.term < term)
    if (owed === undefined) return
    if (owed.isCut) this.#judge.excused('R4', 'majority lost')
    this.#check(node, term, log, owed)
  }

  /** The server stepped down, crashed or stopped: its log may change from now on. */
  noLongerLeads(node: string): void {
    this.#leaders.delete(node)
  }

  /**
   * `owed`: what the log must contain; its event is the commit, or the leader's election if the commit is reported now.
   */
  #check(node: string, term: Term, log: ServerLog, owed: Omit<Commit, 'isCut'>): void {
    const { index, term: commitTerm, hash, event } = owed
    if (log.lastIndex < index) {
      this.#judge.judged('R4')
      const has = `its log ends at ${log.lastIndex}`
      this.#judge.report(
        'R4',
        `${node} leads term ${term} without entry ${index}, committed in term ${commitTerm}: ${has}`,
        [event],
      )
      return
    }
    // A log compacted beyond the index has the entry: only applied entries are compacted, and R5 compares those.
    const own = log.hashAt(index)
    if (own === undefined) this.#judge.excused('R4', 'compacted')
    else this.#judge.judged('R4')
    if (own === undefined || own === hash) return
    const has = `its entry ${index} is of term ${log.termAt(index)}`
    this.#judge.report(
      'R4',
      `${node} leads term ${term} with another log than the one committed in term ${commitTerm}: ${has}`,
      [event],
    )
  }
}

export const leaderCompleteness = checker({
  codes: {
    R4: {
      text: 'leader completeness: entries committed in earlier terms are in the log of every later leader',
      sources: ['Raft paper, section 5.4'],
      evidence: ['elections', 'entries', 'acknowledgements', 'commits', 'votes'],
      judges: ["leader's log", "leaders' logs"],
      excuses: {
        'majority lost':
          'Entries that a scenario allows to be lost may be missing; until another entry is committed after the recovery.',
        compacted:
          'A leader whose log begins behind the entry, which R5 has compared; until the next entry is committed.',
      },
    },
  },
  make: (judge) => new LeaderCompleteness(judge),
  takes: {
    'leader began': (it, { node, term, log }) => it.becameLeader(node, term, log),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'entries lost': (it, { from }) => it.forgetFrom(from),
  },
})
