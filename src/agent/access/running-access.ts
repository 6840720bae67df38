import type { Failure } from '../../model/failure.ts'
import type { Authorizers } from './authorizers.ts'
import type { AccessMode } from './mode-tags.ts'
import type { TokenResolver } from './resolver.ts'

/** Access control of one agent that has it on. */
export interface RunningAccess {
  readonly resolver: TokenResolver
  readonly authorizers: Authorizers
  mode(): AccessMode
  /** Of a server; a client leaves it to the servers. */
  refusesNew(): Failure | undefined
}
