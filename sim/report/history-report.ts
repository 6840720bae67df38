import type { History } from '../checkers/keys/history-file.ts'
import { type KeyOperation, operationText, valueText } from '../checkers/keys/key-history.ts'
import { judgeKey, type KeyLaw, type KeyVerdict } from '../checkers/keys/key-verdict.ts'
import { operationsByKey } from '../checkers/keys/linearizable-keys.ts'
import { smallestCause } from '../checkers/keys/smallest-cause.ts'

/** The findings about one key of a history. */
export interface JudgedKey {
  readonly key: string
  readonly operations: readonly KeyOperation[]
  readonly verdict: KeyVerdict
  /** For a violation, a small set of operations that has no valid order by itself; empty otherwise. */
  readonly cause: readonly KeyOperation[]
}

export interface JudgedHistory {
  readonly about: string | undefined
  readonly law: KeyLaw
  /** In byte order of keys. */
  readonly keys: readonly JudgedKey[]
  readonly verdict: 'linearizable' | 'NOT linearizable' | 'undecided'
}

/** Judges every key of a history; `stepsMax` bounds the search for each. */
export function judgeHistory({ about, staleDefaultUs, operations }: History, stepsMax: number): JudgedHistory {
  const law: KeyLaw = { staleDefaultUs, stepsMax }
  const keys = [...operationsByKey(operations)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, ofKey]): JudgedKey => {
      const verdict = judgeKey(ofKey, law)
      const cause = verdict.kind === 'violation' ? smallestCause(ofKey, verdict, law) : []
      return { key, operations: ofKey, verdict, cause }
    })
  return { about, law, keys, verdict: verdictOf(keys) }
}

function verdictOf(keys: readonly JudgedKey[]): JudgedHistory['verdict'] {
  if (keys.some(({ verdict }) => verdict.kind === 'violation')) return 'NOT linearizable'
  return keys.some(({ verdict }) => verdict.kind === 'undecided') ? 'undecided' : 'linearizable'
}

/** Maximum number of shown operations of an order: the last ones matter. */
const orderShown = 10
const causeShown = 20

/** The report of a judged history for readers. */
export function historyLines(file: string, { about, law, keys, verdict }: JudgedHistory): readonly string[] {
  const count = keys.reduce((sum, { operations }) => sum + operations.length, 0)
  const lines = [`${file}: ${countText(count, 'operation')} on ${countText(keys.length, 'key')}`]
  if (about !== undefined) lines.push(`  ${about}`)
  if (law.staleDefaultUs > 0) lines.push(`  reads of default consistency may be up to ${law.staleDefaultUs} us old`)
  const stale = keys.reduce((sum, { operations }) => sum + operations.filter(isStale).length, 0)
  if (stale > 0) lines.push(`  ${countText(stale, 'stale read')} not judged: they may be old`)
  return [...lines, ...keys.flatMap(keyLines), `verdict: ${verdict}`]
}

function isStale({ kind, consistency }: KeyOperation): boolean {
  return kind === 'read' && consistency === 'stale'
}

function keyLines({ key, operations, verdict, cause }: JudgedKey): readonly string[] {
  const head = `key '${key}', ${countText(operations.length, 'operation')}`
  if (verdict.kind === 'linearizable') return [`${head}: linearizable`]
  if (verdict.kind === 'undecided') return [`${head}: undecided, the search was given up after ${verdict.steps} steps`]
  const { blocked, order, held } = verdict
  const first = Math.max(0, order.length - orderShown)
  return [
    `${head}: NOT linearizable`,
    `  cannot be ordered: ${operationText(blocked)}`,
    `  what was answered before has an order, and the key then held ${valueText(held)}${first > 0 ? '; its end' : ''}:`,
    ...order.slice(first).map((operation, at) => `    ${first + at + 1}. ${operationText(operation)}`),
    '  these already have no order:',
    ...cause.slice(0, causeShown).map((operation) => `    ${operationText(operation)}`),
    ...(cause.length > causeShown ? [`    and ${cause.length - causeShown} more`] : []),
  ]
}

function countText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
