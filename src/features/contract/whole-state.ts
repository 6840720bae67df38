import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'

/** The whole state, for the few commands that replace it. Its methods depend on their arguments alone. */
export interface WholeState {
  /**
   * Parses a piece of a new state, so that little is left to do when the last one has arrived. Offset 0 begins another
   * state.
   */
  prepare(offset: number, bytes: Uint8Array): void
  /**
   * Replaces the present state by that of these pieces, which were passed to `prepare`, as soon as the command is over,
   * except for what the cluster keeps about itself. Returns a reader of the new state with its index, or why this
   * server cannot use it. Another release may be able to use it, so a command must not continue without it.
   */
  replace(sizeBytes: number, pieces: () => Iterable<Uint8Array>): Result<ReadTransaction, string>
}

/** This server's check of a new state, which is parsed while its pieces arrive. */
export interface ComingStateCheck {
  /** What is wrong with the pieces so far; undefined if nothing is, or nothing is known about them. */
  fault(): string | undefined
  /** Whether the present pieces form a whole state that this server can use. */
  check(): Promise<Result<undefined, string>>
}

/** Copies of the state, each as of one index, while callers read them. */
export interface StateArchives {
  /** The present state. It stays open until it has been read to its end, or for a while after the last read. */
  open(): Result<OpenedState, Failure>
  /** The bytes after `offset`, about 128 KiB; empty at the end. `offset` continues the last piece, or repeats it. */
  next(id: string, offset: number): Result<Uint8Array, Failure>
  /** The caller has finished. Closing an unknown one is not an error. */
  close(id: string): void
}

export interface OpenedState {
  readonly id: string
  readonly index: ModifyIndex
}
