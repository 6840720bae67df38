import { textOf } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { HttpClientFailure, HttpClientRequest, HttpHeaders } from '../../env/http.ts'
import { type Endpoint, endpointText, type TlsFault } from '../../env/net.ts'
import { headerName } from '../../model/naming/names.ts'
import type { CommandFlag, Invocation } from '../command.ts'
import { type ApiAddress, apiAddress } from './api-address.ts'

/** Parameters of a request's query, in their order. A name without a value has the empty text. */
export type Query = readonly (readonly [string, string])[]

const variables = 'SVC'

/** Flags that every command has that talks to an agent. Reference: command-line.md#client-flags. */
export const clientFlags: readonly CommandFlag[] = standing([
  {
    name: 'http-addr',
    kind: 'text',
    value: '<address>',
    help: `Address of the agent, also https://… or unix:///path. Default: $${variables}_HTTP_ADDR, or 127.0.0.1:8500.`,
  },
  {
    name: 'token',
    kind: 'text',
    value: '<token>',
    help: `ACL token. Default: $${variables}_HTTP_TOKEN.`,
  },
  {
    name: 'token-file',
    kind: 'text',
    value: '<file>',
    help: `File that holds the ACL token. Default: $${variables}_HTTP_TOKEN_FILE.`,
  },
  {
    name: 'ca-file',
    kind: 'text',
    value: '<file>',
    help: `Certificate authorities to trust, in PEM. Default: $${variables}_CACERT, or those of the system.`,
  },
  {
    name: 'ca-path',
    kind: 'text',
    value: '<directory>',
    help: `Directory of files with certificate authorities to trust, in PEM. Default: $${variables}_CAPATH.`,
  },
  {
    name: 'client-cert',
    kind: 'text',
    value: '<file>',
    help: `Certificate to show to the agent, in PEM. Default: $${variables}_CLIENT_CERT.`,
  },
  {
    name: 'client-key',
    kind: 'text',
    value: '<file>',
    help: `Private key of that certificate, in PEM. Default: $${variables}_CLIENT_KEY.`,
  },
  {
    name: 'tls-server-name',
    kind: 'text',
    value: '<name>',
    help: `Name that the agent's certificate must carry. Default: $${variables}_TLS_SERVER_NAME, or the address.`,
  },
])

/** Flags of commands whose answer comes from the servers. */
export const serverFlags: readonly CommandFlag[] = standing([
  ...clientFlags,
  { name: 'datacenter', kind: 'text', value: '<name>', help: "Datacenter to ask. Default: the agent's own." },
  { name: 'stale', kind: 'bool', help: 'Let any server answer, not only the leader.' },
])

function standing(flags: readonly CommandFlag[]): readonly CommandFlag[] {
  return flags.map((flag) => ({ ...flag, standing: true }))
}

export interface ApiResponse {
  readonly status: number
  readonly headers: HttpHeaders
  readonly body: Uint8Array
}

/** The line for an answer that a command has no use for, with what the agent says in it. */
export function unexpectedText({ status, body }: Pick<ApiResponse, 'status' | 'body'>): string {
  return `Unexpected response code: ${status} (${textOf(body)})`
}

/** What hears of an answer's body before the answer is whole; and the time limit, if it is an unusual one. */
export type Hearing = Pick<HttpClientRequest, 'onBody' | 'onReceived'> & Partial<Pick<HttpClientRequest, 'timeoutMs'>>

/** Longer than servers hold any request. */
const requestMs = 60_000

/** For a request with the whole state, of up to 192 MiB, which the servers collect or apply within it, too. */
export const wholeStateMs = 600_000

/** The HTTP API of one agent, as commands use it. Errors are the line to print. */
export class ApiClient {
  readonly #invocation: Invocation
  readonly #ownToken: string | undefined
  /** Whether each request so far found an agent, even if it timed out or its connection broke. */
  reached = true
  #address: Promise<Result<ApiAddress, string>> | undefined

  /** `ownToken` replaces the token that the command line or the environment names. */
  constructor(invocation: Invocation, ownToken?: string) {
    this.#invocation = invocation
    this.#ownToken = ownToken
  }

  /**
   * Sends a request; any status is an answer. `onBody` in `hearing` receives the body of an answer with status 200, piece
   * by piece.
   */
  async send(
    method: string,
    path: string,
    query: Query = [],
    body?: Uint8Array,
    hearing: Hearing = {},
  ): Promise<Result<ApiResponse, string>> {
    const { env } = this.#invocation
    this.#address ??= apiAddress(this.#invocation)
    const address = await this.#address
    this.reached &&= address.ok
    if (!address.ok) return address
    const { to, url, tls } = address.value
    const parameters = [...query, ...this.#standing()].map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    const target = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
    const token = this.#ownToken ?? address.value.token
    const headers = [
      ...address.value.headers,
      ...(token === undefined ? [] : [[headerName(this.#invocation.naming.name, 'token'), token] as const]),
    ]
    const response = await env.http.request(to, {
      method,
      target,
      headers,
      timeoutMs: requestMs,
      ...(tls === undefined ? {} : { tls }),
      ...(body === undefined ? {} : { body }),
      ...hearing,
    })
    if (response.ok) return ok(response.value)
    this.reached &&= isFound(response.error)
    return err(`${titled(method)} "${url}${target}": ${reasonText(response.error)}`)
  }

  /** Sends a request whose answer must be 200. */
  async expect(
    method: string,
    path: string,
    query: Query = [],
    body?: Uint8Array,
    hearing: Hearing = {},
  ): Promise<Result<Uint8Array, string>> {
    const response = await this.send(method, path, query, body, hearing)
    if (!response.ok) return response
    if (response.value.status === 200) return ok(response.value.body)
    return err(unexpectedText(response.value))
  }

  #standing(): Query {
    const { flags } = this.#invocation
    const datacenter = flags.get('datacenter')
    return [
      ...(typeof datacenter === 'string' ? [['dc', datacenter] as const] : []),
      ...(flags.get('stale') === true ? [['stale', ''] as const] : []),
    ]
  }
}

/** Whether an agent may be there in spite of the failure. If the two did not agree on TLS, it serves no command either. */
function isFound(failure: HttpClientFailure): boolean {
  return failure.kind === 'timeout' || (failure.kind === 'broken' && (failure.fault ?? 'other') === 'other')
}

function reasonText(failure: HttpClientFailure): string {
  switch (failure.kind) {
    case 'refused':
      return `dial ${dialled(failure.to)}: connect: connection refused`
    case 'timeout':
      return 'no answer in time'
    case 'unreachable':
      return `dial ${dialled(failure.to)}: connect: no route to host`
    case 'io':
      return `dial ${dialled(failure.to)}: ${failure.message}`
    case 'tls':
    case 'broken':
      return tlsText(failure.fault ?? 'other', failure.message)
  }
}

const notTls = 'the agent does not speak TLS there: use http:// instead of https://, or give the HTTPS port'
const notTaken = 'the agent does not accept the given certificate: use one that an authority which it trusts has signed'

/** Replacement texts for TLS errors: the failure, and what to do about it. */
const tlsTexts: Partial<Readonly<Record<TlsFault, string>>> = {
  plain: notTls,
  garbled: notTls,
  'alert-certificate-required': 'the agent requires a client certificate: give -client-cert and -client-key',
  'alert-certificate-refused': notTaken,
  'alert-certificate-expired': notTaken,
  'alert-unknown-authority': notTaken,
  'nothing-in-common': 'the agent and this command have no TLS version or cipher suite in common',
}

/** Advice for failures that need no other text. */
const tlsRemedies: Partial<Readonly<Record<TlsFault, string>>> = {
  'unknown-authority': 'name the certificate authority of the agent with -ca-file',
  'wrong-name': "give the name in the agent's certificate with -tls-server-name",
}

function tlsText(fault: TlsFault, message: string): string {
  const text = tlsTexts[fault]
  if (text !== undefined) return text
  const remedy = tlsRemedies[fault]
  return remedy === undefined ? message : `${message}: ${remedy}`
}

function dialled(to: Endpoint): string {
  return to.host.startsWith('unix://') ? `unix ${to.host.slice('unix://'.length)}` : `tcp ${endpointText(to)}`
}

function titled(method: string): string {
  return method.charAt(0) + method.slice(1).toLowerCase()
}

/** Prints an error as the field does and gives the exit code. */
export function failed(invocation: Invocation, message: string): number {
  invocation.terminal.error(`${message}\n`)
  return 1
}

/** Why the number of operands is wrong, if it is: an operand that would be ignored is refused, because it was meant. */
export function surplusOperands({ args }: Invocation, most: number): string | undefined {
  return args.length > most ? `Too many arguments (expected ${most}, got ${args.length})` : undefined
}

/** As `failed`, for a mistake in the use of the command: the command's help follows. */
export function misused(invocation: Invocation, message: string): number {
  invocation.terminal.error(`${message}\n\n${invocation.help}`)
  return 1
}

/** The key or prefix that an operand names. No key begins with a slash; one that is written is left out, as in the field. */
export function keyOf(operand: string): string {
  return operand.startsWith('/') ? operand.slice(1) : operand
}

/** The path of a key, or of a prefix. Slashes in a key stay slashes in the path. */
export function keyPath(key: string): string {
  return `/v1/kv/${key.split('/').map(encodeURIComponent).join('/')}`
}
