import type { Result } from '../base/result.ts'
import type { WriteIdentity } from '../features/manifest.ts'
import type { Failure } from '../model/failure.ts'
import type { Entry } from '../raft/core/types.ts'
import type { Store } from '../store/store.ts'
import type { OnceApplied } from './forwarded-writes.ts'

/** A command that was carried out, and what came of it. */
export interface Carried {
  readonly kind: string
  readonly identity: WriteIdentity | undefined
  /** A failure if the write is too old to tell whether it is a repeat. */
  readonly result: Result<OnceApplied, Failure>
}

/**
 * Lets the servers of a simulation share what they would all compute: a command is carried out once for all that hold the
 * very same state. Production runs without one.
 */
export interface SharedCommands {
  /** Moves the store on from `before`, its state now, by this entry, and says what came of it; or leaves that to the server. */
  recall(store: Store, before: object, entry: Entry): Carried | undefined
  /** The server has carried the entry out on the state `before`. */
  keep(store: Store, before: object, entry: Entry, carried: Carried): void
}
