import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import { endpointText } from '../../env/net.ts'
import { headerName } from '../../model/naming/names.ts'
import { proxyVariables } from '../../model/proxy-variables.ts'
import type { AgentClient } from '../../proxy/agent-client.ts'
import type { MeshProxy } from '../../proxy/mesh-proxy.ts'
import type { ProxyPlan } from '../../proxy/plan.ts'
import { apiAddress } from '../api/api-address.ts'
import { failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand, Invocation } from '../command.ts'
import { type ProxySource, proxyFlags, proxySource } from '../flags/proxy-flags.ts'
import { Interruption } from '../interruption.ts'

const logLevels = new Map([
  ['TRACE', 'trace'],
  ['DEBUG', 'debug'],
  ['INFO', 'info'],
  ['WARN', 'warn'],
  ['ERR', 'error'],
] as const)

/** Time for open connections to end by themselves when the proxy is told to stop. */
const drainMs = 5_000
const askTimeoutMs = 10_000

export const proxyCommand: CliCommand = {
  path: ['connect', 'proxy'],
  summary: 'Runs a Connect proxy',
  operands: '',
  about:
    'Accepts connections to a service over mutual TLS as intentions allow, and connects it to its upstreams. On SIGINT or ' +
    'SIGTERM it accepts no further connections and gives open ones 5 s; a second signal ends it at once.',
  flags: [...proxyFlags, ...serverFlags],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const prepared = (text: string): number => failed(invocation, `==> Error preparing configuration: ${text}`)
    const level = String(invocation.flags.get('log-level') ?? 'INFO')
    const least = [...logLevels].find(([name]) => name === level.toUpperCase())?.[1]
    if (least === undefined) return prepared(`-log-level ${JSON.stringify(level)} is none of TRACE DEBUG INFO WARN ERR`)
    const source = proxySource(invocation)
    if (!source.ok) return prepared(source.error)
    const address = await apiAddress(invocation)
    if (!address.ok) return prepared(address.error)
    const given = address.value.token || invocation.terminal.environment.get(proxyVariables.token)
    const token: readonly (readonly [string, string])[] =
      given === undefined ? [] : [[headerName(invocation.naming.name, 'token'), given]]
    const { agentClient } = await import('../../proxy/agent-client.ts')
    const { to, tls, headers } = address.value
    const api = agentClient(invocation.env, { to, tls, headers: [...headers, ...token] })
    const named = await registeredOf(source.value, api)
    if (!named.ok) return prepared(named.error)
    const { terminal } = invocation
    terminal.out(`==> ${invocation.naming.title} Connect proxy starting...\n`)
    const running = await started(invocation, named.value, api)
    if (!running.ok) return prepared(running.error)
    terminal.out('\n==> Log data will now stream in as it occurs:\n\n')
    terminal.showLog(least)
    await ended(invocation, running.value)
    return 0
  },
}

type Named = Exclude<ProxySource, { readonly kind: 'sidecar' }>

async function registeredOf(source: ProxySource, api: AgentClient): Promise<Result<Named, string>> {
  if (source.kind !== 'sidecar') return ok(source)
  const answer = await api.ask({ method: 'GET', path: '/v1/agent/services', timeoutMs: askTimeoutMs })
  if (!answer.ok) return answer
  if (answer.value.status !== 200) return err(await refused(answer.value))
  const { sidecarOf } = await import('../../proxy/planned.ts')
  const id = sidecarOf(answer.value.body, source.serviceId)
  return id.ok ? ok({ kind: 'registered', id: id.value }) : id
}

async function refused(answer: { readonly status: number; readonly body: Uint8Array }): Promise<string> {
  const { refusalText } = await import('../../proxy/following.ts')
  return refusalText(answer)
}

interface Running {
  readonly proxy: MeshProxy
  readonly beside: readonly Closable[]
  /** Removes what it registered. */
  deregister(): Promise<void>
}

async function started(invocation: Invocation, source: Named, api: AgentClient): Promise<Result<Running, string>> {
  return source.kind === 'flags' ? startedByFlags(invocation, source, api) : startedByAgent(invocation, source.id, api)
}

async function startedByFlags(
  invocation: Invocation,
  { plan, registerId }: Extract<Named, { readonly kind: 'flags' }>,
  api: AgentClient,
): Promise<Result<Running, string>> {
  const { env, terminal } = invocation
  const { MeshProxy } = await import('../../proxy/mesh-proxy.ts')
  terminal.out(`    Configuration mode: Flags\n${planText(plan)}`)
  const proxy = new MeshProxy(env, api, plan.service)
  proxy.follow(plan)
  if (registerId === undefined || plan.inbound === undefined) {
    return ok({ proxy, beside: [], deregister: async () => undefined })
  }
  const { Registration } = await import('../../proxy/registration.ts')
  const registration = new Registration(env, api, {
    id: registerId,
    service: plan.service,
    listen: plan.inbound.listen,
    isListening: () => proxy.inbound !== undefined,
  })
  return ok({ proxy, beside: [registration], deregister: () => registration.end() })
}

/** Runs a proxy that follows the changes of its registration, except a change of the service that it stands for. */
async function startedByAgent(invocation: Invocation, id: string, api: AgentClient): Promise<Result<Running, string>> {
  const { env, terminal } = invocation
  const { MeshProxy } = await import('../../proxy/mesh-proxy.ts')
  const { planOf } = await import('../../proxy/planned.ts')
  const { isSameName } = await import('../../proxy/identity.ts')
  const { Following } = await import('../../proxy/following.ts')
  const path = `/v1/agent/service/${encodeURIComponent(id)}`
  const first = await api.ask({ method: 'GET', path, timeoutMs: askTimeoutMs })
  if (!first.ok) return first
  if (first.value.status !== 200) return err(await refused(first.value))
  const plan = planOf(first.value.body)
  if (!plan.ok) return plan
  terminal.out(`    Configuration mode: Agent API\n              Proxy ID: ${id}\n${planText(plan.value)}`)
  if (plan.value.inbound === undefined) {
    terminal.error(`The proxy ${id} has no LocalServicePort: it accepts no connections for ${plan.value.service}\n`)
  }
  const proxy = new MeshProxy(env, api, plan.value.service)
  proxy.follow(plan.value)
  const following = new Following(env, api, {
    path,
    by: 'hash',
    take: (body) => {
      const next = planOf(body)
      if (!next.ok) return next.error
      if (!isSameName(next.value.service, plan.value.service)) {
        return `it is registered for ${next.value.service} now, but still serves ${plan.value.service}: start it again`
      }
      proxy.follow(next.value)
      return undefined
    },
  })
  return ok({ proxy, beside: [following], deregister: async () => undefined })
}

function planText({ service, inbound, upstreams }: ProxyPlan): string {
  const door = inbound === undefined ? 'Disabled' : `${endpointText(inbound.listen)} => ${endpointText(inbound.local)}`
  const ways = upstreams.map(
    ({ name, listen, type }) => `              Upstream: ${name} => ${endpointText(listen)} (${type})\n`,
  )
  return `               Service: ${service}\n       Public listener: ${door}\n${ways.join('')}`
}

/** Settles when the agent that runs this proxy is gone; never if no agent runs it. */
async function untethered({ env, terminal }: Invocation): Promise<void> {
  if (!terminal.environment.has(proxyVariables.tethered)) return env.deferred<void>().promise
  await terminal.readInput()
}

async function ended(invocation: Invocation, { proxy, beside, deregister }: Running): Promise<void> {
  const { env } = invocation
  const first = new Interruption(invocation)
  await Promise.race([first.uttered, untethered(invocation)])
  first.close()
  const second = new Interruption(invocation)
  env.log.write('info', 'proxy', 'The proxy ends')
  for (const one of beside) one.close()
  await Promise.race([Promise.all([deregister(), proxy.stop(drainMs)]), second.uttered])
  second.close()
  proxy.close()
}
