import { appliedIn, checker, type Judge } from '../checker.ts'
import { type AppliedKeys, appliedKeys, type KeyVersion, placeOf } from './applied-keys.ts'
import type { ListedKey } from './key-history.ts'

/**
 * K2. A CAS takes effect exactly when the key is in the expected state. A transaction takes effect as a whole at one
 * index, or never. An answer with several keys shows them as they were together at some index.
 */
export class WholeChanges {
  readonly #applied: AppliedKeys
  readonly #judge: Judge<{ K2: never }>
  /** Values of writes that were refused as a whole: none may ever take effect. */
  readonly #refused = new Map<string, string>()

  constructor(judge: Judge<{ K2: never }>, applied: AppliedKeys) {
    this.#applied = applied
    this.#judge = judge
  }

  /**
   * A CAS was applied at `index`, and its effect is not yet reported to `AppliedKeys`. `expected` 0 means that the key
   * must not exist. A CAS that deletes succeeds on a key that does not exist, whatever it expected.
   */
  compared(key: string, index: number, { expected, tookEffect, isDelete }: Compared): void {
    this.#judge.judged('K2')
    const last = this.#applied.versions(key).at(-1)
    const before = last?.value === undefined ? 0 : last.index
    const isSo = before === expected || (isDelete && before === 0)
    if (isSo === tookEffect) return
    const what = tookEffect ? 'took effect' : 'was refused'
    this.#judge.report(
      'K2',
      `${isDelete ? 'delete by ' : ''}CAS at ${index} on key '${key}' ${what}: it expected index ${expected}, and the key was at ${before}`,
      appliedIn(this.#judge, before),
    )
  }

  /** All keys under a prefix were deleted at `index`. `left`: keys that exist nevertheless. */
  treeDeleted(index: number, prefix: string, left: readonly string[]): void {
    this.#judge.judged('K2')
    for (const key of left)
      this.#judge.report('K2', `all keys under '${prefix}' were deleted at ${index}, but not '${key}'`)
  }

  /** A transaction was applied at `index`. `changed`: for the keys that it writes and deletes, whether they changed. */
  transaction(index: number, isDone: boolean, changed: ReadonlyMap<string, boolean>): void {
    this.#judge.judged('K2')
    for (const [key, isChanged] of changed) {
      if (isChanged === isDone) continue
      const what = isDone ? 'took effect, but not on' : 'was refused, but changed'
      this.#judge.report('K2', `the transaction at ${index} ${what} key '${key}'`)
    }
  }

  /**
   * An answer had all existing keys among these names. Its rows limit the indexes at which that was possible: none is
   * before the newest row, and none is at or after the next change of a row. Within these limits, every other key must
   * be absent at one index.
   */
  listed(asked: readonly string[], found: readonly ListedKey[], where: string): void {
    this.#judge.judged('K2')
    const ends = new Map<string, number>()
    let from = 0
    for (const { key, value, modifyIndex } of found) {
      const versions = this.#applied.versions(key)
      const at = placeOf(versions, modifyIndex)
      const version = versions[at]
      if (version?.index !== modifyIndex || version.value !== value) {
        this.#judge.report(
          'K2',
          `key '${key}' in a list at ${where}: '${value}' at index ${modifyIndex}, which it never had`,
          appliedIn(this.#judge, modifyIndex),
        )
        return
      }
      ends.set(key, versions[at + 1]?.index ?? Number.POSITIVE_INFINITY)
      from = Math.max(from, modifyIndex)
    }
    if (this.#wereTogether(asked, ends, from)) return
    const rows = new Map(found.map((row) => [row.key, row.modifyIndex]))
    const shown = asked.map((key) => `${key} ${rows.get(key) ?? 'absent'}`).join(', ')
    this.#judge.report('K2', `a list at ${where} shows keys in a combination that never existed: ${shown}`, [
      ...appliedIn(this.#judge, ...rows.values()),
    ])
  }

  /**
   * Whether some index from `from` on precedes the end of every shown row, and finds the other keys absent. `ends`: by
   * key, the index at which the shown row was changed next.
   */
  #wereTogether(asked: readonly string[], ends: ReadonlyMap<string, number>, from: number): boolean {
    let to = Number.POSITIVE_INFINITY
    const absent: (readonly KeyVersion[])[] = []
    for (const key of asked) {
      const end = ends.get(key)
      if (end === undefined) absent.push(this.#applied.versions(key))
      else if (end < to) to = end
    }
    let at = from
    for (let before = -1; before < at && at < to; ) {
      before = at
      for (const versions of absent) at = absentFrom(versions, at)
    }
    return at < to
  }

  /** A client was told that a transaction, which was to write this value, had no effect. */
  refused(value: string, what: string): void {
    this.#refused.set(value, what)
  }

  /** Called when the run ends. */
  judge(): void {
    this.#judge.judged('K2', this.#refused.size)
    for (const [value, what] of this.#refused) {
      const index = this.#applied.indexOf(value)
      if (index === undefined) continue
      this.#judge.report('K2', `refused as a whole, but in effect at ${index}: ${what}`, appliedIn(this.#judge, index))
    }
  }
}

interface Compared {
  readonly expected: number
  readonly tookEffect: boolean
  readonly isDelete: boolean
}

/** The first index from `from` on at which a key with these versions is absent; infinite if it never is. */
function absentFrom(versions: readonly KeyVersion[], from: number): number {
  // The version in force: the last one that is not after `from`.
  let at = placeOf(versions, from + 1) - 1
  if (at < 0) return from
  while (at < versions.length && versions[at]?.value !== undefined) at++
  return Math.max(from, versions[at]?.index ?? Number.POSITIVE_INFINITY)
}

export const wholeChanges = checker({
  codes: {
    K2: {
      text: 'atomicity: a CAS compares and sets in one step; a transaction is applied completely or not at all; a list shows one state',
      sources: ['docs/reference/keys.md#outcomes-of-a-transaction'],
      evidence: ['requests', 'forwards', 'commands'],
      judges: ['CAS, transaction or list', 'CAS, transactions and lists'],
    },
  },
  make: (run) => new WholeChanges(run, run.of(appliedKeys)),
  takes: {
    'write refused': (it, { value, what }) => it.refused(value, what),
    'keys listed': (it, { asked, found, where }) => it.listed(asked, found, where),
  },
  ends: (it) => it.judge(),
})
