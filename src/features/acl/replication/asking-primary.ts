import { ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ModifyIndex } from '../../../model/log-position.ts'
import type { ServerAccess } from '../../contract/access-control.ts'
import type { QueryEndpoint } from '../../contract/endpoint.ts'
import type { Answer, ReadOptions } from '../../contract/reading.ts'
import type { WithDatacenters, WithProposals, WithState } from '../../contract/server-context.ts'
import type { InMode } from '../asked.ts'

/** The server as far as replication uses it. */
export type CopyingServer = WithState & WithProposals & WithDatacenters

/** One comparison with the primary datacenter, and the resulting changes here. */
export interface Round {
  readonly server: CopyingServer
  readonly access: ServerAccess
  /** Index of the primary up to which everything is replicated: a round waits until there is something later. */
  readonly after: ModifyIndex
  /** Estimated size of the pages in which lists are read. */
  readonly pageBytes: number
  /** Whether leadership has ended, so that nothing more may be written. */
  over(): boolean
}

/** How long a round waits for a change. Then it compares everything again, whatever the index says. */
export const roundWaitMs = 30_000

/** Reads from the primary datacenter with the replication token. `waitAfter` is an index; 0 does not wait. */
export function askPrimary<Args, Reply>(
  { server, access }: Pick<Round, 'server' | 'access'>,
  endpoint: QueryEndpoint<Args, Reply>,
  args: Args,
  waitAfter: ModifyIndex,
): Promise<Result<Answer<Reply>, Failure>> {
  const read: ReadOptions = {
    consistency: 'default',
    minIndex: waitAfter,
    waitMs: waitAfter === 0 ? 0 : roundWaitMs,
    maxStaleMs: 0,
    datacenter: access.primaryDatacenter,
  }
  return server.readElsewhere(endpoint, args, read, access.replicationToken())
}

/** What the primary datacenter answered, and the index of the answer. */
export interface Told<T> {
  readonly found: T
  readonly index: ModifyIndex
}

/** As `askPrimary`, for reads that exist only in the new mode. */
export async function askNewPrimary<Args, T>(
  round: Pick<Round, 'server' | 'access'>,
  endpoint: QueryEndpoint<Args, InMode<T>>,
  args: Args,
  waitAfter: ModifyIndex,
): Promise<Result<Told<T>, Failure>> {
  const answer = await askPrimary(round, endpoint, args, waitAfter)
  if (!answer.ok) return answer
  const { value, meta } = answer.value
  if (value.mode === 'new') return ok({ found: value.found, index: meta.index })
  return { ok: false, error: { kind: 'legacy-access-control', message: 'the primary datacenter is in legacy mode' } }
}
