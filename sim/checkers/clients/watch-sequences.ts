import { appliedIn, checker, eventIn, type Judge } from '../checker.ts'
import type { ListedKey } from '../keys/key-history.ts'
import { parkedReads } from './parked-reads.ts'

interface Followed {
  readonly prefix: string
  /** Content of its last answer; undefined: none yet. */
  rows: string | undefined
  /** Event of that answer, in the trace; 0: the trace is not recorded. */
  answeredIn: number
}

/**
 * W3. A client that follows the keys under a prefix by blocking queries alone, and keeps what each answer shows, ends
 * with what a fresh read finds: nothing that happened between two answers is missing from the later one. Judged at
 * rest.
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

  /** Watchers whose last answer differs from what a fresh read found. */
  behind(prefix: string, fresh: readonly ListedKey[]): readonly string[] {
    const text = textOfRows(fresh)
    return [...this.#followed].flatMap(([watcher, followed]) =>
      followed.prefix === prefix && followed.rows !== text ? [watcher] : [],
    )
  }

  /**
   * The bound has passed within which all watchers should have caught up, or, for W2, should have learned of a write.
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

/** A version of a key is known by its ModifyIndex: within one history no two have the same. */
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
