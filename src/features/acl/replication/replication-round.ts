import { ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ServerAccess } from '../../contract/access-control.ts'
import type { Answer, ReadOptions } from '../../contract/reading.ts'
import type { QueryEndpoint, ServerContext } from '../../contract/server-context.ts'
import type { InMode } from '../asked.ts'

/** One comparison with the primary datacenter, and the resulting changes here. */
export interface Round {
  readonly server: ServerContext
  readonly access: ServerAccess
  /** Index of the primary up to which everything is replicated: a round waits until there is something later. */
  readonly after: number
  /** Whether leadership has ended, so that nothing more may be written. */
  over(): boolean
}

/** Index of the primary up to which everything is replicated now. */
export type RoundDone = Result<number, Failure>

/** How long a round waits for a change. Then it compares everything again, whatever the index says. */
const roundWaitMs = 30_000

/** Reads from the primary datacenter with the replication token. `waitAfter` is an index; 0 does not wait. */
export function askPrimary<Args, Reply>(
  { server, access }: Pick<Round, 'server' | 'access'>,
  endpoint: QueryEndpoint<Args, Reply>,
  args: Args,
  waitAfter: number,
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

/** As `askPrimary`, for reads that exist only in the new mode. */
export async function askNewPrimary<Args, T>(
  round: Pick<Round, 'server' | 'access'>,
  endpoint: QueryEndpoint<Args, InMode<T>>,
  args: Args,
  waitAfter: number,
): Promise<Result<{ readonly found: T; readonly index: number }, Failure>> {
  const answer = await askPrimary(round, endpoint, args, waitAfter)
  if (!answer.ok) return answer
  const { value, meta } = answer.value
  if (value.mode === 'new') return ok({ found: value.found, index: meta.index })
  return { ok: false, error: { kind: 'legacy-access-control', message: 'the primary datacenter is in legacy mode' } }
}

/** Splits the list into parts of at most this size. */
export function* inBatches<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
}

/** What to take over and what to remove, by the IDs and hashes of both sides. */
export function compared(
  theirs: readonly { readonly id: string; readonly hash: string }[],
  ours: readonly { readonly id: string; readonly hash: string }[],
): { readonly changed: readonly string[]; readonly gone: readonly string[] } {
  const here = new Map(ours.map(({ id, hash }) => [id, hash]))
  const there = new Set(theirs.map(({ id }) => id))
  return {
    changed: theirs.filter(({ id, hash }) => here.get(id) !== hash).map(({ id }) => id),
    gone: ours.filter(({ id }) => !there.has(id)).map(({ id }) => id),
  }
}
