import { exact, exactJson } from './exact.ts'
import { type Answer, failureOf } from './failure.ts'
import type { Product } from './product.ts'

export type Query = Readonly<Record<string, string>>

export interface Asked {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Below the root of the API, and encoded: `/v1/kv/a%20b`. */
  readonly path: string
  readonly query?: Query
  /** A text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
  /** The answer is a text, not JSON. */
  readonly asText?: boolean
}

/**
 * The token and the datacenter of all requests. Another choice makes another client, so that the page drops what it read
 * with the former one.
 */
export interface Caller {
  readonly token: string
  /** Empty: the datacenter of the agent. */
  readonly datacenter: string
}

/** The only place of the page that sends requests. */
export class Client {
  readonly product: Product
  readonly caller: Caller
  readonly #beginWrite: () => () => void
  readonly #repeaters = new Set<() => void>()

  /** `beginWrite`: called before each write; what it returns, once the answer is there. */
  constructor(product: Product, caller: Caller, beginWrite: () => () => void) {
    this.product = product
    this.caller = caller
    this.#beginWrite = beginWrite
  }

  async ask<T>(asked: Asked, signal?: AbortSignal): Promise<Answer<T>> {
    if (asked.method === undefined || asked.method === 'GET') return this.#request<T>(asked, signal)
    const endWrite = this.#beginWrite()
    const answer = await this.#request<T>(asked, signal)
    endWrite()
    // Also after a failure: what waited was ended for the write.
    this.askAgain()
    return answer
  }

  async #request<T>(
    { method = 'GET', path, query = {}, body, asText }: Asked,
    signal: AbortSignal | undefined,
  ): Promise<Answer<T>> {
    if (!isKeptByBrowsers(path)) return { ok: false, failure: { kind: 'said', status: 400, text: notAsked } }
    const { token, datacenter } = this.caller
    if (!isForHeaders.test(token)) return { ok: false, failure: { kind: 'unknown-token', text: notInHeader } }
    const parameters = new URLSearchParams(query)
    if (datacenter !== '') parameters.set('dc', datacenter)
    const headers: Record<string, string> = token === '' ? {} : { [`X-${this.product.title}-Token`]: token }
    const request: RequestInit = {
      method,
      headers,
      cache: 'no-store',
      // What is asked for must not become something else.
      redirect: 'error',
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body: bodyOf(body) }),
    }
    try {
      const response = await fetch(`${this.product.apiRoot}${path}?${parameters}`, request)
      const text = await response.text()
      if (!response.ok) return { ok: false, failure: failureOf(response.status, text, token !== '') }
      const value = (asText === true ? text : text === '' ? undefined : JSON.parse(exact(text))) as T
      return { ok: true, value, index: response.headers.get(`X-${this.product.title}-Index`) ?? undefined }
    } catch {
      // A browser does not say why there was no answer. No code reads the answer of an aborted request.
      return { ok: false, failure: { kind: 'unreachable' } }
    }
  }

  /** There is reason to ask all questions at once: a write, a network that is back, or the operator's wish. */
  askAgain(): void {
    for (const repeat of this.#repeaters) repeat()
  }

  /** Calls `repeat` whenever there is reason to ask again, until the returned function is called. */
  follow(repeat: () => void): () => void {
    this.#repeaters.add(repeat)
    return () => this.#repeaters.delete(repeat)
  }
}

/** A header with other characters cannot be sent: a token that was copied with an invisible one, for instance. */
const isForHeaders = /^[\x20-\x7e]*$/
const notInHeader = 'The token has a character that cannot be sent in a header, perhaps an invisible one.'

const notAsked =
  'A browser cannot ask for a name with a part that is empty, "." or "..": what has such a name can only be read and written in a transaction (PUT /v1/txn).'

/**
 * Whether a browser sends this path as it is. It resolves `.` and `..`, encoded or not, so that `/v1/kv/app/../` would
 * be the root of all keys; and the agent answers a path with an empty part by another one. URL Standard, section 4.4.
 */
function isKeptByBrowsers(path: string): boolean {
  return !/\/\.{0,2}\//.test(path) && !/\/\.{1,2}$/.test(path)
}

function bodyOf(body: unknown): BodyInit {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : exactJson(body)
}

/** A path of segments that may contain anything. */
export function pathOf(...segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join('/')}`
}

/** The slashes of a key stay, so that the path can be read in the agent's log. */
export function keyPath(key: string): string {
  return `/v1/kv/${key.split('/').map(encodeURIComponent).join('/')}`
}
