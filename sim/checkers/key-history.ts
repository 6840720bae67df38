import type { Consistency } from '../../src/features/manifest.ts'

/** What a client asked of one key, and what it learnt. Times are microseconds of true time. */
export interface KeyOperation {
  /** `client 3 of shoppers`, for people. */
  readonly client: string
  readonly key: string
  readonly kind: 'read' | 'write' | 'cas' | 'delete'
  /** What a write or CAS puts there: unique in the whole run. */
  readonly value: string | undefined
  /** What a CAS expects to find; undefined: no such key. */
  readonly expected: string | undefined
  readonly consistency: Consistency
  readonly callUs: number
  returnUs: number
  /** `refused`: a CAS that found something else. `unknown`: no answer, or one that does not tell whether it happened. */
  outcome: 'ok' | 'refused' | 'unknown'
  /** What a read found; undefined: no such key. */
  found: string | undefined
}

/** One line of an operation, for a report. */
export function operationText(operation: KeyOperation): string {
  const { kind, value, expected, found, outcome } = operation
  const shown = (text: string | undefined): string => (text === undefined ? 'nothing' : `'${text}'`)
  const what =
    kind === 'read'
      ? `${operation.consistency} read found ${shown(found)}`
      : kind === 'write'
        ? `write of ${shown(value)}`
        : kind === 'cas'
          ? `CAS from ${shown(expected)} to ${shown(value)}${outcome === 'refused' ? ' (refused)' : ''}`
          : 'delete'
  const end = outcome === 'unknown' ? 'never answered' : secondsText(operation.returnUs)
  return `${what}, ${operation.client}, ${secondsText(operation.callUs)}..${end}`
}

/** Microseconds as seconds with the full precision: `12.345678s`. */
function secondsText(us: number): string {
  const whole = Math.floor(us / 1_000_000)
  return `${whole}.${String(us - whole * 1_000_000).padStart(6, '0')}s`
}
