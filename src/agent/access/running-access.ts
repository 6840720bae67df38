import type { Failure } from '../../model/failure.ts'
import type { Authorizers } from './authorizers.ts'
import type { AccessMode } from './mode-tags.ts'
import type { TokenResolver } from './resolver.ts'

/** Access control of one agent, where it is on. */
export interface RunningAccess {
  readonly resolver: TokenResolver
  readonly authorizers: Authorizers
  mode(): AccessMode
  /** Why this server cannot serve the new kind of tokens yet; absent on a client, which leaves that to the servers. */
  refusesNew(): Failure | undefined
}
