import { z } from 'zod'
import { textOf } from '../../../base/bytes.ts'
import { jsonOrUndefined } from '../../../base/json.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import { type Endpoint, endpointText, type TlsOptions } from '../../../env/net.ts'
import { isAddress, parseEndpoint } from '../../../rpc/address.ts'
import { readWholeFile } from '../../boot/whole-file.ts'
import type { DiscoveryEnv, DiscoveryRequest } from './request.ts'

/**
 * Where a pod finds the API server and its own account. Source: Kubernetes, "Accessing the Kubernetes API from a Pod".
 */
const inCluster = {
  server: 'kubernetes.default.svc:443',
  account: '/var/run/secrets/kubernetes.io/serviceaccount',
} as const

const requestMs = 10_000
const lookupMs = 10_000
/** Maximum bytes of an answer: some thousands of pods. */
const answerBytesMax = 16 << 20

const podList = z.object({
  items: z.array(
    z.object({
      status: z.object({
        phase: z.string().optional(),
        podIP: z.string().optional(),
        hostIP: z.string().optional(),
        conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional(),
      }),
    }),
  ),
})

type Pod = z.infer<typeof podList>['items'][number]

/**
 * `provider=k8s label_selector="app=svc,component=server"`: addresses of running pods, in the namespace of the agent's
 * own pod unless `namespace` says otherwise; `host_network=true` takes the addresses of their nodes. A pod that has a
 * `Ready` condition must be ready. `server`, `token_file` and `ca_file` default to those that every pod has; without
 * `ca_file`, a `server` given as `http://…` is asked without TLS.
 */
export async function askKubernetes(
  env: DiscoveryEnv,
  request: DiscoveryRequest,
): Promise<Result<readonly string[], string>> {
  const account = await accountOf(env, request)
  if (!account.ok) return err(`provider k8s: ${account.error}`)
  const answer = await listed(env, request, account.value)
  if (!answer.ok) return err(`provider k8s: ${answer.error}`)
  const read = podList.safeParse(jsonOrUndefined(answer.value))
  if (!read.success) return err('provider k8s: the API server did not answer with a list of pods')
  const byHost = request.get('host_network') === 'true'
  return ok(read.data.items.filter(isReady).flatMap(({ status }) => (byHost ? status.hostIP : status.podIP) ?? []))
}

function isReady({ status: { phase, conditions = [] } }: Pod): boolean {
  return phase === 'Running' && conditions.every(({ type, status }) => type !== 'Ready' || status === 'True')
}

interface Account {
  readonly server: Endpoint
  readonly namespace: string
  readonly token: string
  /** Undefined: without TLS. */
  readonly tls: TlsOptions | undefined
}

async function accountOf(env: DiscoveryEnv, request: DiscoveryRequest): Promise<Result<Account, string>> {
  const given = request.get('server') ?? inCluster.server
  const isPlain = given.startsWith('http://')
  const server = parseServer(given.replace(/^https?:\/\//, ''), isPlain ? 80 : 443)
  if (server === undefined) return err('server: write a host and a port, such as 10.0.0.1:6443')
  const token = await fileText(env, request.get('token_file') ?? `${inCluster.account}/token`)
  if (!token.ok) return token
  const namespace = request.get('namespace') ?? (await fileText(env, `${inCluster.account}/namespace`))
  if (typeof namespace !== 'string' && !namespace.ok) return namespace
  const place = { server, namespace: typeof namespace === 'string' ? namespace : namespace.value, token: token.value }
  if (isPlain) return ok({ ...place, tls: undefined })
  const trusted = await fileText(env, request.get('ca_file') ?? `${inCluster.account}/ca.crt`)
  if (!trusted.ok) return trusted
  const tls = { trustedPems: [trusted.value], ...(isAddress(server.host) ? {} : { serverName: server.host }) }
  const problem = env.tcp.tlsProblem(tls)
  return problem === undefined ? ok({ ...place, tls }) : err(`ca_file: ${problem}`)
}

function parseServer(text: string, port: number): Endpoint | undefined {
  return parseEndpoint(text, port) ?? (/^[\w.-]+$/.test(text) ? { host: text, port } : undefined)
}

async function fileText(env: DiscoveryEnv, path: string): Promise<Result<string, string>> {
  const read = await readWholeFile(env.disk, path)
  return read.ok ? ok(textOf(read.value).trim()) : err(`${path}: ${read.error.kind}`)
}

async function listed(
  env: DiscoveryEnv,
  request: DiscoveryRequest,
  { server, namespace, token, tls }: Account,
): Promise<Result<Uint8Array, string>> {
  const host = await hostOf(env, server)
  if (!host.ok) return host
  const answer = await env.http.request(
    { host: host.value, port: server.port },
    {
      method: 'GET',
      target: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods${selectors(request)}`,
      headers: [
        ['Host', endpointText(server)],
        ['Accept', 'application/json'],
        ['Authorization', `Bearer ${token}`],
      ],
      timeoutMs: requestMs,
      tailBytes: answerBytesMax,
      ...(tls === undefined ? {} : { tls }),
    },
  )
  if (!answer.ok) return err(`the API server at ${endpointText(server)}: ${answer.error.kind}`)
  const { status, body } = answer.value
  return status === 200 ? ok(body) : err(`the API server at ${endpointText(server)} answered ${status}`)
}

async function hostOf(env: DiscoveryEnv, { host }: Endpoint): Promise<Result<string, string>> {
  if (isAddress(host)) return ok(host)
  const found = await env.names.lookup(host, lookupMs)
  const [first] = found.ok ? found.value : []
  return first === undefined ? err(`${host}: ${found.ok ? 'no address' : found.error.message}`) : ok(first)
}

function selectors(request: DiscoveryRequest): string {
  const pairs = [
    ['labelSelector', request.get('label_selector')],
    ['fieldSelector', request.get('field_selector')],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
