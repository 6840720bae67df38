import type { AgentConfig } from '../agent/settings/agent-config.ts'
import { uuidOf } from '../base/uuid.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { endpointText } from '../env/net.ts'
import type { LocalServices, ManagedProxy } from '../features/contract/local-services.ts'
import { variableName } from '../model/naming/names.ts'
import { proxyVariables } from '../model/proxy-variables.ts'
import { ProxyDaemon } from './proxy-daemon.ts'

/** Maximum number of proxies that one agent runs; further ones are not started. */
const runningMax = 1_024

type Local = Pick<LocalServices, 'managedProxies' | 'onServicesChange'>
type Config = Pick<AgentConfig, 'naming' | 'ports' | 'clientAddresses' | 'httpsAddresses' | 'tls' | 'managedProxies'>

interface Running {
  readonly daemon: ProxyDaemon
  readonly command: string
  /** Known only to this proxy and this agent, for as long as both run. */
  readonly secret: string
}

/**
 * Runs the proxies that are registered as managed, each as a process. An added proxy is started, a removed one is
 * stopped, and one whose command changes is replaced. A proxy learns of its other changes from the agent by itself.
 */
export class ManagedProxies {
  readonly #env: Env
  readonly #config: Config
  readonly #local: Local
  readonly #watching: Closable
  readonly #running = new Map<string, Running>()
  /** Why certain proxies do not run, as it was logged. */
  readonly #refused = new Map<string, string>()
  /** The token of each proxy's service, by the secret of the proxy. */
  #tokens: ReadonlyMap<string, string> = new Map()
  /** Agents that never ran a proxy report nothing about them. */
  #hasRun = false
  readonly #ending = new Set<Promise<void>>()

  constructor(env: Env, config: Config, local: Local) {
    this.#env = env
    this.#config = config
    this.#local = local
    this.#watching = local.onServicesChange(() => this.#follow())
    this.#follow()
  }

  /**
   * The secret with which a request is served: a managed proxy acts with the token of its service; any other secret is
   * returned unchanged.
   */
  actingToken(secret: string): string {
    return this.#tokens.get(secret) ?? secret
  }

  /** Settles when no proxy runs any more. */
  async stop(): Promise<void> {
    this.#watching.close()
    for (const id of [...this.#running.keys()]) this.#end(id)
    await Promise.all(this.#ending)
  }

  #follow(): void {
    const daemons = this.#local.managedProxies().filter(({ managed }) => managed.execMode !== 'script')
    const wanted = new Map(daemons.map((managed) => [managed.proxy.id, managed]))
    for (const id of [...this.#refused.keys()]) if (!wanted.has(id)) this.#refused.delete(id)
    for (const [id, { command }] of [...this.#running]) {
      const managed = wanted.get(id)
      if (managed === undefined || commandText(managed) !== command) this.#end(id)
    }
    for (const managed of wanted.values()) if (!this.#running.has(managed.proxy.id)) this.#begin(managed)
    const tokens = [...this.#running].map(([id, { secret }]) => [secret, wanted.get(id)?.token ?? ''] as const)
    this.#tokens = new Map(tokens)
    if (wanted.size > 0 || this.#hasRun) this.#env.metrics.gauge('proxy.managed.running', this.#running.size)
    this.#hasRun ||= wanted.size > 0
  }

  #begin(managed: ManagedProxy): void {
    const { id } = managed.proxy
    const program = this.#programOf(managed)
    const agent = this.#agentVariables()
    const why = this.#problem() ?? (program === undefined ? 'there is no program for it' : undefined)
    if (why !== undefined || program === undefined || agent === undefined) {
      const said = why ?? 'the agent has no HTTP API'
      if (this.#refused.get(id) !== said)
        this.#env.log.write('error', 'agent', 'A managed proxy is not run', { id, why: said })
      this.#refused.set(id, said)
      return
    }
    this.#refused.delete(id)
    const secret = uuidOf(this.#env.crypto.randomBytes(16, 'managed proxy'))
    const own = [
      [proxyVariables.id, id],
      [proxyVariables.token, secret],
      [proxyVariables.tethered, '1'],
      [variableName(this.#config.naming, 'HTTP_TOKEN'), secret],
    ] as const
    const daemon = new ProxyDaemon(this.#env, { id, argv: program, environment: new Map([...agent, ...own]) })
    this.#running.set(id, { daemon, command: commandText(managed), secret })
  }

  #problem(): string | undefined {
    if (this.#running.size >= runningMax) return `this agent runs ${runningMax} proxies and starts no more`
    const isRoot = this.#env.machine.ownProgram?.asRoot === true
    if (isRoot && !this.#config.managedProxies.asRoot)
      return 'the agent runs as root, and connect.proxy.allow_managed_root does not allow that'
    return undefined
  }

  #programOf({ managed }: ManagedProxy): readonly [string, ...string[]] | undefined {
    const [program, ...words] = managed.command
    if (program !== undefined) return [program, ...words]
    const own = this.#env.machine.ownProgram?.argv
    return own === undefined ? undefined : [...own, 'connect', 'proxy']
  }

  /** Environment variables through which the proxy finds this agent; undefined if the API has no listener. */
  #agentVariables(): readonly (readonly [string, string])[] | undefined {
    const { naming, ports, clientAddresses, httpsAddresses, tls } = this.#config
    const variable = (name: string): string => variableName(naming, name)
    const [plain] = clientAddresses
    if (ports.http > 0 && plain !== undefined) return [[variable('HTTP_ADDR'), addressText('http', plain, ports.http)]]
    const [secured] = httpsAddresses
    if (ports.https <= 0 || secured === undefined) return undefined
    const files = [
      ['CACERT', tls.authorities],
      ['CLIENT_CERT', tls.certificate],
      ['CLIENT_KEY', tls.privateKey],
    ] as const
    const given = files.flatMap(([name, file]) => (file === undefined ? [] : [[variable(name), file] as const]))
    return [[variable('HTTP_ADDR'), addressText('https', secured, ports.https)], ...given]
  }

  #end(id: string): void {
    const running = this.#running.get(id)
    if (running === undefined) return
    this.#running.delete(id)
    const ended = running.daemon.stop().then(() => void this.#ending.delete(ended))
    this.#ending.add(ended)
    this.#env.detach(ended)
    this.#env.log.write('info', 'agent', 'A managed proxy is stopped', { id })
  }
}

function commandText({ managed }: ManagedProxy): string {
  return JSON.stringify(managed.command)
}

function addressText(scheme: 'http' | 'https', host: string, port: number): string {
  if (host.startsWith('unix://')) return host
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${scheme}://${endpointText({ host: reached, port })}`
}
