import { utf8 } from '../../../src/base/bytes.ts'
import { ok, type Result } from '../../../src/base/result.ts'
import { openDns } from '../../../src/dns/listeners.ts'
import type { Closable } from '../../../src/env/async.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../../src/env/http.ts'
import type { ListenFailure } from '../../../src/env/net.ts'
import { noAnswerText } from '../../library/given.ts'
import type { Answered, LibraryCluster } from '../../library/library-cluster.ts'

/** Sends into a world what arrives on real sockets. `told` is called between its turns, once time has passed. */
export type Bridged = Pick<LibraryCluster, 'send' | 'sendDns'>

interface FrontParts {
  /** The Env of the real machine. */
  readonly env: Env
  readonly cluster: Bridged
  /** The name of the command that answers if no agent does: `svc-sim serve`. */
  readonly name: string
}

/** A blocking query waits up to ten minutes and a sixteenth; after this much virtual time, there is no answer. */
const answerWithinMs = 900_000
const dnsWithinMs = 10_000
/**
 * Maximum number of requests of all agents that wait for answers; a request whose client has gone counts until it is
 * answered.
 */
const waitingMax = 4_096
/** Maximum size of a body; the largest is a snapshot to restore. */
const bodyMax = 16 << 20

/** Headers of one hop: each side of the front has its own. The real side compresses what the agents would compress. */
const ofHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'host',
  'date',
])

/** Real sockets in front of simulated agents: requests go into the world, and its answers are returned. */
export class Front {
  readonly #parts: FrontParts
  readonly #open: Closable[] = []
  /** Callbacks that end a waiting request without an answer. */
  readonly #waiting = new Set<() => void>()
  #taken = 0
  #over: string | undefined
  /** Why the last waiting requests were ended. */
  #why = ''

  constructor(parts: FrontParts) {
    this.#parts = parts
  }

  /** Number of requests so far, and of waiting ones. */
  get counts(): { readonly taken: number; readonly waiting: number } {
    return { taken: this.#taken, waiting: this.#waiting.size }
  }

  async open(
    node: string,
    host: string,
    { http, dns }: { readonly http: number; readonly dns: number },
  ): Promise<Result<undefined, ListenFailure>> {
    const { env } = this.#parts
    const handle = (request: HttpRequest): Promise<HttpResponse> => this.#ask(node, request)
    const handler: HttpHandler = Object.assign(handle, { bodyBytesMaxOf: () => bodyMax })
    const web = await env.http.serve({ host, port: http }, handler)
    if (!web.ok) return web
    this.#open.push(web.value)
    const answer = (packet: Uint8Array, over: 'udp' | 'tcp'): Promise<Uint8Array | undefined> =>
      this.#resolve(node, packet, over)
    const names = await openDns(env, { answer, known: () => undefined }, { host, port: dns })
    if (!names.ok) return names
    this.#open.push(names.value)
    return ok(undefined)
  }

  /** The world has stopped: there will be no more answers. */
  stop(why: string): void {
    this.#over = why
    this.giveUp(why)
  }

  /** Ends the waiting requests without an answer, for this reason; later requests are possible. */
  giveUp(why: string): void {
    this.#why = why
    for (const giveUp of [...this.#waiting]) giveUp()
  }

  close(): void {
    this.stop(`${this.#parts.name} ends`)
    for (const each of this.#open.splice(0)) each.close()
  }

  async #ask(node: string, request: HttpRequest): Promise<HttpResponse> {
    const { method, target, headers, body } = request
    if (body === 'too-large') return this.#said(413, `a body has at most ${bodyMax} bytes here`)
    const kept = [...headers].filter(([name]) => !ofHop.has(name))
    const sent = { method, target, headers: kept, bodyBytes: body, token: '', timeoutMs: answerWithinMs }
    const answer = await this.#wait<Answered | string>((take) => this.#parts.cluster.send(node, sent, take))
    if (typeof answer === 'object') return responseOf(answer)
    // The status by which a proxy says that it cannot reach the server behind it.
    const isOver = answer === 'busy' || answer === this.#why || answer === this.#over
    return this.#said(isOver ? 503 : answer === 'timeout' ? 504 : 502, noAnswerText(node, answer))
  }

  /** A message of the front itself, not of an agent. */
  #said(status: number, text: string): HttpResponse {
    const headers = [['Content-Type', 'text/plain; charset=utf-8']] as const
    return { status, headers, body: utf8(`${this.#parts.name}: ${text}\n`) }
  }

  async #resolve(node: string, packet: Uint8Array, over: 'udp' | 'tcp'): Promise<Uint8Array | undefined> {
    const how = { over, timeoutMs: dnsWithinMs }
    const answer = await this.#wait<Uint8Array | string>((take) => this.#parts.cluster.sendDns(node, packet, how, take))
    return typeof answer === 'string' ? undefined : answer
  }

  #wait<T>(send: (take: (answer: T) => void) => void): Promise<T | string> {
    this.#taken++
    if (this.#over !== undefined) return Promise.resolve(this.#over)
    if (this.#waiting.size >= waitingMax) return Promise.resolve('busy')
    const { promise, resolve } = this.#parts.env.deferred<T | string>()
    const giveUp = (): void => end(this.#why)
    const end = (answer: T | string): void => {
      this.#waiting.delete(giveUp)
      resolve(answer)
    }
    this.#waiting.add(giveUp)
    send(end)
    return promise
  }
}

function responseOf({ status, headers, bytes }: Answered): HttpResponse {
  return { status, headers: [...headers].filter(([name]) => !ofHop.has(name)), body: bytes }
}
