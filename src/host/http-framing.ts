import type { IncomingMessage } from 'node:http'
import { itemAt } from '../base/items.ts'

/**
 * Why the bounds of a request, or the host it is for, are not certain, as its client is told; undefined where they are. Node's parser refuses most
 * of what two readers could cut differently (a second Content-Length, one beside Transfer-Encoding, folded lines, a space
 * before the colon, bare line ends); this is what it lets through. A proxy in front that reads such a request otherwise would
 * hand over one request as the tail of another. Source: RFC 9112, sections 3.2, 6.1 and 6.3.
 */
export function framingProblem(request: IncomingMessage): string | undefined {
  // HTTP/0.9 has no headers, and HTTP/2 frames of its own: Node takes the request line of either.
  if (request.httpVersionMajor !== 1) return 'unsupported HTTP version'
  if (request.httpVersionMinor > 0 && request.headers.host === undefined) return 'no Host'
  const seen = repeatedOnce(request.rawHeaders)
  if (seen !== undefined) return `repeated header ${seen}`
  const coding = request.headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (request.httpVersionMinor === 0) return 'Transfer-Encoding in HTTP/1.0'
  // The last coding decides for Node, so that `gzip, chunked` passes: the body would be taken for what it is not.
  if (coding.toLowerCase() !== 'chunked') return 'unsupported Transfer-Encoding'
  return request.headers['content-length'] === undefined ? undefined : 'Content-Length beside Transfer-Encoding'
}

/** Headers that decide where a request ends, or which host it is for: each may come once. */
const single: ReadonlySet<string> = new Set(['content-length', 'host', 'transfer-encoding'])

function repeatedOnce(raw: readonly string[]): string | undefined {
  let seen = ''
  for (let at = 0; at < raw.length; at += 2) {
    const name = itemAt(raw, at)
    // Most names have another length: they are not even put into lower case.
    if (name.length !== 4 && name.length !== 14 && name.length !== 17) continue
    const lower = name.toLowerCase()
    if (!single.has(lower)) continue
    if (seen.includes(`${lower},`)) return lower
    seen += `${lower},`
  }
  return undefined
}
