import { concatBytes, textOf, utf8 } from '../../src/base/bytes.ts'
import type { HttpHeaders } from '../../src/env/http.ts'

/** A longer message is no message: the other end speaks something else. */
const frameBytesMax = 256 << 20

type HeaderList = readonly (readonly [name: string, value: string])[]

/** One message. Over a simulated stream it goes as two lengths of four bytes, a head in JSON, and the body. */
export interface HttpMessage {
  /** Of a request method and target; of a response its status. */
  readonly start: readonly [method: string, target: string] | readonly [status: number]
  readonly headers: HeaderList
  readonly body: Uint8Array
}

const lengthsBytes = 8

export function encodeMessage({ start, headers, body }: HttpMessage): Uint8Array {
  const head = utf8(JSON.stringify([start, headers]))
  const framed = new Uint8Array(lengthsBytes + head.length + body.length)
  writeLength(framed, 0, head.length)
  writeLength(framed, 4, body.length)
  framed.set(head, lengthsBytes)
  framed.set(body, lengthsBytes + head.length)
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
    if (this.#length < lengthsBytes) return undefined
    const bytes = this.#pieces.length === 1 ? piece : concatBytes(this.#pieces)
    this.#pieces = [bytes]
    const bodyAt = lengthsBytes + readLength(bytes, 0)
    const end = bodyAt + readLength(bytes, 4)
    if (end > frameBytesMax) return 'malformed'
    if (this.#length < end) return undefined
    return decodeMessage(bytes.subarray(lengthsBytes, bodyAt), bytes.slice(bodyAt, end))
  }
}

function decodeMessage(head: Uint8Array, body: Uint8Array): HttpMessage | 'malformed' {
  const parsed = parsedJson(textOf(head))
  if (!Array.isArray(parsed)) return 'malformed'
  const [start, headers] = parsed as readonly unknown[]
  if (!Array.isArray(start) || !Array.isArray(headers)) return 'malformed'
  return { start: start as unknown as HttpMessage['start'], headers: headers as unknown as HeaderList, body }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

function writeLength(bytes: Uint8Array, at: number, length: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = (length >>> (24 - 8 * i)) & 255
}

function readLength(bytes: Uint8Array, at: number): number {
  let length = 0
  for (let i = 0; i < 4; i++) length = length * 256 + (bytes[at + i] as number)
  return length
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
