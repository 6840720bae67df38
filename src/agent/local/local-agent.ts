import { done, err, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { ManagedProxy } from '../../features/contract/local-agent.ts'
import type {
  CheckDefinition,
  CheckFacts,
  CheckStatus,
  NodeFacts,
  OfferedService,
  ServiceDefinition,
  ServiceFacts,
} from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { StartFailure } from '../boot/lifecycle.ts'
import { registersWithoutToken } from '../settings/access-settings.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { AntiEntropy } from './anti-entropy.ts'
import { CheckResults } from './check-results.ts'
import { CheckRunner, dangerousScripts } from './check-runner.ts'
import { warnOfNodeName, warnOfServiceNames } from './dns-names.ts'
import { itemKey } from './entries.ts'
import {
  type FileDefinitions,
  noDefinitions,
  sameDefinition,
  scriptRefusal,
  wantedDefinitions,
} from './file-definitions.ts'
import { InTurn } from './in-turn.ts'
import { diskRefusal, Keeping, type Kept, restored, unreadable } from './keeping.ts'
import { type KeptChange, type KeptState, withoutCheck, withoutService } from './kept-schema.ts'
import { type CheckChange, LocalState, type Origin } from './local-state.ts'
import { managedRefusal } from './managed-proxies.ts'
import { OverdueReaper } from './overdue-services.ts'
import { type LocalAgentParts, nodeFactsOf, noTokens, type RunningLocalAgent } from './parts.ts'
import { Places, thingsOf, thingsOfCheck } from './places.ts'
import { offeredBy } from './sidecars.ts'
import { type OtherChecks, unnamedChecks } from './unnamed-checks.ts'

export function createLocalAgent(env: Env, parts: LocalAgentParts): RunningLocalAgent {
  return new LocalServices(env, parts)
}

/**
 * Services and checks of one agent: in memory, on disk if they came over the API, and in the catalog by anti-entropy.
 * Changes of one item run one at a time; a requested change is on disk before it takes effect.
 */
class LocalServices implements RunningLocalAgent {
  readonly #env: Env
  readonly #nodeId: string
  readonly #state: LocalState
  readonly #keeping: Keeping
  readonly #runner: CheckRunner
  readonly #sync: AntiEntropy
  readonly #turns: InTurn
  readonly #places: Places
  readonly #results: CheckResults
  /** One for each waiting caller. */
  readonly #watchers = new Set<{ use(): void }>()
  #config: AgentConfig
  #fromFiles: FileDefinitions = noDefinitions
  readonly #reaper: OverdueReaper
  #stopped = false

  constructor(env: Env, parts: LocalAgentParts) {
    this.#env = env
    this.#config = parts.config
    this.#nodeId = parts.nodeId
    this.#state = new LocalState(nodeFactsOf(parts.config, parts.nodeId), {
      services: () => this.#servicesChanged(),
      checks: (serviceId) => this.#runner.checksChanged(serviceId),
    })
    this.#keeping = new Keeping(env, parts.config.dataDir)
    this.#runner = new CheckRunner({
      env,
      state: this.#state,
      catalog: parts.catalog,
      containerRuntime: parts.config.checksConfig.containerRuntime,
      rights: parts.rights,
      checkTls: () => (this.#config.checksConfig.agentTls ? parts.checkTls?.() : undefined),
      report: (checkId, outcome) => this.#results.found(checkId, outcome),
    })
    this.#reaper = new OverdueReaper(env, this.#state, (id) => this.deregisterService(id))
    this.#turns = new InTurn(env)
    this.#places = new Places(this.#state)
    this.#sync = new AntiEntropy({
      env,
      state: this.#state,
      catalog: parts.catalog,
      tokens: parts.tokens ?? noTokens,
      server: parts.config.server,
      rights: parts.rights,
      nodeCount: () => parts.nodeCount(),
    })
    this.#results = new CheckResults({
      env,
      state: this.#state,
      settings: () => this.#config.checksConfig,
      changed: () => this.#sync.changed(),
    })
  }

  get syncTroubles(): readonly string[] {
    return this.#sync.troubles
  }

  nodeFacts(): NodeFacts {
    return this.#state.node
  }

  services(): readonly ServiceFacts[] {
    return this.#state.services()
  }

  checks(): readonly CheckFacts[] {
    return this.#state.checks()
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
    return {
      check_monitors: String(this.#runner.scriptCount),
      check_ttls: String(this.#runner.ttlCount),
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
    for (const facts of wanted.services.values()) {
      warnOfServiceNames(this.#env.log, facts)
      this.#state.putService(facts, 'file', false)
    }
    const back = await this.#restore(kept.value, wanted)
    if (!back.ok) return err(unreadable(back.error))
    for (const check of wanted.checks.values())
      this.#begin(check, 'file', kept.value.states.get(itemKey(check.checkId)))
    await this.#keeping.dropStates(kept.value, (checkId) => this.#state.check(checkId) !== undefined)
    this.#fromFiles = wanted
    const { checksConfig, access } = this.#config
    if (checksConfig.remoteScripts && registersWithoutToken(access))
      this.#env.log.write('warn', 'agent', dangerousScripts)
    this.#reaper.start()
    this.#sync.start()
    return done
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#reaper.close()
    this.#results.stop()
    this.#runner.stop()
    this.#sync.stop()
    await this.#turns.idle()
    await this.#keeping.close()
  }

  async registerService(
    definition: ServiceDefinition,
    others: OtherChecks = 'keep-others',
  ): Promise<Result<undefined, Failure>> {
    const changed = await this.#turns.run(() => this.#takeService(definition, others), thingsOf(definition))
    return changed.ok ? this.#told() : changed
  }

  async deregisterService(id: string): Promise<Result<undefined, Failure>> {
    const changed = await this.#turns.run(() => this.#dropService(id))
    return changed.ok ? this.#told() : changed
  }

  async registerCheck(definition: CheckDefinition): Promise<Result<undefined, Failure>> {
    const changed = await this.#turns.run(() => this.#takeCheck(definition), thingsOfCheck(definition))
    return changed.ok ? this.#told() : changed
  }

  async deregisterCheck(checkId: string): Promise<Result<undefined, Failure>> {
    const changed = await this.#turns.run(() => this.#dropCheck(checkId))
    return changed.ok ? this.#told() : changed
  }

  async reportTtl(checkId: string, status: CheckStatus, output: string): Promise<Result<undefined, Failure>> {
    let change: CheckChange = 'none'
    const about = thingsOfCheck({ checkId, serviceId: '' })
    const reported = await this.#turns.run(async () => {
      const ttl = this.#runner.ttl(checkId)
      if (ttl === undefined) {
        const message = `CheckID ${JSON.stringify(checkId)} does not have associated TTL`
        return err<Failure>({ kind: 'bad-request', message })
      }
      ttl.heard(output)
      change = this.#results.take(checkId, { status, output })
      const expiresWallMs = this.#env.clock.wallMs() + ttl.ttlMs
      const kept = await this.#keeping.keepState({ checkId, status, output, expiresWallMs })
      // The report counts even if it is lost when this process ends.
      if (!kept.ok) this.#warn('the state of a check could not be kept', kept.error)
      return done
    }, about)
    return reported.ok && change !== 'none' && !this.#state.isOutputDeferred(checkId) ? this.#told() : reported
  }

  reload(config: AgentConfig): Promise<Result<undefined, Failure>> {
    return this.#turns.run(async () => {
      const fromApi = (id: string): boolean => this.#state.service(id)?.origin === 'api'
      const read = wantedDefinitions(config, this.#state.services(), fromApi)
      if (!read.ok) return err({ kind: 'bad-request', message: read.error })
      const wanted = read.value
      const replaced = await this.#forgetReplaced(wanted)
      if (!replaced.ok) return replaced
      this.#takeOver(config, wanted)
      this.#sync.changed()
      return done
    })
  }

  /** Applies a reload in one step: unchanged, replaced and removed items. */
  #takeOver(config: AgentConfig, wanted: FileDefinitions): void {
    const before = this.#fromFiles
    this.#config = config
    this.#fromFiles = wanted
    const node = nodeFactsOf(config, this.#nodeId)
    if (JSON.stringify(node) !== JSON.stringify(this.#state.node)) this.#state.setNode(node)
    for (const [id, facts] of wanted.services) {
      const old = this.#state.service(id)?.origin === 'file' ? before.services.get(id) : undefined
      if (old === undefined || !sameDefinition(old, facts)) this.#state.putService(facts, 'file', true)
    }
    for (const [id, check] of wanted.checks) {
      const old = this.#state.check(id)?.origin === 'file' ? before.checks.get(id) : undefined
      if (old === undefined || !sameDefinition(old, check)) this.#begin(check, 'file')
    }
    for (const { definition, origin } of this.#state.localChecks()) {
      if (origin === 'file' && !wanted.checks.has(itemKey(definition.checkId))) this.#end(definition.checkId)
    }
    for (const { id } of this.#state.services()) {
      const ours = this.#state.service(id)
      if (ours?.origin !== 'file' || wanted.services.has(itemKey(id))) continue
      this.#state.removeService(id)
      for (const { definition } of this.#state.checksOf(id)) this.#end(definition.checkId)
    }
  }

  /** A file now defines these items that came over the API: the file's definition wins. */
  async #forgetReplaced(wanted: FileDefinitions): Promise<Result<undefined, Failure>> {
    const services = [...wanted.services.keys()].filter((id) => this.#state.service(id)?.origin === 'api')
    const checks = [...wanted.checks.keys()].filter((id) => this.#state.check(id)?.origin === 'api')
    const kept = await this.#keep([...services.map(withoutService), ...checks.map(withoutCheck)])
    if (kept.ok) for (const id of checks) await this.#dropState(id)
    return kept
  }

  async #keep(changes: readonly KeptChange[]): Promise<Result<undefined, Failure>> {
    const kept = await this.#keeping.change(changes)
    return kept.ok ? kept : err(diskRefusal(kept.error))
  }

  async #dropState(checkId: string): Promise<void> {
    const dropped = await this.#keeping.dropState(checkId)
    if (!dropped.ok) this.#warn('the state of a check could not be removed', dropped.error)
  }

  #restore(kept: Kept, wanted: FileDefinitions): Promise<Result<undefined, Failure>> {
    const { services, checks, changes, leftOut } = restored(kept, wanted, this.#config)
    for (const facts of services) this.#state.putService(facts, 'api', false)
    for (const check of checks) this.#begin(check, 'api', kept.states.get(itemKey(check.checkId)))
    const text = 'a stored check is left out: scripts are disabled on this agent'
    for (const check of leftOut) this.#env.log.write('warn', 'agent', text, { check })
    return this.#keep(changes)
  }

  async #takeService(definition: ServiceDefinition, others: OtherChecks): Promise<Result<undefined, Failure>> {
    const forbidden = managedRefusal(definition, this.#config.managedProxies)
    if (forbidden !== undefined) return err(forbidden)
    const offered = offeredBy(definition, this.#state.services(), this.#config)
    if (!offered.ok) return err({ kind: 'bad-request', message: offered.error })
    const services = offered.value.map(({ service }) => service)
    const checks = offered.value.flatMap((each) => each.checks)
    const refusal = scriptRefusal(this.#config, checks)
    if (refusal !== undefined) return err(refusal)
    return this.#places.take(services, checks, async () => {
      const dropped = others === 'keep-others' ? [] : unnamedChecks(this.#state, services, checks)
      const put = await this.#keepAndPut(services, checks, dropped)
      if (put.ok) for (const checkId of dropped) await this.#dropState(checkId)
      return put
    })
  }

  async #keepAndPut(
    services: readonly OfferedService[],
    checks: readonly CheckDefinition[],
    dropped: readonly string[],
  ): Promise<Result<undefined, Failure>> {
    const put = [...checks.map((check) => ({ check })), ...services.map((service) => ({ service }))]
    const kept = await this.#keep([...dropped.map(withoutCheck), ...put])
    if (!kept.ok) return kept
    for (const checkId of dropped) this.#end(checkId)
    for (const service of services) {
      warnOfServiceNames(this.#env.log, service)
      this.#state.putService(service, 'api', true)
    }
    for (const check of checks) this.#begin(check, 'api')
    return done
  }

  async #takeCheck(check: CheckDefinition): Promise<Result<undefined, Failure>> {
    if (check.serviceId !== '' && this.#state.service(check.serviceId) === undefined) {
      const message = `ServiceID ${JSON.stringify(check.serviceId)} does not exist`
      return err({ kind: 'bad-request', message })
    }
    const refusal = scriptRefusal(this.#config, [check])
    if (refusal !== undefined) return err(refusal)
    return this.#places.take([], [check], async () => {
      const kept = await this.#keep([{ check }])
      if (!kept.ok) return kept
      this.#begin(check, 'api')
      return done
    })
  }

  async #dropService(id: string): Promise<Result<undefined, Failure>> {
    const service = this.#state.service(id)
    if (service === undefined) return done
    const ids = [id, ...this.#state.sidecarsOf(id)]
    const checks = ids.flatMap((each) => this.#state.checksOf(each)).map(({ definition }) => definition.checkId)
    const dropped = await this.#keep([...ids.map(withoutService), ...checks.map(withoutCheck)])
    if (!dropped.ok) return dropped
    for (const each of ids) this.#state.removeService(each)
    for (const checkId of checks) this.#end(checkId)
    for (const checkId of checks) await this.#dropState(checkId)
    return done
  }

  async #dropCheck(checkId: string): Promise<Result<undefined, Failure>> {
    if (this.#state.check(checkId) === undefined) return done
    const dropped = await this.#keep([withoutCheck(checkId)])
    if (!dropped.ok) return dropped
    this.#end(checkId)
    await this.#dropState(checkId)
    return done
  }

  /** Starts a check, and replaces one with the same ID. `kept` is the last report that an earlier process stored. */
  #begin(check: CheckDefinition, origin: Origin, kept?: KeptState): void {
    const nowMs = this.#env.clock.monoMs()
    const fresh = check.probe.kind === 'ttl' && kept !== undefined && kept.expiresWallMs > this.#env.clock.wallMs()
    const key = itemKey(check.checkId)
    this.#results.forget(key)
    this.#state.putCheck(check, origin, nowMs)
    if (fresh) this.#state.updateCheck(key, kept.status, kept.output, nowMs, false)
    if (!this.#stopped) this.#runner.run(check, this.#state.check(key)?.output)
  }

  #end(checkId: string): void {
    this.#results.forget(checkId)
    this.#runner.end(checkId)
    this.#state.removeCheck(checkId)
  }

  #servicesChanged(): void {
    for (const { use } of [...this.#watchers]) use()
  }

  async #told(): Promise<Result<undefined, Failure>> {
    await this.#sync.syncChanges()
    return done
  }

  #warn(text: string, failure: DiskFailure): void {
    this.#env.log.write('warn', 'agent', text, { file: failure.path, reason: failure.kind })
  }
}
