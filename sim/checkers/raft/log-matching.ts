import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import { checker, eventIn, type Judge } from '../checker.ts'

interface Seen {
  readonly term: Term
  readonly hash: number
  readonly node: string
  /** In the trace; 0: nobody reads. */
  readonly event: number
}

/** R3. Paper 5.3: remembers, for each index and term ever made durable, the hash of the log up to it. */
export class LogMatching {
  /** Nearly always one for each index: entries of several terms at one index come only from a change of leader. */
  readonly #seen: (Seen[] | undefined)[] = []
  readonly #judge: Judge<{ R3: 'unknown beginning' }>

  constructor(judge: Judge<{ R3: 'unknown beginning' }>) {
    this.#judge = judge
  }

  /** `hash`: of this server's log up to and with the entry; undefined: of its beginning nothing is known. */
  appended(node: string, index: LogIndex, term: Term, hash: number | undefined): void {
    if (hash === undefined) {
      this.#judge.excused('R3', 'unknown beginning')
      return
    }
    const seen = this.#seen[index]
    if (seen === undefined) {
      this.#seen[index] = [{ term, hash, node, event: eventIn(this.#judge) }]
      return
    }
    const same = seen.find((one) => one.term === term)
    if (same === undefined) {
      seen.push({ term, hash, node, event: eventIn(this.#judge) })
      return
    }
    this.#judge.judged('R3')
    if (same.hash !== hash) {
      this.#judge.report(
        'R3',
        `entry ${index} of term ${term} stands on other entries at ${node} than at ${same.node}`,
        [same.event],
      )
    }
  }

  /** Entry ends where the server's log has nothing before it. */
  gap(node: string, index: LogIndex, lastIndex: LogIndex): void {
    this.#judge.judged('R3')
    this.#judge.report('R3', `${node} wrote entry ${index} behind entry ${lastIndex}, leaving a gap`)
  }
}

export const logMatching = checker({
  codes: {
    R3: {
      text: 'log matching: entries of equal index and term have equal entries before them',
      sources: ['Raft paper, section 5.3'],
      judges: ['copy of an entry', 'copies of entries'],
      excuses: {
        'unknown beginning':
          'A log that begins with a snapshot of entries that nobody was seen to commit; until it begins with another.',
      },
    },
  },
  make: (judge) => new LogMatching(judge),
  takes: {
    'entry written': (it, { node, index, term, hash }) => it.appended(node, index, term, hash),
    'gap written': (it, { node, index, lastIndex }) => it.gap(node, index, lastIndex),
  },
})
