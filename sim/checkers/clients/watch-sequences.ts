import { appliedIn, checker, eventIn, type Judge } from '../checker.ts'
import type { ListedKey } from '../keys/key-history.ts'
import { parkedReads } from './parked-reads.ts'

interface Followed {
  readonly prefix: string
  /** Content of its last answer; undefined: it has no answer yet. */
  rows: string | undefined
  /** Trace event of that answer; 0: no trace is recorded. */
  answeredIn: number
}

/**
 * W3. A client follows the keys under a prefix by blocking reads alone, and keeps what each answer shows. In the end it
 * has what a fresh read returns: no change between two answers is missing from the later one. Judged at rest.
 */
export class WatchSequences {
  readonly #judge: Judge<{ W2: never; W3: never }>
  readonly #followed = new Map<string, Followed>()

  constructor(judge: Judge<{ W3: never; W2: never }>) {
    this.#judge = judge
  }

  follows(watcher: string, prefix: string): void {
    this.#followed.set(watcher, { prefix, rows: undefined, answeredIn: 0 })
  }

  answered(watcher: string, rows: readonly ListedKey[]): void {
    const followed = this.#followed.get(watcher)
    if (followed === undefined) return
    followed.rows = textOfRows(rows)
    followed.answeredIn = eventIn(this.#judge)
  }

  /** Prefixes that a watcher follows. */
  prefixes(): readonly string[] {
    return [...new Set([...this.#followed.values()].map(({ prefix }) => prefix))]
  }

  /** Watchers whose last answer differs from the result of a fresh read. */
  behind(prefix: string, fresh: readonly ListedKey[]): readonly string[] {
    const text = textOfRows(fresh)
    return [...this.#followed].flatMap(([watcher, followed]) =>
      followed.prefix === prefix && followed.rows !== text ? [watcher] : [],
    )
  }

  /**
   * The time limit has passed within which all watchers must have caught up, or, for W2, must have learned of a write.
   */
  overdue(code: 'W2' | 'W3', prefix: string, fresh: readonly ListedKey[], withinText: string): void {
    const followers = [...this.#followed.values()].filter((followed) => followed.prefix === prefix)
    this.#judge.judged(code, followers.length)
    const [first, ...others] = this.behind(prefix, fresh)
    if (first === undefined) return
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    const { rows: has, answeredIn = 0 } = this.#followed.get(first) ?? {}
    const what = has === undefined ? 'was never answered' : `has ${has || 'no key'}`
    const found = textOfRows(fresh) || 'no key'
    this.#judge.report(
      code,
      `${first}${more} follows '${prefix}' and ${what} ${withinText} after a read found ${found}`,
      [answeredIn, ...appliedIn(this.#judge, ...fresh.map(({ modifyIndex }) => modifyIndex))],
    )
  }
}

/** A ModifyIndex identifies a version of a key: within one history, no two versions have the same. */
function textOfRows(rows: readonly ListedKey[]): string {
  return rows.map(({ key, modifyIndex }) => `${key}@${modifyIndex}`).join(' ')
}

export const watchSequences = checker({
  codes: {
    W3: {
      text: 'watch completeness: a client that follows the answers to blocking queries ends with what a fresh read finds',
      sources: ['docs/reference/http-reads.md#blocking-queries'],
      evidence: ['requests', 'forwards', 'commands'],
      judges: ['watcher', 'watchers'],
    },
  },
  also: [parkedReads],
  make: (judge) => new WatchSequences(judge),
  takes: {
    'watcher follows': (it, { watcher, prefix }) => it.follows(watcher, prefix),
    'watcher answered': (it, { watcher, rows }) => it.answered(watcher, rows),
  },
})
