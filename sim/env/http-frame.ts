import { concatBytes, emptyBytes } from '../../src/base/bytes.ts'
import { pack, unpack } from '../../src/base/msgpack.ts'
import type { HttpHeaders } from '../../src/env/http.ts'

/** A longer message is no message: the other end speaks something else. */
const frameBytesMax = 256 << 20

type HeaderList = readonly (readonly [name: string, value: string])[]

/** One message as it goes over a simulated stream: its length in four bytes, then MessagePack. */
export interface HttpMessage {
  /** Of a request method and target; of a response its status. */
  readonly start: readonly [method: string, target: string] | readonly [status: number]
  readonly headers: HeaderList
  readonly body: Uint8Array
}

export function encodeMessage(message: HttpMessage): Uint8Array {
  const packed = pack([message.start, message.headers.flat(), message.body])
  const framed = new Uint8Array(4 + packed.length)
  new DataView(framed.buffer).setUint32(0, packed.length)
  framed.set(packed, 4)
  return framed
}

/** Gathers the pieces of one message. */
export class MessageReader {
  #pieces: Uint8Array[] = []
  #length = 0

  /** The message once it is whole, `malformed` when it can be none. */
  push(piece: Uint8Array): HttpMessage | 'malformed' | undefined {
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.#length < 4) return undefined
    const bytes = this.#pieces.length === 1 ? piece : concatBytes(this.#pieces)
    this.#pieces = [bytes]
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
    if (length > frameBytesMax) return 'malformed'
    if (this.#length < 4 + length) return undefined
    return decodeMessage(bytes.subarray(4, 4 + length))
  }
}

function decodeMessage(bytes: Uint8Array): HttpMessage | 'malformed' {
  const unpacked = unpack(bytes)
  if (!unpacked.ok || !Array.isArray(unpacked.value)) return 'malformed'
  const [start, flat, body] = unpacked.value as readonly unknown[]
  if (!Array.isArray(start) || !Array.isArray(flat)) return 'malformed'
  const headers: (readonly [string, string])[] = []
  for (let at = 0; at + 1 < flat.length; at += 2) headers.push([String(flat[at]), String(flat[at + 1])])
  return {
    start: start as unknown as HttpMessage['start'],
    headers,
    body: body instanceof Uint8Array ? new Uint8Array(body) : emptyBytes,
  }
}

/** As the contract has them: names in lower case, repeated ones joined. */
export function joinedHeaders(headers: HeaderList): HttpHeaders {
  const joined = new Map<string, string>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    const before = joined.get(key)
    joined.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return joined
}

/** Whether HTTP can carry them (RFC 9110, section 5). */
export function areSendable(headers: HeaderList): boolean {
  return headers.every(([name, value]) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && isSendableValue(value))
}

function isSendableValue(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at)
    if (unit > 255 || unit === 127 || (unit < 32 && unit !== 9)) return false
  }
  return true
}
