import type { UiConfig } from '../../agent/settings/http-settings.ts'
import { gzipAccepted } from '../../base/accept-encoding.ts'
import { crc32 } from '../../base/crc32.ts'
import { ok, type Result } from '../../base/result.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { HttpRequest, HttpResponse } from '../../env/http.ts'
import type { Log } from '../../env/observe.ts'
import type { Shipped } from '../../env/shipped.ts'
import type { Naming } from '../../model/naming/naming.ts'
import { plainText } from '../content-type.ts'
import { redirect } from '../target.ts'
import { BuiltInFiles, builtInHeaders } from './built-in-files.ts'
import { type Found, fileName, readBelow, type UiDisk } from './directory.ts'

const methods = 'GET,HEAD'

export interface UiOptions {
  readonly naming: Naming
  readonly config: UiConfig
  /** The disk with an operator's own directory. */
  readonly disk: UiDisk
  readonly shipped: Shipped
  readonly log: Pick<Log, 'write'>
}

/**
 * Answers a decoded, normalized path; undefined if the path is not part of the web interface, or the interface is off.
 */
export type UiFace = (
  path: string,
  rawQuery: string,
) => ((request: HttpRequest) => HttpResponse | Promise<HttpResponse>) | undefined

/**
 * The web interface: files behind `/ui/`, or the configured content path. Its index is the answer to any other name
 * there, because views may have paths of their own; `/` redirects to it. Reference: http-conventions.md#root-path,
 * http-conventions.md#ui.
 */
export function uiFace({ naming, config, disk, shipped, log }: UiOptions): UiFace {
  if (config.kind === 'off') return () => undefined
  const { contentPath } = config
  const builtIn = new BuiltInFiles(naming, shipped, contentPath)
  const own = config.kind === 'built-in' ? builtInHeaders : []
  const read = async (name: string, depth: number): Promise<Result<Found, DiskFailure>> => {
    if (config.kind === 'directory') return readBelow(disk, config.path, name)
    return ok(name === '' || name === 'index.html' ? builtIn.page(depth) : builtIn.file(name))
  }

  const serve = async (request: HttpRequest, path: string): Promise<HttpResponse> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return line(405, `method ${request.method} not allowed`, [['Allow', methods]])
    }
    const depth = path.split('/').length - 1
    const asked = path === '' ? '' : fileName(path.endsWith('/') ? path.slice(0, -1) : path)
    const first = asked === undefined ? ok('none' as const) : await read(asked, depth)
    const found = first.ok && first.value === 'none' ? await read('', depth) : first
    if (!found.ok) {
      log.write('warn', 'http', 'a file of the web interface cannot be read', { why: found.error.message }, 'sampled')
      return line(500, 'The file cannot be read')
    }
    if (found.value === 'none') return { status: 404, headers: [], body: '' }
    if (found.value === 'too-large') return line(500, 'The file is too large to be served')
    return fileAnswer(request, found.value, own)
  }

  return (path, rawQuery) => {
    if (path === '/' || `${path}/` === contentPath) return ({ method }) => redirect(method, contentPath, rawQuery, [])
    if (!path.startsWith(contentPath)) return undefined
    return (request) => serve(request, path.slice(contentPath.length))
  }
}

/** A browser revalidates its copy each time. RFC 9110, 13.1.2. */
function fileAnswer(
  { headers }: HttpRequest,
  { bytes, name, expanded }: Exclude<Found, string>,
  own: readonly (readonly [string, string])[],
): HttpResponse {
  // Weak, because the file is sent compressed or not.
  const tag = `W/"${crc32(bytes).toString(16)}-${bytes.length.toString(16)}"`
  const common = [['Cache-Control', 'no-cache'], ['ETag', tag], ['X-Content-Type-Options', 'nosniff'], ...own] as const
  const known = (headers.get('if-none-match') ?? '').split(',').map((each) => each.trim())
  if (known.includes(tag)) return { status: 304, headers: common, body: '' }
  const typed = [...common, ['Content-Type', typeOf(name)]] as const
  if (expanded === undefined) return { status: 200, headers: typed, body: bytes }
  if (!gzipAccepted(headers.get('accept-encoding') ?? '')) return { status: 200, headers: typed, body: expanded() }
  return { status: 200, headers: [...typed, ['Content-Encoding', 'gzip']], body: bytes }
}

function line(status: number, text: string, further: readonly (readonly [string, string])[] = []): HttpResponse {
  return { status, headers: [...further, ['Content-Type', plainText]], body: text }
}

/** The type by the file's extension, in any case. */
function typeOf(name: string): string {
  return types.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? 'application/octet-stream'
}

const types: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css; charset=utf-8'],
  ['gif', 'image/gif'],
  ['htm', 'text/html; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['ico', 'image/vnd.microsoft.icon'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript; charset=utf-8'],
  ['json', 'application/json'],
  ['map', 'application/json'],
  ['mjs', 'text/javascript; charset=utf-8'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['ttf', 'font/ttf'],
  ['txt', plainText],
  ['wasm', 'application/wasm'],
  ['webmanifest', 'application/manifest+json'],
  ['webp', 'image/webp'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
  ['xml', 'text/xml; charset=utf-8'],
])
