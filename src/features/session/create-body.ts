import { ofNanoseconds, parseDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { membershipCheckId } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { lockDelayDefaultMs } from '../../model/limits.ts'
import type { JsonSchema } from '../contract/operation.ts'
import { type Decoder, decodeBody, decoder, list, nullable, object, text } from '../http/json-body.ts'
import type { CreateArgs } from './endpoint.ts'
import type { SessionBehaviour } from './model.ts'

const nanoseconds = 1e6
/** A bare number of the lock delay below this is in seconds: an early mistake of clients that the field kept. */
const secondsBelow = 1000

const lockDelaySchema: JsonSchema = {
  type: ['string', 'number'],
  description: `A duration with its unit, or a number: of nanoseconds from ${secondsBelow} on, of seconds below.`,
}

/** A text with a unit, or a number; decoded to nanoseconds. */
const lockDelay: Decoder<number> = decoder(lockDelaySchema, (value, _place, report) => {
  const given = lockDelayNs(value)
  // A longer one would be in every list of sessions, which clients could then not read.
  if (given !== undefined && given >= 0 && ofNanoseconds(given) !== undefined) return given
  if (typeof value === 'string') report.malformed(`time: invalid duration ${JSON.stringify(value)}`)
  else report.malformed('LockDelay is neither a duration nor a number of nanoseconds')
  return 0
})

function lockDelayNs(value: unknown): number | undefined {
  if (value === undefined || value === null) return lockDelayDefaultMs * nanoseconds
  if (typeof value === 'string') {
    const parsed = parseDuration(value)
    return parsed.ok ? Math.round(parsed.value * nanoseconds) : undefined
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined
  const amount = Math.trunc(Number(value))
  return amount < secondsBelow ? amount * 1000 * nanoseconds : amount
}

export const createBody = object({
  Name: text,
  Node: text,
  Checks: nullable(list(text)),
  LockDelay: lockDelay,
  Behavior: text,
  TTL: text,
})

const behaviours: Readonly<Record<string, SessionBehaviour>> = { '': 'release', release: 'release', delete: 'delete' }

/** Parses the body of a creation; an empty body takes the defaults. Reference: keys.md#session-create-body. */
export function createArgsOf(body: Uint8Array, ownNode: string): Result<CreateArgs, Failure> {
  const decoded = body.length === 0 ? ok(nothingAsked) : decodeBody(body, createBody)
  if (!decoded.ok) return decoded
  const { Name, Node, Checks, LockDelay, Behavior, TTL } = decoded.value
  const behaviour = Object.hasOwn(behaviours, Behavior) ? behaviours[Behavior] : undefined
  if (behaviour === undefined) return err({ kind: 'bad-request', message: `Invalid Behavior setting '${Behavior}'` })
  const ttlMs = ttlOf(TTL)
  if (!ttlMs.ok) return ttlMs
  return ok({
    name: Name,
    node: Node === '' ? ownNode : Node,
    checks: Checks ?? [membershipCheckId],
    behaviour,
    lockDelayNs: LockDelay,
    ttl: TTL,
    ttlMs: ttlMs.value,
  })
}

const nothingAsked = {
  Name: '',
  Node: '',
  Checks: null,
  LockDelay: lockDelayDefaultMs * nanoseconds,
  Behavior: '',
  TTL: '',
}

/** Milliseconds; 0 for none. The leader checks the limits. */
function ttlOf(text: string): Result<number, Failure> {
  if (text === '') return ok(0)
  const parsed = parseDuration(text)
  if (parsed.ok) return parsed
  const why = `time: invalid duration ${JSON.stringify(text)}`
  return err({ kind: 'bad-request', message: `Session TTL '${text}' invalid: ${why}` })
}
