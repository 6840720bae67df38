import type { IncomingMessage } from 'node:http'
import { itemAt } from '../base/items.ts'

/**
 * Why the bounds of a request, or its host, are ambiguous, as a text for its client; undefined if they are not. Node's
 * parser refuses most of what two readers could split differently (a second Content-Length, one beside
 * Transfer-Encoding, folded lines, a space before the colon, bare line ends); this checks what it accepts. A proxy in
 * front that parses such a request differently would pass on one request as the tail of another. Source: RFC 9112,
 * sections 3.2, 6.1 and 6.3.
 */
export function framingProblem(request: IncomingMessage): string | undefined {
  // HTTP/0.9 has no headers, and HTTP/2 has its own frames: Node accepts the request line of either.
  if (request.httpVersionMajor !== 1) return 'unsupported HTTP version'
  if (request.httpVersionMinor > 0 && request.headers.host === undefined) return 'no Host'
  const seen = repeatedOnce(request.rawHeaders)
  if (seen !== undefined) return `repeated header ${seen}`
  const coding = request.headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (request.httpVersionMinor === 0) return 'Transfer-Encoding in HTTP/1.0'
  // For Node the last coding decides, so it accepts `gzip, chunked`: the body would be misinterpreted.
  if (coding.toLowerCase() !== 'chunked') return 'unsupported Transfer-Encoding'
  return request.headers['content-length'] === undefined ? undefined : 'Content-Length beside Transfer-Encoding'
}

/** Headers that decide where a request ends, or its host: each may occur once. */
const single: ReadonlySet<string> = new Set(['content-length', 'host', 'transfer-encoding'])

function repeatedOnce(raw: readonly string[]): string | undefined {
  let seen = ''
  for (let at = 0; at < raw.length; at += 2) {
    const name = itemAt(raw, at)
    // Most names differ in length, and are not even converted to lower case.
    if (name.length !== 4 && name.length !== 14 && name.length !== 17) continue
    const lower = name.toLowerCase()
    if (!single.has(lower)) continue
    if (seen.includes(`${lower},`)) return lower
    seen += `${lower},`
  }
  return undefined
}
