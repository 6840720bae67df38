import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import type { HttpResponse } from '../env/http.ts'

/** A body up to this size is compressed at once, in well under a millisecond; a larger one off the loop. */
const gzipAtOnceBytesMax = 16 << 10

const gzipLater = promisify(gzip)

/** Resolves when the answer has left, or never will. */
export async function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpResponse,
  last: boolean,
): Promise<void> {
  const compressed = answer.body.length > 0 && !hasHeader(answer, 'content-encoding') && acceptsGzip(request)
  const body = compressed ? await gzipped(answer.body) : answer.body
  const headers = answer.headers.flat()
  if (compressed) headers.push('Content-Encoding', 'gzip')
  if (last) headers.push('Connection', 'close')
  if (!isWithoutBody(answer.status)) headers.push('Content-Length', String(Buffer.byteLength(body)))
  const left = new Promise<void>((resolve) => {
    response.once('finish', resolve)
    response.once('close', resolve)
    if (response.destroyed) resolve()
  })
  response.writeHead(answer.status, headers)
  response.end(body)
  return left
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

/** Whether an `Accept-Encoding` names gzip with a weight above zero. RFC 9110, section 12.5.3. */
export function gzipAccepted(acceptEncoding: string): boolean {
  for (const item of acceptEncoding.split(',')) {
    const [coding, ...parameters] = item.split(';')
    const name = coding?.trim().toLowerCase()
    if (name !== 'gzip' && name !== 'x-gzip') continue
    const weight = parameters.map((each) => each.trim().toLowerCase()).find((each) => each.startsWith('q='))
    return weight === undefined || Number(weight.slice(2)) > 0
  }
  return false
}
