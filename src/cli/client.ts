import { textOf } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { HttpHeaders } from '../env/http.ts'
import { type DialFailure, type Endpoint, endpointText } from '../env/net.ts'
import { fieldNames, productName, productTitle } from '../model/names.ts'
import { parseEndpoint } from '../rpc/address.ts'
import type { CommandFlag, Invocation } from './command.ts'

/** Flags that every command has that talks to an agent. Reference: CLI, client flags. */
export const clientFlags: readonly CommandFlag[] = [
  {
    name: 'http-addr',
    kind: 'text',
    value: '<address>',
    help: `Address of the agent. Default: $${productName.toUpperCase()}_HTTP_ADDR, or 127.0.0.1:8500.`,
  },
  {
    name: 'token',
    kind: 'text',
    value: '<token>',
    help: `ACL token. Default: $${productName.toUpperCase()}_HTTP_TOKEN.`,
  },
]

/** Flags of commands whose answer comes from the servers. */
export const serverFlags: readonly CommandFlag[] = [
  ...clientFlags,
  { name: 'datacenter', kind: 'text', value: '<name>', help: "Datacenter to ask. Default: the agent's own." },
  { name: 'stale', kind: 'bool', help: 'Let any server answer, not only the leader.' },
]

export interface ApiResponse {
  readonly status: number
  readonly headers: HttpHeaders
  readonly body: Uint8Array
}

/** Longer than the longest hold of a request by the servers. */
const timeoutMs = 60_000

/** The HTTP API of one agent, as commands use it. Errors are the line to print. */
export class ApiClient {
  readonly #invocation: Invocation

  constructor(invocation: Invocation) {
    this.#invocation = invocation
  }

  /** Sends a request; any status is an answer. */
  async send(
    method: string,
    path: string,
    query: readonly (readonly [string, string])[] = [],
    body?: Uint8Array,
  ): Promise<Result<ApiResponse, string>> {
    const { env } = this.#invocation
    const to = this.#address()
    if (!to.ok) return to
    const parameters = [...query, ...this.#standing()].map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    const target = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
    const headers = this.#token() === undefined ? [] : [[`X-${productTitle}-Token`, this.#token() ?? ''] as const]
    const response = await env.http.request(to.value, {
      method,
      target,
      headers,
      timeoutMs,
      ...(body === undefined ? {} : { body }),
    })
    if (response.ok) return ok(response.value)
    const reason = reasonText(response.error)
    return err(`${titled(method)} "http://${endpointText(to.value)}${target}": ${reason}`)
  }

  /** Sends a request whose answer must be 200. */
  async expect(
    method: string,
    path: string,
    query: readonly (readonly [string, string])[] = [],
    body?: Uint8Array,
  ): Promise<Result<Uint8Array, string>> {
    const response = await this.send(method, path, query, body)
    if (!response.ok) return response
    if (response.value.status === 200) return ok(response.value.body)
    return err(`Unexpected response code: ${response.value.status} (${textOf(response.value.body)})`)
  }

  #standing(): readonly (readonly [string, string])[] {
    const { flags } = this.#invocation
    const datacenter = flags.get('datacenter')
    return [
      ...(typeof datacenter === 'string' ? [['dc', datacenter] as const] : []),
      ...(flags.get('stale') === true ? [['stale', ''] as const] : []),
    ]
  }

  #token(): string | undefined {
    const given = this.#invocation.flags.get('token')
    return typeof given === 'string' ? given : this.#variable('HTTP_TOKEN')
  }

  #address(): Result<Endpoint, string> {
    const given = this.#invocation.flags.get('http-addr')
    const text = typeof given === 'string' ? given : (this.#variable('HTTP_ADDR') ?? '127.0.0.1:8500')
    const bare = text.replace(/^http:\/\//, '').replace(/\/$/, '')
    if (/^(https|unix):\/\//.test(text)) return err(`-http-addr ${text}: only plain HTTP over TCP is there yet`)
    const endpoint = parseEndpoint(bare.replace(/^localhost:/, '127.0.0.1:'))
    return endpoint === undefined ? err(`-http-addr "${text}" is not host:port`) : ok(endpoint)
  }

  /** The product's own variable, else that of a name of the field. */
  #variable(name: string): string | undefined {
    const { environment } = this.#invocation.terminal
    const variables = [productName, ...fieldNames].map((product) => environment.get(`${product.toUpperCase()}_${name}`))
    return variables.find((value) => value !== undefined)
  }
}

function reasonText(failure: DialFailure | { readonly kind: 'broken'; readonly message: string }): string {
  switch (failure.kind) {
    case 'refused':
      return `dial tcp ${endpointText(failure.to)}: connect: connection refused`
    case 'timeout':
      return 'no answer in time'
    case 'unreachable':
      return `dial tcp ${endpointText(failure.to)}: connect: no route to host`
    default:
      return failure.message
  }
}

function titled(method: string): string {
  return method.charAt(0) + method.slice(1).toLowerCase()
}

/** Prints an error as the field does and gives the exit code. */
export function failed(invocation: Invocation, message: string): number {
  invocation.terminal.error(`${message}\n`)
  return 1
}

/** The same for a mistake in the use of the command: its help follows. */
export function misused(invocation: Invocation, message: string): number {
  invocation.terminal.error(`${message}\n\n${invocation.help}`)
  return 1
}
