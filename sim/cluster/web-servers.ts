import type { Closable } from '../../src/env/async.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpHandler, HttpResponse } from '../../src/env/http.ts'

/** The states of a web server, and its behaviour in each. */
export const webStates = {
  well: 'answers 200',
  busy: 'answers 429',
  ill: 'answers 500',
  stuck: 'takes a request and never answers',
  gone: 'takes no connection',
} as const

export type WebState = keyof typeof webStates

/** A web server that checks connect to. */
interface WebServer {
  readonly port: number
  state: WebState
  /** The Env of the machine's running process. */
  env: Env | undefined
  open: readonly Closable[]
}

/**
 * The services behind agents, as far as HTTP and TCP checks see them: on every named machine, a server that answers on
 * its loopback address and on its own. It starts and ends with the machine, and behaves as its last state says.
 */
export class WebServers {
  readonly #byNode = new Map<string, readonly WebServer[]>()

  /** This machine has a web server from its next start on. */
  add(node: string, port: number): void {
    this.#byNode.set(node, [...this.#of(node), { port, state: 'well', env: undefined, open: [] }])
  }

  has(node: string): boolean {
    return this.#byNode.has(node)
  }

  /** The machine is up: called in a turn of its process. */
  async booted(node: string, env: Env): Promise<void> {
    for (const server of this.#of(node)) {
      server.env = env
      server.open = []
      await listen(server, env)
    }
  }

  /** The machine is down, and its connections are gone. */
  died(node: string): void {
    for (const server of this.#of(node)) {
      server.env = undefined
      server.open = []
    }
  }

  /** Sets the state of every web server of this machine. Called in a turn of its process, if it has one. */
  set(node: string, state: WebState): void {
    for (const server of this.#of(node)) {
      server.state = state
      if (server.env === undefined) continue
      if (state === 'gone') close(server)
      else if (server.open.length === 0) server.env.detach(listen(server, server.env))
    }
  }

  #of(node: string): readonly WebServer[] {
    return this.#byNode.get(node) ?? []
  }
}

async function listen(server: WebServer, env: Env): Promise<void> {
  if (server.state === 'gone') return
  const hosts = ['127.0.0.1', ...env.machine.interfaces().map(({ address }) => address)]
  const answer: HttpHandler = () => answerOf(server.state, env)
  for (const host of new Set(hosts)) {
    const listener = await env.http.serve({ host, port: server.port }, answer)
    if (!listener.ok) continue
    if (server.env === env && stillOpen(server)) server.open = [...server.open, listener.value]
    else listener.value.close()
  }
}

/** Evaluated again after a wait, because the state may have changed meanwhile. */
function stillOpen({ state }: WebServer): boolean {
  return state !== 'gone'
}

function close(server: WebServer): void {
  for (const listener of server.open) listener.close()
  server.open = []
}

function answerOf(state: WebState, env: Env): Promise<HttpResponse> {
  if (state === 'stuck' || state === 'gone') return env.deferred<HttpResponse>().promise
  const status = { well: 200, busy: 429, ill: 500 }[state]
  return Promise.resolve({ status, headers: [['Content-Type', 'text/plain']], body: state })
}
