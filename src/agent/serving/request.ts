import type { ReadOptions } from '../../features/contract/reading.ts'
import type { WriteIdentity } from '../../features/contract/server-context.ts'
import { blockingWaitDefaultMs, blockingWaitMaxMs } from '../../model/limits.ts'

/** The longest name of a datacenter or an origin that is looked at. */
const nameMax = 128
/** A longer token is none that there could be, and is looked at no further: bound of keys of caches. */
export const tokenMax = 4_096

export interface AgentRequest {
  /** The endpoint's arguments, not yet checked. */
  readonly args: unknown
  readonly read?: ReadOptions | undefined
  readonly identity?: WriteIdentity | undefined
  /** Of a write for another datacenter; a read says it among its options. */
  readonly datacenter?: string | undefined
  /** The secret of the token that the request is made with; absent: the anonymous one. Never to be shown. */
  readonly token?: string | undefined
}

/** Empty where none is named. */
export function datacenterOf({ datacenter, read }: AgentRequest): string {
  return datacenter ?? read?.datacenter ?? ''
}

/** What one agent asks of another. */
export interface ReceivedRequest extends AgentRequest {
  /** From a client agent: the server that receives it forwards it to the one that must answer. */
  readonly forward: boolean | undefined
}

/**
 * Reads the body of a request between agents; undefined if it is none. By hand, for every request of the cluster passes
 * here; members that it does not know are those of newer releases.
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
  return { consistency, minIndex, waitMs, maxStaleMs, datacenter }
}

function identityOf(value: unknown): WriteIdentity | undefined {
  if (!isRecord(value)) return undefined
  const { origin, sequence } = value
  if (typeof origin !== 'string' || origin.length === 0 || origin.length > nameMax) return undefined
  return isAmount(sequence) && Number.isSafeInteger(sequence) ? { origin, sequence } : undefined
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How long a blocking read may wait, before jitter. */
export function waitOf(read: ReadOptions): number {
  return read.waitMs === 0 ? blockingWaitDefaultMs : Math.min(read.waitMs, blockingWaitMaxMs)
}
