import { isRecord } from '../../base/shape.ts'
import type { Env } from '../../env/env.ts'
import type { WriteIdentity } from '../../features/contract/command.ts'
import { isByteText } from '../../features/contract/fields.ts'
import type { ReadOptions } from '../../features/contract/reading.ts'
import { blockingJitterFraction, blockingWaitDefaultMs, blockingWaitMaxMs } from '../../model/limits.ts'
import { modifyIndexOf, noChange } from '../../model/log-position.ts'
import { tokenMax } from '../access/rights.ts'

/** Maximum length of the name of a datacenter or an origin. */
const nameMax = 128

/** What an agent asks of an endpoint, on the way to the server that answers. */
export interface EndpointRequest {
  /** The endpoint's arguments, unchecked. */
  readonly args: unknown
  readonly read?: ReadOptions | undefined
  readonly identity?: WriteIdentity | undefined
  /** The datacenter of a write; a read has it among its options. */
  readonly datacenter?: string | undefined
  /** The secret of the request's token; absent: the anonymous token. Never to be shown. */
  readonly token?: string | undefined
}

/** Empty if the request names none. */
export function datacenterOf({ datacenter, read }: EndpointRequest): string {
  return datacenter ?? read?.datacenter ?? ''
}

/** A request that one agent sends to another. */
interface ReceivedRequest extends EndpointRequest {
  /** The request comes from a client agent: the server forwards it to the one that must answer. */
  readonly forward: boolean | undefined
}

/**
 * Parses the body of a request between agents; undefined if it is malformed. Written by hand, because every request of
 * the cluster passes here; it ignores unknown members, which newer releases may send.
 */
export function readRequest(body: unknown): ReceivedRequest | undefined {
  if (!isRecord(body) || !('args' in body)) return undefined
  const { args, forward, datacenter, token } = body
  if (forward !== undefined && typeof forward !== 'boolean') return undefined
  if (datacenter !== undefined && (typeof datacenter !== 'string' || datacenter.length > nameMax)) return undefined
  if (token !== undefined && (typeof token !== 'string' || token.length > tokenMax)) return undefined
  const read = body['read'] === undefined ? undefined : readOptionsOf(body['read'])
  if (read === undefined && body['read'] !== undefined) return undefined
  const identity = body['identity'] === undefined ? undefined : identityOf(body['identity'])
  if (identity === undefined && body['identity'] !== undefined) return undefined
  return { args, read, identity, forward, datacenter, token }
}

function readOptionsOf(value: unknown): ReadOptions | undefined {
  if (!isRecord(value)) return undefined
  const { consistency, minIndex, waitMs, maxStaleMs, datacenter } = value
  if (consistency !== 'default' && consistency !== 'consistent' && consistency !== 'stale') return undefined
  if (!isAmount(minIndex) || !isAmount(waitMs) || !isAmount(maxStaleMs) || waitMs > blockingWaitMaxMs) return undefined
  if (typeof datacenter !== 'string' || datacenter.length > nameMax) return undefined
  return { consistency, minIndex: modifyIndexOf(minIndex), waitMs, maxStaleMs, datacenter }
}

function identityOf(value: unknown): WriteIdentity | undefined {
  if (!isRecord(value)) return undefined
  const { origin, sequence } = value
  // It becomes the key of a row: a snapshot with one that is not a byte string could not be read again.
  if (!isByteText(origin) || origin.length === 0 || origin.length > nameMax) return undefined
  return isAmount(sequence) && Number.isSafeInteger(sequence) ? { origin, sequence } : undefined
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
}

/** Maximum wait of a blocking read, before jitter. */
export function waitOf(read: ReadOptions): number {
  return read.waitMs === 0 ? blockingWaitDefaultMs : Math.min(read.waitMs, blockingWaitMaxMs)
}

/**
 * The wait of a blocking read and a drawn part of it, so that reads that began together do not end together.
 * `drawnFor` names the stream of draws.
 */
export function drawnWaitMs({ random }: Pick<Env, 'random'>, drawnFor: 'served' | 'shared', read: ReadOptions): number {
  const waitMs = waitOf(read)
  return waitMs + random.draws('blocking.jitter', drawnFor).fraction() * (waitMs / blockingJitterFraction)
}

/**
 * A request that is sent again when `elapsedMs` of its time have passed: a blocking read waits only for the rest of its
 * wait, and reads at once where nothing is left. Otherwise each change of leader would make the caller wait once more.
 */
export function withRestOfWait(request: EndpointRequest, elapsedMs: number): EndpointRequest {
  const { read } = request
  if (read === undefined || read.minIndex === noChange || elapsedMs <= 0) return request
  const leftMs = waitOf(read) - elapsedMs
  const rest = leftMs > 0 ? { waitMs: leftMs } : { waitMs: 0, minIndex: noChange }
  return { ...request, read: { ...read, ...rest } }
}

/** Options of the agent's own reads that need the present state. */
export const freshRead: ReadOptions = {
  consistency: 'default',
  minIndex: noChange,
  waitMs: 0,
  maxStaleMs: 0,
  datacenter: '',
}
