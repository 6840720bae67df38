import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import { gzipAccepted } from '../base/accept-encoding.ts'
import type { HttpResponse, HttpStream } from '../env/http.ts'

/**
 * Maximum size of a body that is compressed at once, in well under a millisecond; a larger one is compressed in Node's
 * thread pool.
 */
const gzipAtOnceBytesMax = 16 << 10

const gzipLater = promisify(gzip)

/** Compressed bodies that will be sent again, for as long as they are referenced. */
export type CompressedBodies = WeakMap<Uint8Array, Uint8Array | Promise<Uint8Array>>

/** Bodies as text, the form in which they are sent. */
export type BodyTexts = WeakMap<Uint8Array, string>

/**
 * Maximum size of a body that is sent in one piece with the head; beyond it, copying costs more than a second piece.
 */
const onePieceBytesMax = 32 << 10

/** Maximum size of unread data of a slow reader; the rest is dropped. */
const unreadStreamBytesMax = 1 << 20

/** A complete answer, as opposed to a stream. */
export type WholeResponse = HttpResponse & { readonly body: Uint8Array | string }

export function isWhole(answer: HttpResponse): answer is WholeResponse {
  return typeof answer.body === 'string' || answer.body instanceof Uint8Array
}

/**
 * Resolves when the reader has disconnected, or `end` was called, which is passed to `opened` at once. `onHeld` is called
 * when more waits for the reader.
 */
export async function writeStream(
  response: ServerResponse,
  answer: HttpResponse,
  onHeld: () => void,
  opened: (end: () => void) => void,
): Promise<void> {
  const left = new Promise<void>((resolve) => {
    response.once('close', resolve)
    if (response.destroyed) resolve()
  })
  response.writeHead(answer.status, answer.headers.flat())
  response.flushHeaders()
  const source = (answer.body as HttpStream).open({
    write: (text) => {
      if (response.writableEnded || response.writableLength > unreadStreamBytesMax) return false
      if (!response.write(text)) onHeld()
      return true
    },
  })
  opened(() => response.end())
  await left
  source.close()
}

export interface Writing {
  /** The connection ends with this answer. */
  readonly last: boolean
  readonly compressed: CompressedBodies
  readonly texts: BodyTexts
  /** Called if the system did not accept all of it at once: the rest is sent as the reader takes it. */
  readonly onHeld: () => void
}

/**
 * Sends an answer: at once, unless its body has yet to be compressed. The response emits `close` when it was sent, or never
 * will be. Throws, or rejects, if HTTP cannot carry a status or header: Node checks all of them before it sends the first.
 */
export function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  answer: WholeResponse,
  writing: Writing,
): Promise<void> | undefined {
  const compressed = answer.body.length > 0 && acceptsGzip(request) && !hasHeader(answer, 'content-encoding')
  if (!compressed) {
    send(response, answer, answer.body, writing, false)
    return undefined
  }
  const body = gzippedOnce(answer, writing.compressed)
  if (body instanceof Promise) return body.then((bytes) => send(response, answer, bytes, writing, true))
  send(response, answer, body, writing, true)
  return undefined
}

function send(
  response: ServerResponse,
  answer: WholeResponse,
  body: Uint8Array | string,
  { last, texts, onHeld }: Writing,
  compressed: boolean,
): void {
  const headers: string[] = []
  for (const [name, value] of answer.headers) headers.push(name, value)
  if (compressed) headers.push('Content-Encoding', 'gzip')
  if (last) headers.push('Connection', 'close')
  if (!isWithoutBody(answer.status)) headers.push('Content-Length', String(Buffer.byteLength(body)))
  response.writeHead(answer.status, headers)
  if (typeof body === 'string' || body.length > onePieceBytesMax) response.end(body)
  // Node joins text with the head, but not bytes: two pieces cost a system call each.
  else response.end(textOf(body, answer.shared === true && !compressed ? texts : undefined), 'latin1')
  if ((response.socket?.writableLength ?? 0) > 0) onHeld()
}

function textOf(body: Uint8Array, kept: BodyTexts | undefined): string {
  const known = kept?.get(body)
  if (known !== undefined) return known
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  kept?.set(body, text)
  return text
}

function gzippedOnce(answer: WholeResponse, compressed: CompressedBodies): Uint8Array | Promise<Uint8Array> {
  const { body, shared } = answer
  if (shared === undefined || typeof body === 'string') return gzipped(body)
  const made = compressed.get(body) ?? gzipped(body)
  compressed.set(body, made)
  return made
}

function gzipped(body: Uint8Array | string): Uint8Array | Promise<Uint8Array> {
  return body.length <= gzipAtOnceBytesMax ? gzipSync(body) : gzipLater(body)
}

function hasHeader(answer: HttpResponse, name: string): boolean {
  return answer.headers.some(([given]) => given.toLowerCase() === name)
}

/** RFC 9110, section 6.4.1. */
function isWithoutBody(status: number): boolean {
  return status === 204 || status === 304
}

function acceptsGzip(request: IncomingMessage): boolean {
  const accepted = request.headers['accept-encoding']
  return accepted !== undefined && gzipAccepted(String(accepted))
}
