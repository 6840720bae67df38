import { utf8 } from '../base/bytes.ts'
import { type Json, writeJson } from '../base/json.ts'
import type { HttpResponse } from '../env/http.ts'
import type { Consistency, ReadMeta } from '../features/contract/reading.ts'
import type { CacheUse, RouteResponse } from '../features/contract/route.ts'
import { type Failure, failureText } from '../model/failure.ts'
import type { Naming } from '../model/naming/naming.ts'
import { plainText, sniffContentType } from './content-type.ts'
import { failureStatus } from './failure-status.ts'
import type { HeaderNames } from './header-names.ts'

type Header = readonly [name: string, value: string]

/** Turns a route's answer into the response to send. `common` headers precede those of every answer. */
export interface ResponseEncoder {
  response(response: RouteResponse, pretty: boolean): HttpResponse
  /** One line of text, or only a status if the text is empty. */
  text(status: number, text: string, further?: readonly Header[], type?: string): HttpResponse
  json(status: number, value: Json, further?: readonly Header[]): HttpResponse
}

/** Headers that keep a browser from executing a stored value, whatever its bytes look like. */
const inert: readonly Header[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', 'sandbox'],
]

const consistencyText: Readonly<Record<Consistency, string>> = {
  default: 'leader',
  consistent: 'consistent',
  stale: 'stale',
}

export function responseEncoder(naming: Naming, names: HeaderNames, common: readonly Header[]): ResponseEncoder {
  const text = (status: number, line: string, further: readonly Header[] = [], type = plainText): HttpResponse => {
    const headers = [...common, ...further]
    if (line !== '') headers.push(['Content-Type', type])
    return { status, headers, body: line }
  }
  const metaHeaders = (meta: ReadMeta | undefined): Header[] => {
    const headers = [...common]
    if (meta !== undefined) pushMeta(headers, names, meta)
    return headers
  }
  const furtherMeta = (meta: ReadMeta | undefined): Header[] => metaHeaders(meta).slice(common.length)
  return {
    text,
    json: (status, value, further = []) => ({
      status,
      headers: [...common, ...further, ['Content-Type', 'application/json']],
      body: writeJson(value, false),
    }),
    response(response: RouteResponse, pretty: boolean): HttpResponse {
      switch (response.kind) {
        case 'json': {
          const headers = metaHeaders(response.meta)
          if (response.consistency !== undefined) {
            pushNamed(headers, names.effectiveConsistency, consistencyText[response.consistency])
          }
          if (response.cache !== undefined) pushCache(headers, response.cache)
          if (response.contentHash !== undefined) pushNamed(headers, names.contentHash, response.contentHash)
          if (response.contact !== undefined) pushContact(headers, names, response.contact)
          if (response.ownIndex !== undefined) pushNamed(headers, names.index, String(response.ownIndex))
          if (response.fence !== undefined) pushNamed(headers, names.fence, String(response.fence))
          headers.push(['Content-Type', 'application/json'])
          return { status: response.status ?? 200, headers, body: writeJson(response.value, pretty) }
        }
        case 'shared-json': {
          const { forms, form, json, meta, consistency, cache } = response
          const headers = metaHeaders(meta)
          if (consistency !== undefined) {
            pushNamed(headers, names.effectiveConsistency, consistencyText[consistency])
          }
          if (cache !== undefined) pushCache(headers, cache)
          headers.push(['Content-Type', 'application/json'])
          const body = forms.bytesOf(pretty ? `${form} pretty` : form, () => utf8(writeJson(json(), pretty)))
          return { status: 200, headers, body, shared: true }
        }
        case 'stream':
          return { status: 200, headers: [...common], body: response.stream }
        case 'empty': {
          const headers = metaHeaders(response.meta)
          if (response.warning !== undefined) pushNamed(headers, names.warning, response.warning)
          return { status: response.status, headers, body: '' }
        }
        case 'text':
          return text(response.status, response.text, furtherMeta(response.meta), response.type)
        case 'bytes': {
          const headers = metaHeaders(response.meta)
          const { contentType } = response
          if (contentType !== undefined) headers.push(['Content-Type', contentType])
          else if (response.bytes.length > 0) headers.push(['Content-Type', sniffContentType(response.bytes)], ...inert)
          return { status: 200, headers, body: response.bytes }
        }
        case 'failure':
          return text(
            failureStatus[response.failure.kind],
            bodyOf(response.failure, naming),
            furtherMeta(response.meta),
          )
      }
    },
  }
}

/** The status alone tells a client that it is over its limit. Reference: http-conventions.md#rate-limit. */
function bodyOf(failure: Failure, naming: Naming): string {
  return failure.kind === 'rate-limited' ? '' : failureText(failure, naming)
}

function pushMeta(headers: Header[], names: HeaderNames, meta: ReadMeta): void {
  // A client that gets index 0 would ask again at once, for ever.
  pushNamed(headers, names.index, String(Math.max(1, meta.index)))
  pushContact(headers, names, meta)
}

function pushContact(
  headers: Header[],
  names: HeaderNames,
  meta: Pick<ReadMeta, 'knownLeader' | 'lastContactMs'>,
): void {
  pushNamed(headers, names.knownLeader, String(meta.knownLeader))
  pushNamed(headers, names.lastContact, String(Math.trunc(meta.lastContactMs)))
}

/** Reference: http-reads.md#cache-headers. */
function pushCache(headers: Header[], { hit, ageS }: CacheUse): void {
  headers.push(['X-Cache', hit ? 'HIT' : 'MISS'])
  if (hit) headers.push(['Age', String(ageS)])
}

function pushNamed(headers: Header[], names: readonly string[], value: string): void {
  for (const name of names) headers.push([name, value])
}
