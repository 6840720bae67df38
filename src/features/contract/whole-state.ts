import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { ReadTransaction } from '../../store/types.ts'

/** The whole state, for the few commands that put another one in its place. What it does depends on what it is given alone. */
export interface WholeState {
  /** Reads a piece of a state to come, so that nothing is left to do when its last has come. From offset 0 on it is a new one. */
  prepare(offset: number, bytes: Uint8Array): void
  /**
   * The state of these pieces, which are those that were prepared, takes the place of this one as soon as the command is over,
   * but for what the cluster keeps of itself. Gives it to be read, with the index at which it was taken; or what is wrong with
   * it. What is wrong with it for this server may be right for one of another release: a command must not go on without it.
   */
  replace(sizeBytes: number, pieces: () => Iterable<Uint8Array>): Result<ReadTransaction, string>
}

/** What this server makes of a state that comes: it is read while its pieces come. */
export interface ComingStateCheck {
  /** What is wrong with the pieces so far; undefined also where nothing is known of them. */
  fault(): string | undefined
  /** Whether the pieces that are there are a whole state that this server could go on with. */
  check(): Promise<Result<undefined, string>>
}

/** States as of one index each, while somebody reads them. */
export interface StateArchives {
  /** The state now. It stays open until its end has been read, or for a while after the last that was. */
  open(): Result<OpenedState, Failure>
  /** What follows `offset`, some 128 KiB; nothing at the end. `offset`: as far as it has been read, or the last piece again. */
  next(id: string, offset: number): Result<Uint8Array, Failure>
  /** Nobody will read on. One that is not open is no mistake. */
  close(id: string): void
}

export interface OpenedState {
  readonly id: string
  readonly index: number
}
