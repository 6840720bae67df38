import { packAfter, spellsAtMost, unpack } from '../base/msgpack.ts'
import { err, ok, type Result } from '../base/result.ts'

/** Version of the framing. A peer with another one is told so and disconnected. */
export const rpcProtocol = 1

/**
 * Maximum size of a frame; a longer one closes the connection before any of it is kept, because the peer is broken or
 * not an agent.
 */
export const frameBytesMax = 8 << 20

/**
 * Maximum number of values in an unsolicited frame: 8 MiB of them, as the keys of a map or as empty arrays, would take
 * seconds to build. Requests between agents have some hundreds of values, and a registration with thousands of checks
 * some ten thousand; large contents are bytes, which are one value.
 */
const unaskedValuesMax = 1 << 16

/**
 * Maximum size of the first frame of a peer, a hello: before it the peer is a stranger, and must not make this agent hold
 * more.
 */
export const helloBytesMax = 16 << 10

/** Maximum number of characters of each text in a hello: names and addresses are shorter, and are stored and logged. */
const helloTextMax = 320

/**
 * A frame on a connection between two agents: a length (u32, big-endian), then MessagePack. `hello` is the first frame
 * in each direction. A `notice` is not answered. `cancel` says that the caller no longer waits for the answer.
 */
export type Frame =
  | { readonly kind: 'hello'; readonly hello: Hello }
  | {
      readonly kind: 'request'
      readonly id: number
      readonly method: string
      readonly body: unknown
      readonly deadlineMs: number
    }
  | { readonly kind: 'answer'; readonly id: number; readonly body: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'notice'; readonly topic: string; readonly bytes: Uint8Array }
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }

export interface Hello {
  readonly protocol: number
  readonly nodeId: string
  readonly nodeName: string
  readonly datacenter: string
  /** The sender's own listen address, or empty. */
  readonly address: string
}

const code = { hello: 0, request: 1, answer: 2, failure: 3, cancel: 4, notice: 5, ping: 6, pong: 7 } as const

export function encodeFrame(frame: Frame): Uint8Array {
  if (frame.kind === 'notice') return encodeNotice(frame.topic, frame.bytes)
  const out = packAfter(4, fieldsOf(frame))
  writeLength(out, 0, out.length - 4)
  return out
}

/**
 * Most frames between servers are notices, so these are encoded by hand, in the same MessagePack: an array of code,
 * topic and bytes. The topic is one of ours: short ASCII.
 */
function encodeNotice(topic: string, bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  const head = noticeHead + topic.length
  const sized = length < 0x100 ? 2 : length < 0x10000 ? 3 : 5
  const out = new Uint8Array(4 + head + sized + length)
  writeLength(out, 0, head + sized + length)
  out[4] = 0x93
  out[5] = code.notice
  out[6] = 0xa0 | topic.length
  for (let i = 0; i < topic.length; i++) out[7 + i] = topic.charCodeAt(i)
  const at = 4 + head
  out[at] = sized === 2 ? 0xc4 : sized === 3 ? 0xc5 : 0xc6
  if (sized === 2) out[at + 1] = length
  else if (sized === 3) {
    out[at + 1] = length >>> 8
    out[at + 2] = length
  } else writeLength(out, at + 1, length)
  out.set(bytes, at + sized)
  return out
}

/** The notice in the bytes after a length, if they have the form that `encodeNotice` writes. */
function decodeNotice(bytes: Uint8Array): Frame | undefined {
  if (bytes[0] !== 0x93 || bytes[1] !== code.notice) return undefined
  const topicLength = (bytes[2] as number) ^ 0xa0
  if (topicLength > 31) return undefined
  const at = noticeHead + topicLength
  const sized = (bytes[at] as number) - 0xc4
  if (!(sized >= 0 && sized <= 2)) return undefined
  const from = at + 1 + (1 << sized)
  let length = 0
  for (let i = at + 1; i < from; i++) length = length * 256 + (bytes[i] as number)
  if (from + length !== bytes.length) return undefined
  let topic = ''
  for (let i = noticeHead; i < at; i++) {
    const character = bytes[i] as number
    if (character > 0x7f) return undefined
    topic += String.fromCharCode(character)
  }
  return { kind: 'notice', topic, bytes: bytes.subarray(from) }
}

/** Size of the array's head, the code and the head of a short text. */
const noticeHead = 3

function writeLength(out: Uint8Array, at: number, length: number): void {
  out[at] = length >>> 24
  out[at + 1] = length >>> 16
  out[at + 2] = length >>> 8
  out[at + 3] = length
}

function fieldsOf(frame: Exclude<Frame, { kind: 'notice' }>): readonly unknown[] {
  switch (frame.kind) {
    case 'hello': {
      const { protocol, nodeId, nodeName, datacenter, address } = frame.hello
      return [code.hello, protocol, nodeId, nodeName, datacenter, address]
    }
    case 'request':
      return [code.request, frame.id, frame.method, frame.body, frame.deadlineMs]
    case 'answer':
      return [code.answer, frame.id, frame.body]
    case 'failure':
      return [code.failure, frame.id, frame.failure]
    case 'cancel':
      return [code.cancel, frame.id]
    case 'ping':
    case 'pong':
      return [code[frame.kind]]
  }
}

/** The frame in the bytes after a length. Byte strings inside alias the input. */
export function decodeFrame(bytes: Uint8Array, isAwaited: boolean): Result<Frame, string> {
  const notice = decodeNotice(bytes)
  if (notice !== undefined) return ok(notice)
  const isAnswer = bytes[1] === code.answer && isAwaited
  if (!isAnswer && bytes.length > unaskedValuesMax && !spellsAtMost(bytes, unaskedValuesMax)) {
    return err(`frame of more than ${unaskedValuesMax} values`)
  }
  const decoded = unpack(bytes)
  if (!decoded.ok) return decoded
  if (!Array.isArray(decoded.value)) return err('not a frame')
  const frame = frameFrom(decoded.value as readonly unknown[])
  return frame === undefined ? err('not a frame') : ok(frame)
}

function frameFrom(fields: readonly unknown[]): Frame | undefined {
  const [kind, first, second, third, fourth, fifth] = fields
  switch (kind) {
    case code.hello:
      if (typeof first !== 'number' || ![second, third, fourth, fifth].every(isHelloText)) return undefined
      return {
        kind: 'hello',
        hello: {
          protocol: first,
          nodeId: String(second),
          nodeName: String(third),
          datacenter: String(fourth),
          address: String(fifth),
        },
      }
    case code.request:
      if (!isId(first) || typeof second !== 'string' || typeof fourth !== 'number' || !(fourth >= 0)) return undefined
      return { kind: 'request', id: first, method: second, body: third, deadlineMs: fourth }
    case code.answer:
      return isId(first) ? { kind: 'answer', id: first, body: second } : undefined
    case code.failure:
      return isId(first) ? { kind: 'failure', id: first, failure: second } : undefined
    case code.cancel:
      return isId(first) ? { kind: 'cancel', id: first } : undefined
    case code.notice:
      if (typeof first !== 'string' || !(second instanceof Uint8Array)) return undefined
      return { kind: 'notice', topic: first, bytes: second }
    case code.ping:
      return { kind: 'ping' }
    case code.pong:
      return { kind: 'pong' }
    default:
      return undefined
  }
}

function isHelloText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= helloTextMax
}

function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
