import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FilmOverview } from '../../sim/picture/film-format.ts'
import type { PlayAgent, PlayStatus } from '../../sim/play/play-api.ts'

const page = new URL('../../dist/pages/play.html.br', import.meta.url)

const token = 'the-token-of-this-test'

export interface Asked {
  readonly route: string
  readonly body: unknown
}

/**
 * Stands in for the server of `svc-sim play` where a test is about the page alone: it has the film of a run that is
 * over, keeps what the page asked for, and answers what the test says.
 */
export class PlayStandIn {
  readonly asked: Asked[] = []
  readonly film: readonly [FilmOverview, ...unknown[]]
  status: PlayStatus
  /** By route: what is answered instead. */
  readonly answers = new Map<string, { readonly code: number; readonly body: unknown }>()
  #server: Server | undefined

  /** `html` is a page of a run, of which the film is taken. */
  constructor(html: string, agents: readonly PlayAgent[]) {
    const packed = readFileSync(html, 'utf8').matchAll(/<script type="text\/plain" [^>]*>([^<]*)</g)
    const parts = [...packed].map(([, text = '']) => JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()))
    this.film = parts as unknown as readonly [FilmOverview, ...unknown[]]
    const { scenario, seed, build, endUs: nowUs, events } = this.film[0]
    this.status = {
      ...{ scenario, seed, build, nowUs, events, agents, version: 1, world: 1, paused: true, rate: 1 },
      ...{ advancingToUs: null, busy: null, cuts: [], acts: [], failure: null, requests: { taken: 0, waiting: 0 } },
      releases: ['1.4.0', '1.3.0'],
      lesson: null,
      hasLessons: true,
    }
  }

  change(status: Partial<PlayStatus>): void {
    this.status = { ...this.status, ...status, version: this.status.version + 1 }
  }

  /** Gives the address of the page, with the token. */
  async listen(): Promise<string> {
    const server = createServer((request, response) => void this.#answer(request, response))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/#token=${token}`
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()) ?? resolve())
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: route, searchParams } = new URL(request.url ?? '/', 'http://stand-in')
    if (route === '/') {
      response.setHeader('Content-Type', 'text/html; charset=utf-8')
      response.end(brotliDecompressSync(readFileSync(page)))
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    if (request.method === 'POST') this.asked.push({ route, body: JSON.parse(text) })
    const answer = this.answers.get(route) ?? this.#usual(route, Number(searchParams.get('at')))
    const isAllowed = request.headers.authorization === `Bearer ${token}`
    response.statusCode = isAllowed ? answer.code : 401
    const { body } = isAllowed ? answer : { body: { error: 'no token' } }
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  #usual(route: string, at: number): { readonly code: number; readonly body: unknown } {
    const { world, version } = this.status
    const [overview, ...pieces] = this.film
    const act = { number: 1, atUs: this.status.nowUs, text: 'what was asked for', kind: 'mend' }
    if (route === '/status' || route === '/pace' || route === '/step' || route === '/undo') {
      return { code: 200, body: this.status }
    }
    if (route === '/overview') return { code: 200, body: { ...overview, world, version } }
    if (route === '/piece') return { code: 200, body: { open: pieces[at], world } }
    if (route === '/act') return { code: 200, body: { act, text: 'done' } }
    return { code: 404, body: { error: `there is no ${route}` } }
  }
}

export function agentOf(name: string, kind: PlayAgent['kind'], role: string | null, datacenter = 'dc1'): PlayAgent {
  const ports = { httpPort: 8500, dnsPort: 8600, hasUi: true }
  const term = role === null ? null : 3
  const well = { lastError: null, troubles: [], clockAheadMs: 0 }
  return { name, kind, datacenter, is: 'up', role, term, release: '1.4.0', ...ports, ...well }
}
