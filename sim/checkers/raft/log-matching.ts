import type { LogIndex, Term } from '../../../src/model/log-position.ts'
import { checker, eventIn, type Judge } from '../checker.ts'

interface Seen {
  readonly term: Term
  readonly hash: number
  readonly node: string
  /** Trace event; 0: no trace is recorded. */
  readonly event: number
}

/** R3. Paper 5.3: remembers, for each index and term ever made durable, the hash of the log up to it. */
export class LogMatching {
  /**
   * By index, the first entry that was observed there. Each part has an array of its own, because objects would take
   * three times as much memory.
   */
  readonly #terms: Term[] = []
  readonly #hashes: number[] = []
  readonly #nodes: string[] = []
  readonly #events: number[] = []
  /** Entries of other terms at an index: they arise only from a change of leader. */
  readonly #others = new Map<LogIndex, Seen[]>()
  readonly #judge: Judge<{ R3: 'unknown beginning' }>

  constructor(judge: Judge<{ R3: 'unknown beginning' }>) {
    this.#judge = judge
  }

  /**
   * `hash`: that of this server's log up to and including the entry; undefined: the beginning of the log is unknown.
   */
  appended(node: string, index: LogIndex, term: Term, hash: number | undefined): void {
    if (hash === undefined) {
      this.#judge.excused('R3', 'unknown beginning')
      return
    }
    const first = this.#terms[index]
    if (first === term) this.#compare(node, index, hash, this.#firstAt(index, term))
    else if (first === undefined) {
      this.#terms[index] = term
      this.#hashes[index] = hash
      this.#nodes[index] = node
      this.#events[index] = eventIn(this.#judge)
    } else this.#appendedAgain(node, index, term, hash)
  }

  #appendedAgain(node: string, index: LogIndex, term: Term, hash: number): void {
    const others = this.#others.get(index) ?? []
    const same = others.find((one) => one.term === term)
    if (same !== undefined) this.#compare(node, index, hash, same)
    else this.#others.set(index, [...others, { term, hash, node, event: eventIn(this.#judge) }])
  }

  #firstAt(index: LogIndex, term: Term): Seen {
    const [hash = 0, node = '', event = 0] = [this.#hashes[index], this.#nodes[index], this.#events[index]]
    return { term, hash, node, event }
  }

  #compare(node: string, index: LogIndex, hash: number, same: Seen): void {
    this.#judge.judged('R3')
    if (same.hash === hash) return
    const where = `at ${node} than at ${same.node}`
    this.#judge.report('R3', `entry ${index} of term ${same.term} follows other entries ${where}`, [same.event])
  }

  /** A server wrote entry `index` behind entry `lastIndex`, the end of its log, although it is not the next one. */
  gap(node: string, index: LogIndex, lastIndex: LogIndex): void {
    this.#judge.judged('R3')
    this.#judge.report('R3', `${node} wrote entry ${index} behind entry ${lastIndex}, leaving a gap`)
  }
}

export const logMatching = checker({
  codes: {
    R3: {
      text: 'log matching: if two logs have an entry of the same index and term, all entries before it are equal',
      sources: ['Raft paper, section 5.3'],
      evidence: ['elections', 'entries', 'acknowledgements'],
      judges: ['copy of an entry', 'copies of entries'],
      excuses: {
        'unknown beginning':
          'A log that begins with a snapshot of entries that were never seen committed; until it begins with another.',
      },
    },
  },
  make: (judge) => new LogMatching(judge),
  takes: {
    'entry written': (it, { node, index, term, hash }) => it.appended(node, index, term, hash),
    'gap written': (it, { node, index, lastIndex }) => it.gap(node, index, lastIndex),
  },
})
