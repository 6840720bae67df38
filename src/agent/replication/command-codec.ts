import { packToKeepAfter, unpack } from '../../base/msgpack.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { CommandDefinition, WriteIdentity } from '../../features/contract/command.ts'
import type { Failure } from '../../model/failure.ts'
import { payloadBytesMax } from '../../raft/log/record.ts'

/** First byte of a command in the log. */
const formatVersion = 1

/** A command as it stands in the log: its kind, its unchecked body, and the forwarded write that it came from. */
export interface LoggedCommand {
  readonly kind: string
  readonly body: unknown
  readonly identity: WriteIdentity | undefined
}

export function encodeCommand<Body, Outcome>(
  command: Pick<CommandDefinition<Body, Outcome>, 'kind'>,
  body: Body,
  identity?: WriteIdentity,
): Uint8Array {
  const logged = identity === undefined ? { kind: command.kind, body } : { kind: command.kind, body, identity }
  const payload = packToKeepAfter(1, logged)
  payload[0] = formatVersion
  return payload
}

/** Refuses a command that exceeds the maximum size of a log entry: each leader in turn would stop at it. */
export function encodeToPropose<Body, Outcome>(
  command: Pick<CommandDefinition<Body, Outcome>, 'kind'>,
  body: Body,
  identity?: WriteIdentity,
): Result<Uint8Array, Failure> {
  const payload = encodeCommand(command, body, identity)
  if (payload.length <= payloadBytesMax) return ok(payload)
  const sizes = `it takes ${payload.length} bytes, and a log entry holds at most ${payloadBytesMax}`
  return err({ kind: 'too-large', message: `${command.kind}: ${sizes}` })
}

/** The bytes of the body share the payload's memory. */
export function decodeCommand(payload: Uint8Array): Result<LoggedCommand, string> {
  if (payload[0] !== formatVersion) return err(`format ${String(payload[0])}`)
  const value = unpack(payload.subarray(1))
  if (!value.ok) return value
  if (typeof value.value !== 'object' || value.value === null) return err('not a command')
  const { kind, body, identity } = value.value as Readonly<Record<string, unknown>>
  if (typeof kind !== 'string') return err('a command without a kind')
  if (identity === undefined) return ok({ kind, body, identity: undefined })
  return isIdentity(identity) ? ok({ kind, body, identity }) : err('a malformed identity')
}

function isIdentity(value: unknown): value is WriteIdentity {
  if (typeof value !== 'object' || value === null) return false
  const { origin, sequence } = value as Readonly<Record<string, unknown>>
  return typeof origin === 'string' && Number.isSafeInteger(sequence) && (sequence as number) >= 0
}
