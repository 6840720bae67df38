import type { Agent, StartOptions } from '../agent/assembly/agent.ts'
import { features } from '../agent/assembly/features.ts'
import { portFailure, startAgent } from '../agent/assembly/start.ts'
import type { StartFailure } from '../agent/boot/lifecycle.ts'
import { ownCertificate } from '../agent/boot/own-certificate.ts'
import { httpsTls, loadTls } from '../agent/boot/tls-material.ts'
import type { AgentConfig } from '../agent/settings/agent-config.ts'
import { levelNamed } from '../agent/settings/log-settings.ts'
import { Syslog } from '../agent/syslog/syslog.ts'
import { err, ok, type Result } from '../base/result.ts'
import { openCliRpc } from '../cli-rpc/listener.ts'
import { debugConfig } from '../config/debug.ts'
import { createDnsFace, type DnsFace } from '../dns/face.ts'
import { openDns } from '../dns/listeners.ts'
import { startingFace } from '../dns/starting.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { bodyBytesMax, type HttpHandler, type HttpListener, type HttpRequest } from '../env/http.ts'
import type { TlsOptions } from '../env/net.ts'
import { livePath } from '../features/agent/model.ts'
import type { RouteContext } from '../features/contract/route-context.ts'
import { createHttpFace } from '../http/face.ts'
import { ManagedProxies } from './managed-proxies.ts'
import { ConfiguredWatches } from './watches.ts'

/** One whole agent with its interfaces, as both `svc agent` and the simulator start it. */
export interface Program {
  readonly agent: Agent
  /** Listeners of the HTTP API. */
  readonly http: readonly HttpListener[]
  /** Number of requests over HTTP and DNS so far. */
  asked(): number
  stop(): Promise<void>
  /**
   * Sends the last lines of the log to syslog, within a time limit. Called after `stop`, or when the agent has failed.
   */
  endLog(): Promise<void>
}

/** The answers at the agent's ports: until it runs, that it is starting, over DNS as a failure. */
interface Faces {
  http: HttpHandler
  dns: DnsFace
  asked: number
  /** The agent that serves the commands; undefined while it starts. */
  commanded: RouteContext | undefined
}

/**
 * Starts an agent and its interfaces. Their ports are opened first, so that a port in use is found before anything is
 * written; until the agent runs, they answer that it is starting.
 */
export async function startProgram(
  env: Env,
  config: AgentConfig,
  options: StartOptions = {},
): Promise<Result<Program, StartFailure>> {
  const syslog = config.syslog && new Syslog(env, config.syslog, levelNamed[config.logLevel])
  const faces: Faces = {
    http: async ({ target }) =>
      target === livePath
        ? { status: 200, headers: [['Content-Type', 'application/json']], body: '{"Live":true}' }
        : { status: 503, headers: [], body: `${config.naming.title} agent is starting` },
    dns: startingFace(config.dns),
    asked: 0,
    commanded: undefined,
  }
  const http: HttpListener[] = []
  const open: Closable[] = []
  const closeFaces = (): void => {
    for (const listener of open) listener.close()
  }
  const secured: HttpListener[] = []
  const tls = await loadTls(env, config.tls)
  const lacksPair = tls.ok && tls.value.identity === undefined && config.ports.https > 0
  const own = lacksPair ? ownCertificate(env, config) : undefined
  const listening = tls.ok ? await listen(env, config, httpsTls(tls.value, own), faces, { http, secured, open }) : tls
  const watches = new ConfiguredWatches(env, { naming: config.naming, aliases: config.http.aliases }, (request) =>
    faces.http(request),
  )
  const reloaded: StartOptions['reloaded'] = (next, renewed) => {
    for (const listener of secured) listener.renewTls(httpsTls(renewed, own))
    watches.replace(next.watches)
    syslog?.setLevel(levelNamed[next.logLevel])
    options.reloaded?.(next, renewed)
  }
  let described: ReturnType<typeof debugConfig> | undefined
  const shown = { debugConfig: () => (described ??= debugConfig(config)) }
  const given = tls.ok ? { ...shown, tls: tls.value } : shown
  const agent = listening.ok ? await startAgent(env, config, { ...options, ...given, reloaded }) : listening
  if (!agent.ok) {
    closeFaces()
    await syslog?.close()
    return agent
  }
  // The ports are open by now, because proxies send requests to them as soon as they run.
  const proxies = new ManagedProxies(env, config, agent.value.local)
  const routes = features.flatMap((feature) => feature.routes ?? [])
  faces.http = createHttpFace({
    context: agent.value,
    routes,
    config: { ...config.http, translatesAddresses: config.wan.translatesAddresses },
    actingToken: (secret) => proxies.actingToken(secret),
    onFatal: (violation) => agent.value.raiseFatal(violation),
  })
  faces.dns = createDnsFace({
    env: agent.value.env,
    context: agent.value,
    config: config.dns,
    datacenter: config.datacenter,
    labels: agent.value.telemetry.node,
  })
  faces.commanded = agent.value
  watches.replace(config.watches)
  const stop = async (): Promise<void> => {
    watches.close()
    await proxies.stop()
    closeFaces()
    await agent.value.stop()
  }
  return ok({ agent: agent.value, http, asked: () => faces.asked, stop, endLog: async () => syslog?.close() })
}

/** The listeners that could be opened, even if another one could not. */
interface Opened {
  readonly http: HttpListener[]
  /** Listeners with TLS. */
  readonly secured: HttpListener[]
  readonly open: Closable[]
}

async function listen(
  env: Env,
  config: AgentConfig,
  https: TlsOptions,
  faces: Faces,
  { http, secured, open }: Opened,
): Promise<Result<undefined, StartFailure>> {
  const answer = (request: HttpRequest) => {
    faces.asked++
    return faces.http(request)
  }
  const handler: HttpHandler = Object.assign(answer, {
    bodyBytesMaxOf: (method: string, target: string) => faces.http.bodyBytesMaxOf?.(method, target) ?? bodyBytesMax,
  })
  for (const host of config.ports.http > 0 ? config.clientAddresses : []) {
    const at = { host, port: config.ports.http }
    const listener = await env.http.serve(at, handler, undefined, config.unixSockets)
    if (!listener.ok) return err(portFailure(listener.error, 'ports.http'))
    http.push(listener.value)
    open.push(listener.value)
  }
  if (config.ports.https > 0) {
    for (const host of config.httpsAddresses) {
      const at = { host, port: config.ports.https }
      const listener = await env.http.serve(at, handler, https, config.unixSockets)
      if (!listener.ok) return err(portFailure(listener.error, 'ports.https', 'cert_file, key_file and ca_file'))
      secured.push(listener.value)
      open.push(listener.value)
    }
  }
  const dns: DnsFace = {
    answer: (packet, transport, from) => faces.dns.answer(packet, transport, from),
    // Every question comes here first.
    known: (packet, transport, from) => {
      faces.asked++
      return faces.dns.known(packet, transport, from)
    },
  }
  for (const host of config.ports.dns > 0 ? config.dnsAddresses : []) {
    const listener = await openDns(env, dns, { host, port: config.ports.dns })
    if (!listener.ok) return err(portFailure(listener.error, 'ports.dns'))
    open.push(listener.value)
  }
  for (const host of config.cliRpc.port > 0 ? config.cliRpc.addresses : []) {
    const listener = await openCliRpc(env, () => faces.commanded, { host, port: config.cliRpc.port })
    if (!listener.ok) return err(portFailure(listener.error, 'ports.rpc'))
    open.push(listener.value)
  }
  return ok(undefined)
}
