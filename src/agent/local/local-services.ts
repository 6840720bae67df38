import { done, err, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { ManagedProxy, ShownService } from '../../features/contract/local-services.ts'
import type { CheckDefinition, CheckFacts, CheckStatus, NodeFacts, ServiceDefinition } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { serversService } from '../../model/naming/names.ts'
import type { StartFailure } from '../boot/lifecycle.ts'
import { registersWithoutToken } from '../settings/access-settings.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { AntiEntropy } from './anti-entropy.ts'
import { ApiRegistrations } from './api-registrations.ts'
import { dangerousScripts } from './check-runner.ts'
import { warnOfNodeName } from './dns-names.ts'
import { itemKey } from './entries.ts'
import { wantedDefinitions } from './file-definitions.ts'
import { FileRegistrations } from './file-registrations.ts'
import { InTurn } from './in-turn.ts'
import { diskRefusal, Keeping, unreadable } from './keeping.ts'
import { LocalChecks } from './local-checks.ts'
import { LocalState } from './local-state.ts'
import { OverdueReaper } from './overdue-services.ts'
import { type LocalServicesParts, nodeFactsOf, noTokens, type RunningLocalServices } from './parts.ts'
import { thingsOf, thingsOfCheck } from './places.ts'
import type { OtherChecks } from './unnamed-checks.ts'

export function createLocalServices(env: Env, parts: LocalServicesParts): RunningLocalServices {
  return new Registrations(env, parts)
}

/**
 * Services and checks of one agent, from its start to its stop. It decides when a change takes effect: changes of one
 * item one at a time, a reload alone, and each is reported to the catalog before its caller gets an answer.
 */
class Registrations implements RunningLocalServices {
  readonly #env: Env
  readonly #nodeId: string
  readonly #state: LocalState
  readonly #keeping: Keeping
  readonly #checks: LocalChecks
  readonly #api: ApiRegistrations
  readonly #files: FileRegistrations
  readonly #sync: AntiEntropy
  readonly #turns: InTurn
  /** One for each waiting caller. */
  readonly #watchers = new Set<{ use(): void }>()
  #config: AgentConfig
  readonly #reaper: OverdueReaper

  constructor(env: Env, parts: LocalServicesParts) {
    this.#env = env
    this.#config = parts.config
    this.#nodeId = parts.nodeId
    this.#state = new LocalState(nodeFactsOf(parts.config, parts.nodeId), {
      services: () => this.#servicesChanged(),
      checks: (serviceId) => this.#checks.checksChanged(serviceId),
    })
    this.#keeping = new Keeping(env, parts.config.dataDir)
    this.#checks = new LocalChecks({
      env,
      state: this.#state,
      keeping: this.#keeping,
      catalog: parts.catalog,
      containerRuntime: parts.config.checksConfig.containerRuntime,
      rights: parts.rights,
      settings: () => this.#config.checksConfig,
      naming: parts.config.naming,
      checkTls: () => (this.#config.checksConfig.agentTls ? parts.checkTls?.() : undefined),
      changed: () => this.#sync.changed(),
    })
    this.#files = new FileRegistrations(this.#state, this.#checks)
    this.#api = new ApiRegistrations({
      env,
      state: this.#state,
      keeping: this.#keeping,
      checks: this.#checks,
      config: () => this.#config,
    })
    this.#reaper = new OverdueReaper(env, this.#state, (id, isStillOverdue) => this.#deregister(id, isStillOverdue))
    this.#turns = new InTurn(env)
    this.#sync = new AntiEntropy({
      env,
      state: this.#state,
      catalog: parts.catalog,
      tokens: parts.tokens ?? noTokens,
      leaders: parts.config.server ? serversService(parts.config.naming) : undefined,
      rights: parts.rights,
      nodeCount: () => parts.nodeCount(),
    })
  }

  get syncTroubles(): readonly string[] {
    return this.#sync.troubles
  }

  nodeFacts(): NodeFacts {
    return this.#state.node
  }

  services(): readonly ShownService[] {
    return this.#state.shownServices()
  }

  checks(): readonly CheckFacts[] {
    return this.#state.checks()
  }

  service(id: string): ShownService | undefined {
    return this.#state.shownService(id)
  }

  check(checkId: string): CheckFacts | undefined {
    return this.#state.checkFacts(checkId)
  }

  managedProxies(): readonly ManagedProxy[] {
    return this.#state.managedProxies()
  }

  onServicesChange(use: () => void): Closable {
    const watcher = { use }
    this.#watchers.add(watcher)
    return { close: () => this.#watchers.delete(watcher) }
  }

  stats(): Readonly<Record<string, string>> {
    const { scripts, ttls } = this.#checks.counts
    return {
      check_monitors: String(scripts),
      check_ttls: String(ttls),
      checks: String(this.#state.checkCount),
      services: String(this.#state.serviceCount),
    }
  }

  trigger(): void {
    this.#sync.trigger()
  }

  silence(): void {
    this.#sync.stop()
  }

  /** Runs outside the queue: no change is possible before the start is over. */
  async start(): Promise<Result<undefined, StartFailure>> {
    const kept = await this.#keeping.load()
    if (!kept.ok) return err(unreadable(diskRefusal(kept.error)))
    const held = new Set(kept.value.services.map(({ id }) => itemKey(id)))
    const read = wantedDefinitions(this.#config, kept.value.services, (id) => held.has(itemKey(id)))
    if (!read.ok) {
      return err<StartFailure>({ kind: 'configuration', message: read.error, remedy: 'correct the definition' })
    }
    const wanted = read.value
    warnOfNodeName(this.#env.log, this.#config.nodeName)
    this.#files.takeServices(wanted, this.#env.log)
    const back = await this.#api.restore(kept.value, wanted)
    if (!back.ok) return err(unreadable(back.error))
    this.#files.takeChecks(wanted, kept.value.states)
    await this.#keeping.dropStates(kept.value, (checkId) => this.#state.check(checkId) !== undefined)
    const { checksConfig, access } = this.#config
    if (checksConfig.remoteScripts && registersWithoutToken(access))
      this.#env.log.write('warn', 'agent', dangerousScripts)
    this.#reaper.start()
    this.#sync.start()
    return done
  }

  async stop(): Promise<void> {
    this.#reaper.close()
    this.#checks.stop()
    this.#sync.stop()
    await this.#turns.idle()
    await this.#keeping.close()
  }

  async registerService(
    definition: ServiceDefinition,
    others: OtherChecks = 'keep-others',
  ): Promise<Result<undefined, Failure>> {
    const changed = await this.#turns.run(() => this.#api.takeService(definition, others), thingsOf(definition))
    return changed.ok ? this.#told() : changed
  }

  deregisterService(id: string): Promise<Result<undefined, Failure>> {
    return this.#deregister(id, () => true)
  }

  /** `isWanted` is asked when the turn has come. */
  async #deregister(id: string, isWanted: () => boolean): Promise<Result<undefined, Failure>> {
    const changed = await this.#turns.run(async () => (isWanted() ? this.#api.dropService(id) : done))
    return changed.ok ? this.#told() : changed
  }

  async registerCheck(definition: CheckDefinition): Promise<Result<undefined, Failure>> {
    const changed = await this.#turns.run(() => this.#api.takeCheck(definition), thingsOfCheck(definition))
    return changed.ok ? this.#told() : changed
  }

  async deregisterCheck(checkId: string): Promise<Result<undefined, Failure>> {
    const changed = await this.#turns.run(() => this.#api.dropCheck(checkId))
    return changed.ok ? this.#told() : changed
  }

  async reportTtl(checkId: string, status: CheckStatus, output: string): Promise<Result<undefined, Failure>> {
    const about = thingsOfCheck({ checkId, serviceId: '' })
    const heard = this.#checks.hear(checkId, output)
    const reported = await this.#turns.run(() => this.#checks.report(checkId, { status, output }, heard), about)
    if (!reported.ok) return reported
    return reported.value !== 'none' && !this.#state.isOutputDeferred(checkId) ? this.#told() : done
  }

  reload(config: AgentConfig): Promise<Result<undefined, Failure>> {
    return this.#turns.run(async () => {
      const fromApi = (id: string): boolean => this.#state.service(id)?.origin === 'api'
      const read = wantedDefinitions(config, this.#state.services(), fromApi)
      if (!read.ok) return err({ kind: 'bad-request', message: read.error })
      const wanted = read.value
      const replaced = await this.#api.forgetReplaced(wanted)
      if (!replaced.ok) return replaced
      this.#takeOver(config)
      this.#files.replace(wanted)
      this.#api.followScripts()
      if (config.checksConfig.discardOutput) this.#checks.discardOutputs()
      this.#sync.changed()
      return done
    })
  }

  #takeOver(config: AgentConfig): void {
    this.#config = config
    const node = nodeFactsOf(config, this.#nodeId)
    if (JSON.stringify(node) !== JSON.stringify(this.#state.node)) this.#state.setNode(node)
  }

  #servicesChanged(): void {
    for (const { use } of [...this.#watchers]) use()
  }

  async #told(): Promise<Result<undefined, Failure>> {
    await this.#sync.syncChanges()
    return done
  }
}
