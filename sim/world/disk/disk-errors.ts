import { type Err, err } from '../../../src/base/result.ts'
import type { DiskFailure } from '../../../src/env/disk.ts'
import type { Draws } from '../decisions/draws.ts'

/** Operations on files and names that a fault can make fail, with what the trace says of each. */
const failures = {
  sync: 'syncs fail',
  read: 'reads fail',
  write: 'writes fail',
  resize: 'resizes fail',
  open: 'opens fail',
  rename: 'renames fail',
  remove: 'removals fail',
  list: 'listings fail',
  stat: 'looks at files fail',
  'make directory': 'new directories fail',
} as const
export type FailingOperation = keyof typeof failures
export const failingOperations = Object.keys(failures) as readonly FailingOperation[]

/** Which operations fail until further notice. */
export interface LastingErrors {
  readonly operations: readonly FailingOperation[]
  /** Files and directories whose operations fail, by path. */
  readonly files: RegExp
  /** Of each operation. */
  readonly chance: number
}

/** Operations that a read-only file system refuses; a file that is only to be read is opened. */
const changing: ReadonlySet<FailingOperation> = new Set([
  'write',
  'resize',
  'sync',
  'rename',
  'remove',
  'make directory',
])

/** Which operations of one disk fail: a number of the next ones, or those of `LastingErrors`. */
export class DiskErrors {
  readonly #trace: (text: string, value: number) => void
  readonly #next = new Map<FailingOperation, number>()
  #lasting: LastingErrors | undefined
  /** Files that cannot be changed; undefined: all can. */
  #readOnly: RegExp | undefined

  constructor(trace: (text: string, value: number) => void) {
    this.#trace = trace
  }

  /** Whether any operation may fail from now on. */
  get areDue(): boolean {
    return (
      this.#lasting !== undefined || this.#readOnly !== undefined || [...this.#next.values()].some((count) => count > 0)
    )
  }

  /** The next `count` operations of this kind fail. */
  fail(operation: FailingOperation, count: number): void {
    this.#next.set(operation, count)
    this.#trace(failures[operation], count)
  }

  /** Undefined: operations no longer fail for this reason. */
  set(lasting: LastingErrors | undefined): void {
    if (this.#lasting === undefined && lasting === undefined) return
    this.#lasting = lasting
    this.#trace(lasting === undefined ? 'errors end' : textOf(lasting), 0)
  }

  /** The file system is mounted read-only, as the operating system does after an error. Undefined: it is no longer. */
  setReadOnly(files: RegExp | undefined): void {
    if (this.#readOnly === undefined && files === undefined) return
    this.#readOnly = files
    this.#trace(files === undefined ? 'errors end' : 'is read-only', 0)
  }

  /** None of the next operations fails because it was told to. */
  mend(): void {
    for (const [operation, count] of this.#next) if (count > 0) this.fail(operation, 0)
  }

  /** Why the present operation fails; undefined: it does not. `mayChange`: it makes changes, or prepares them. */
  failureOf(
    operation: FailingOperation,
    path: string,
    draws: Draws,
    mayChange = changing.has(operation),
  ): Err<DiskFailure> | undefined {
    const left = this.#next.get(operation) ?? 0
    if (left > 0) {
      this.#next.set(operation, left - 1)
      return inputOutputError(operation, path)
    }
    if (mayChange && this.#readOnly?.test(path) === true) return readOnly(operation, path)
    if (this.#lasting === undefined) return undefined
    const { operations, files, chance } = this.#lasting
    if (!operations.includes(operation) || !files.test(path) || !draws.chance(chance)) return undefined
    return inputOutputError(operation, path)
  }
}

function textOf({ operations, files, chance }: LastingErrors): string {
  const which = operations.length === failingOperations.length ? 'operations' : operations.join(', ')
  return `${Math.round(chance * 1000) / 10}% of ${which} fail at ${files.source}`
}

function inputOutputError(operation: FailingOperation, path: string): Err<DiskFailure> {
  return err({ kind: 'io', path, message: `${operation}: input/output error` })
}

/** A failed sync says nothing about the disk, for whatever reason. */
function readOnly(operation: FailingOperation, path: string): Err<DiskFailure> {
  const kind = operation === 'sync' ? 'io' : 'permission'
  return err({ kind, path, message: `${operation}: read-only file system` })
}
