import { checker, type Judge } from '../checker.ts'
import { type AppliedKeys, appliedKeys, type KeyVersion } from './applied-keys.ts'
import type { ListedKey } from './key-history.ts'

/**
 * K2. A CAS takes effect exactly when the key is as it expects; of a transaction everything takes effect at one index, or
 * nothing ever does; and an answer that has several keys shows them as they were together at some index.
 */
export class WholeChanges {
  readonly #applied: AppliedKeys
  readonly #judge: Judge<{ K2: never }>
  /** Values of writes that were refused as a whole: none may be in effect, ever. */
  readonly #refused = new Map<string, string>()

  constructor(judge: Judge<{ K2: never }>, applied: AppliedKeys) {
    this.#applied = applied
    this.#judge = judge
  }

  /** A CAS was carried out at `index`, and what it did is not yet told to `AppliedKeys`. `expected`: 0: that there is no such key. */
  compared(key: string, index: number, expected: number, tookEffect: boolean): void {
    this.#judge.judged('K2')
    const last = this.#applied.versions(key).at(-1)
    const before = last?.value === undefined ? 0 : last.index
    if ((before === expected) === tookEffect) return
    const what = tookEffect ? 'took effect' : 'was refused'
    this.#judge.report(
      'K2',
      `CAS at ${index} on key '${key}' ${what}: it expected index ${expected}, and the key was at ${before}`,
    )
  }

  /** A transaction was carried out at `index`. `changed`: of its writes, which keys it changed. */
  transaction(index: number, isDone: boolean, changed: ReadonlyMap<string, boolean>): void {
    this.#judge.judged('K2')
    for (const [key, isChanged] of changed) {
      if (isChanged === isDone) continue
      const what = isDone ? 'took effect, but not on' : 'was refused, but changed'
      this.#judge.report('K2', `the transaction at ${index} ${what} key '${key}'`)
    }
  }

  /** An answer had all keys of these names that there were. */
  listed(asked: readonly string[], found: readonly ListedKey[], where: string): void {
    this.#judge.judged('K2')
    const rows = new Map(found.map((row) => [row.key, row]))
    for (const row of found) {
      const version = this.#applied.versions(row.key).find(({ index }) => index === row.modifyIndex)
      if (version?.value === row.value) continue
      this.#judge.report(
        'K2',
        `key '${row.key}' in a list at ${where}: '${row.value}' at index ${row.modifyIndex}, which never was`,
      )
      return
    }
    const from = Math.max(0, ...found.map(({ modifyIndex }) => modifyIndex))
    const spans = asked.map((key) => spansOf(this.#applied.versions(key), rows.get(key)?.modifyIndex))
    const starts = [from, ...spans.flat().map((span) => span.from)].filter((start) => start >= from)
    const isWhole = starts.some((at) => spans.every((ofKey) => ofKey.some((span) => span.from <= at && at < span.to)))
    if (isWhole) return
    const shown = asked.map((key) => `${key} ${rows.get(key)?.modifyIndex ?? 'absent'}`).join(', ')
    this.#judge.report('K2', `a list at ${where} shows keys as they never were together: ${shown}`)
  }

  /** A client was told that nothing of a transaction took effect, in which this value was to be written. */
  refused(value: string, what: string): void {
    this.#refused.set(value, what)
  }

  /** When the run ends. */
  judge(): void {
    this.#judge.judged('K2', this.#refused.size)
    for (const [value, what] of this.#refused) {
      const index = this.#applied.indexOf(value)
      if (index !== undefined) this.#judge.report('K2', `refused as a whole, but in effect at ${index}: ${what}`)
    }
  }
}

interface Span {
  readonly from: number
  /** Not included. */
  readonly to: number
}

/** Where the key was as found: at this version, or, when undefined, absent. */
function spansOf(versions: readonly KeyVersion[], modifyIndex: number | undefined): readonly Span[] {
  const spans: Span[] = []
  const first = versions[0]
  if (modifyIndex === undefined) spans.push({ from: 0, to: first?.index ?? Number.POSITIVE_INFINITY })
  for (const [at, { index, value }] of versions.entries()) {
    const isSo = modifyIndex === undefined ? value === undefined : index === modifyIndex
    if (isSo) spans.push({ from: index, to: versions[at + 1]?.index ?? Number.POSITIVE_INFINITY })
  }
  return spans
}

export const wholeChanges = checker({
  codes: {
    K2: {
      text: 'atomicity: a CAS compares and sets at once; of a transaction all takes effect or nothing; a list shows one state',
      sources: ['docs/reference/keys.md#outcomes-of-a-transaction'],
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
