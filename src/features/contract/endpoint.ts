import type { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Labels } from '../../env/observe.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import type { Release } from '../../model/release.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { Access, ReadAccess } from './access.ts'
import type { WriteIdentity } from './command.ts'
import type { WithMeshSettings } from './mesh.ts'

/**
 * An endpoint of a server. `write`: served by the leader. `query`: a read of the store; the caller's consistency mode
 * decides which server answers, and blocking is generic. `server`: served by whichever server is asked.
 *
 * `Server` is what an endpoint needs of the server that serves it. Agents that only ask leave it out: without it, an
 * endpoint can be named but not served.
 */
export type EndpointDefinition<Server = never> =
  | WriteEndpoint<unknown, unknown, Server>
  | QueryEndpoint
  | ServerEndpoint<unknown, unknown, Server>

export interface WriteEndpoint<Args = unknown, Reply = unknown, Server = never> {
  readonly method: string
  readonly kind: 'write'
  readonly args: z.ZodType<Args>
  /** Checked by the asking agent, because the server may be of another release (`reply.ts`). */
  readonly reply: z.ZodType<Reply>
  readonly access: Access<Args>
  serve(
    server: Server,
    args: Args,
    identity: WriteIdentity | undefined,
    authorizer: Authorizer,
  ): Promise<Result<Reply, Failure>>
  /**
   * For a write that can end the rights of its own caller: the answer to a call that is sent again because its answer
   * was lost. It is given before any right is judged, so it is made of the outcome of the first attempt, whose rights
   * were judged, and shows nothing that this attempt did not. A failure counts only for a caller without rights.
   * Undefined: no attempt is known to have taken effect.
   */
  repeated?(server: Server, args: Args, identity: WriteIdentity): Result<Reply, Failure> | undefined
}

/** A metric of its own for each pair of name and labels. */
export interface CountedMetric {
  readonly name: string
  readonly labels: Labels
}

export interface QueryEndpoint<Args = unknown, Reply = unknown> {
  readonly method: string
  readonly kind: 'query'
  readonly args: z.ZodType<Args>
  /** Checked by the asking agent, because the server may be of another release (`reply.ts`). */
  readonly reply: z.ZodType<Reply>
  readonly access: ReadAccess<Args, Reply>
  /**
   * Pure in the transaction, the arguments, and the server's release: the newest one if absent. `index` is the one at
   * which this result last changed; 0 is answered as 1.
   */
  query(tx: ReadTransaction, args: Args, release?: Release): { readonly index: ModifyIndex; readonly value: Reply }
  /** Why this server does not answer at all, whatever the state; undefined: it does. */
  unavailable?(server: WithMeshSettings): Failure | undefined
  /**
   * False: results are not cached, because they are made of data that the store does not hold anyway, and are rarely
   * requested twice.
   */
  readonly kept?: false
  /** Metrics that count an answer. */
  counts?(args: Args, value: Reply): readonly CountedMetric[]
  /** What is sent to other agents in place of a value that is not plain data. */
  packed?(value: Reply): unknown
}

export interface ServerEndpoint<Args = unknown, Reply = unknown, Server = never> {
  readonly method: string
  readonly kind: 'server'
  readonly args: z.ZodType<Args>
  /** Checked by the asking agent, because the server may be of another release (`reply.ts`). */
  readonly reply: z.ZodType<Reply>
  /** Asks the leader unless the caller said `stale`. */
  readonly leader: boolean
  readonly access: Access<Args>
  serve(server: Server, args: Args, authorizer: Authorizer): Promise<Result<Reply, Failure>>
}
