import type { Consistency } from '../../../src/features/contract/reading.ts'

/** An operation of a client on one key, and its result. Times are microseconds of true time. */
export interface KeyOperation {
  /** `client 3 of shoppers`, for readers. */
  readonly client: string
  readonly key: string
  readonly kind: 'read' | 'write' | 'cas' | 'delete'
  /** The value of a write or CAS: unique in the whole run. */
  readonly value: string | undefined
  /** The value that a CAS expects; undefined: no such key. */
  readonly expected: string | undefined
  readonly consistency: Consistency
  readonly callUs: number
  returnUs: number
  /**
   * `refused`: a CAS that found another value. `unknown`: no answer, or one that does not tell whether it took effect.
   */
  outcome: 'ok' | 'refused' | 'unknown'
  /** What a read found; undefined: no such key. */
  found: string | undefined
  /** Trace events of its call and its answer, if a trace is recorded. */
  calledIn?: number
  answeredIn?: number
}

/** The trace events of operations, as causes of a violation. */
export function eventsOf(...operations: readonly KeyOperation[]): readonly number[] {
  return operations.flatMap(({ calledIn = 0, answeredIn = 0 }) => [answeredIn, calledIn])
}

/** One line of an operation, for a report. */
export function operationText(operation: KeyOperation): string {
  const end = operation.outcome === 'unknown' ? 'never answered' : secondsText(operation.returnUs)
  return `${deedText(operation)}, ${operation.client}, ${secondsText(operation.callUs)}..${end}`
}

/** The operation and its result, as text. */
export function deedText({ kind, consistency, value, expected, found, outcome }: KeyOperation): string {
  switch (kind) {
    case 'read':
      return outcome === 'ok' ? `${consistency} read found ${valueText(found)}` : `${consistency} read`
    case 'write':
      return `write of ${valueText(value)}`
    case 'cas':
      return `CAS from ${valueText(expected)} to ${valueText(value)}${outcome === 'refused' ? ' (refused)' : ''}`
    default:
      return 'delete'
  }
}

export function valueText(value: string | undefined): string {
  return value === undefined ? 'nothing' : `'${value}'`
}

/** Microseconds as seconds with the full precision: `12.345678s`. */
export function secondsText(us: number): string {
  const whole = Math.floor(us / 1_000_000)
  return `${whole}.${String(us - whole * 1_000_000).padStart(6, '0')}s`
}

/** A key as one answer has it. */
export interface ListedKey {
  readonly key: string
  readonly value: string
  readonly modifyIndex: number
}
