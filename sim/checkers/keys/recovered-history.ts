import type { KeyOperation } from './key-history.ts'

/** An operator forced the remaining servers of a cluster to continue without the end of their log. */
export interface Recovery {
  readonly atUs: number
  /** Each key's value after the last entry that was kept; undefined: none. */
  readonly heldOf: (key: string) => string | undefined
  /** Whether the write of this value is known to be among the kept entries. */
  readonly isKept: (value: string) => boolean
}

/**
 * The history of one key, split where the cluster was recovered, so that each part is judged by itself, as a key of its
 * own. The recovery may have lost earlier operations, acknowledged or not, and nothing else. So the second part begins
 * with the key's value after the last kept entry, and every earlier change that may be lost may take effect later,
 * once, or never.
 */
export function partsOf(key: string, operations: readonly KeyOperation[], recovery: Recovery): readonly KeyOperation[] {
  const { atUs, heldOf, isKept } = recovery
  const before = operations
    .filter(({ callUs }) => callUs < atUs)
    .map((operation) => (operation.returnUs <= atUs ? operation : unknown(operation)))
  const open = operations
    .filter(({ callUs, returnUs, kind }) => callUs < atUs && (returnUs > atUs || kind !== 'read'))
    .filter(({ value, outcome }) => outcome !== 'refused' && (value === undefined || !isKept(value)))
    .map((operation) => ({ ...(operation.returnUs > atUs ? operation : unknown(operation)), callUs: atUs + 1 }))
  const after = operations.filter(({ callUs }) => callUs >= atUs)
  const second = [held(key, atUs, heldOf(key)), ...open, ...after.map((operation) => later(operation, atUs + 1))]
  const [, first = key, next = key] = registersOf(key)
  return [...named(first, before), ...named(next, second)]
}

/** The names under which the history of a key may be judged: its own name, and those of its parts. */
export function registersOf(key: string): readonly string[] {
  return [key, `${key} before the recovery`, `${key} after the recovery`]
}

function named(key: string, operations: readonly KeyOperation[]): readonly KeyOperation[] {
  return operations.map((operation) => ({ ...operation, key }))
}

/** The answered operations that the recovery may have lost. */
export function lostOf(
  answered: readonly KeyOperation[],
  { atUs, isKept }: Pick<Recovery, 'atUs' | 'isKept'>,
): readonly KeyOperation[] {
  return answered.filter(
    ({ kind, outcome, value, returnUs }) =>
      returnUs <= atUs && kind !== 'read' && outcome === 'ok' && (value === undefined || !isKept(value)),
  )
}

function unknown(operation: KeyOperation): KeyOperation {
  return { ...operation, outcome: 'unknown', returnUs: Number.POSITIVE_INFINITY, found: undefined }
}

function later(operation: KeyOperation, callUs: number): KeyOperation {
  return operation.callUs >= callUs ? operation : { ...operation, callUs }
}

function held(key: string, atUs: number, value: string | undefined): KeyOperation {
  return {
    client: 'the recovery',
    key,
    kind: value === undefined ? 'delete' : 'write',
    value,
    expected: undefined,
    consistency: 'default',
    callUs: atUs,
    returnUs: atUs,
    outcome: 'ok',
    found: undefined,
  }
}
