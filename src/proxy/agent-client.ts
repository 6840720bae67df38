import { err, ok, type Result } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type TlsOptions } from '../env/net.ts'

export interface AgentResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

export interface AgentRequest {
  readonly method: 'GET' | 'PUT' | 'POST'
  readonly path: string
  readonly query?: readonly (readonly [name: string, value: string])[]
  readonly body?: Uint8Array
  readonly timeoutMs: number
}

/** The agent beside a proxy, by its HTTP API. Any status is an answer; the error is a line for the log. */
export interface AgentClient {
  ask(request: AgentRequest): Promise<Result<AgentResponse, string>>
}

/** The agent's address, and the credentials for it. */
export interface AgentAddress {
  readonly to: Endpoint
  readonly tls?: TlsOptions | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
}

export function agentClient({ http }: Pick<Env, 'http'>, { to, tls, headers }: AgentAddress): AgentClient {
  return {
    async ask({ method, path, query = [], body, timeoutMs }) {
      const parameters = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
      const answer = await http.request(to, {
        method,
        target: parameters === '' ? path : `${path}?${parameters}`,
        headers,
        timeoutMs,
        ...(tls === undefined ? {} : { tls }),
        ...(body === undefined ? {} : { body }),
      })
      if (answer.ok) return ok(answer.value)
      const where = to.host.startsWith('unix://') ? to.host : endpointText(to)
      return err(`the agent at ${where} cannot be asked: ${answer.error.kind}`)
    },
  }
}
