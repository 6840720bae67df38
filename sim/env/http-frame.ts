import { concatBytes, textOf, utf8 } from '../../src/base/bytes.ts'
import type { HttpHeaders } from '../../src/env/http.ts'

/** A longer message is invalid: the other end speaks another protocol. */
const frameBytesMax = 256 << 20

type HeaderList = readonly (readonly [name: string, value: string])[]

/** One message. Over a simulated stream it is sent as two lengths of four bytes, a head, and the body. */
export interface HttpMessage {
  /** For a request, method and target; for a response, its status. No line may contain an end of line. */
  readonly start: readonly [method: string, target: string] | readonly [status: number]
  readonly headers: HeaderList
  readonly body: Uint8Array
}

const lengthsBytes = 8

/**
 * The head consists of lines: the start, then name and value of each header. So that of a request has an even number of
 * lines.
 */
export function encodeMessage({ start, headers, body }: HttpMessage): Uint8Array {
  let lines = start.length === 1 ? String(start[0]) : `${start[0]}\n${start[1]}`
  for (const [name, value] of headers) lines += `\n${name}\n${value}`
  const framed = framedWith(lines.length, body)
  let seen = 0
  for (let at = 0; at < lines.length; at++) {
    const unit = lines.charCodeAt(at)
    seen |= unit
    framed[lengthsBytes + at] = unit
  }
  // A head is nearly always ASCII, whose UTF-16 code units are its bytes.
  if (seen < 0x80) return framed
  const head = utf8(lines)
  const recoded = framedWith(head.length, body)
  recoded.set(head, lengthsBytes)
  return recoded
}

/** The frame of a message without the bytes of its head. */
function framedWith(headBytes: number, body: Uint8Array): Uint8Array {
  const framed = new Uint8Array(lengthsBytes + headBytes + body.length)
  writeLength(framed, 0, headBytes)
  writeLength(framed, 4, body.length)
  framed.set(body, lengthsBytes + headBytes)
  return framed
}

/** Collects the pieces of one message after another; the next begins only when this one is answered. */
export class MessageReader {
  #pieces: Uint8Array[] = []
  #length = 0

  /** Number of bytes of a message that is not complete. */
  get held(): number {
    return this.#length
  }

  /** The message once it is complete; `malformed` if it cannot be one. */
  push(piece: Uint8Array): HttpMessage | 'malformed' | undefined {
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.#length < lengthsBytes) return undefined
    const bytes = this.#pieces.length === 1 ? piece : concatBytes(this.#pieces)
    this.#pieces = [bytes]
    const bodyAt = lengthsBytes + readLength(bytes, 0)
    const end = bodyAt + readLength(bytes, 4)
    if (end > frameBytesMax || this.#length > end) return 'malformed'
    if (this.#length < end) return undefined
    this.#pieces = []
    this.#length = 0
    return decodeMessage(bytes.subarray(lengthsBytes, bodyAt), bytes.slice(bodyAt, end))
  }
}

function decodeMessage(head: Uint8Array, body: Uint8Array): HttpMessage | 'malformed' {
  const lines = textOf(head).split('\n')
  const isRequest = lines.length % 2 === 0
  const headers: [string, string][] = []
  for (let at = isRequest ? 2 : 1; at < lines.length; at += 2) {
    headers.push([lines[at] as string, lines[at + 1] as string])
  }
  if (isRequest) return { start: [lines[0] as string, lines[1] as string], headers, body }
  const status = Number(lines[0])
  return Number.isInteger(status) ? { start: [status], headers, body } : 'malformed'
}

function writeLength(bytes: Uint8Array, at: number, length: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = (length >>> (24 - 8 * i)) & 255
}

function readLength(bytes: Uint8Array, at: number): number {
  let length = 0
  for (let i = 0; i < 4; i++) length = length * 256 + (bytes[at + i] as number)
  return length
}

/** In the form of the contract: names in lower case, repeated ones joined. */
export function joinedHeaders(headers: HeaderList): HttpHeaders {
  const joined = new Map<string, string>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    const before = joined.get(key)
    joined.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return joined
}

/** Whether this is the name of a header, given in lower case. Most names already differ in length. */
export function isCalled(name: string, lowerCase: string): boolean {
  return name.length === lowerCase.length && name.toLowerCase() === lowerCase
}

/** Whether the sender of these headers closes the connection after this exchange (RFC 9112, section 9.3). */
export function closesConnection(headers: HeaderList): boolean {
  return headers.some(([name, value]) => isCalled(name, 'connection') && value.toLowerCase() === 'close')
}

/** Whether a line can contain this target or method. */
export function isSendableLine(text: string): boolean {
  return !text.includes('\n')
}

/** Whether HTTP can carry them (RFC 9110, section 5). */
export function areSendable(headers: HeaderList): boolean {
  return headers.every(([name, value]) => isSendableName(name) && isSendableValue(value))
}

function isSendableName(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    // Nearly all names have only letters and hyphens; one bit makes a letter lower-case.
    const unit = name.charCodeAt(at)
    const letter = unit | 0x20
    if ((letter < 0x61 || letter > 0x7a) && unit !== 0x2d) return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
  }
  return name.length > 0
}

function isSendableValue(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at)
    if (unit > 255 || unit === 127 || (unit < 32 && unit !== 9)) return false
  }
  return true
}
