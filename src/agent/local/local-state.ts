import type { ManagedProxy, ShownService } from '../../features/contract/local-services.ts'
import type {
  CheckDefinition,
  CheckFacts,
  CheckStatus,
  NodeFacts,
  OfferedService,
  ServiceFacts,
} from '../../model/catalog.ts'
import { type CheckChange, CheckEntries, type LocalCheck } from './check-entries.ts'
import { type Comparison, type Due, itemKey, type Origin, type SyncMark } from './entries.ts'
import { type LocalService, ServiceEntries } from './service-entries.ts'

/** Listeners for changes. */
export interface LocalChanges {
  /** Called after services were added, removed or changed. */
  services(): void
  /** Called after a check of this service, or of the node if it is empty, was added, removed or changed. */
  checks(serviceId: string): void
}

/**
 * The node, services and checks of this agent, and how much of them the catalog has. They are held in memory only:
 * writing to disk, running checks and syncing with the catalog are separate parts. A removed item stays as a mark until
 * the catalog has removed it. This class keeps services and checks consistent with each other, and announces each
 * change.
 */
export class LocalState {
  readonly #services = new ServiceEntries()
  readonly #checks = new CheckEntries()
  readonly #told: LocalChanges
  #node: Omit<SyncMark, 'key'> & { facts: NodeFacts }

  constructor(node: NodeFacts, told: LocalChanges) {
    this.#told = told
    this.#node = { facts: node, synced: false, version: 0 }
  }

  get node(): NodeFacts {
    return this.#node.facts
  }

  setNode(facts: NodeFacts): void {
    this.#node = { facts, synced: false, version: this.#node.version + 1 }
  }

  /** In order of ID. */
  services(): readonly ServiceFacts[] {
    return this.#services.facts()
  }

  /** The same as the agent shows them. */
  shownServices(): readonly ShownService[] {
    return this.#services.shown()
  }

  shownService(id: string): ShownService | undefined {
    return this.#services.shownOne(id)
  }

  service(id: string): LocalService | undefined {
    return this.#services.find(id)
  }

  /** IDs of the sidecars of a service. */
  sidecarsOf(serviceId: string): readonly string[] {
    return this.#services.sidecarsOf(serviceId)
  }

  /** Proxies that the agent runs as processes, in order of ID, each with the token of its service. */
  managedProxies(): readonly ManagedProxy[] {
    return this.#services.managedProxies()
  }

  /** Whether there are at least `count` services; counts only if that is possible. */
  hasServices(count: number): boolean {
    return this.#services.has(count)
  }

  hasChecks(count: number): boolean {
    return this.#checks.has(count)
  }

  get serviceCount(): number {
    return this.#services.count
  }

  get checkCount(): number {
    return this.#checks.count
  }

  /** In order of check ID. */
  checks(): readonly CheckFacts[] {
    return this.#checks.list().map((check) => this.#factsOf(check))
  }

  /** In order of check ID. */
  localChecks(): readonly LocalCheck[] {
    return this.#checks.list()
  }

  check(id: string): LocalCheck | undefined {
    return this.#checks.find(id)
  }

  checkFacts(id: string): CheckFacts | undefined {
    const check = this.check(id)
    return check && this.#factsOf(check)
  }

  /** In order of check ID. */
  checksOf(serviceId: string): readonly LocalCheck[] {
    return this.#checks.of(serviceId)
  }

  /** `declared`: registered now, and not restored from an earlier process. */
  putService(offered: OfferedService, origin: Origin, declared: boolean): void {
    this.#services.put(offered, origin, declared)
    this.#checks.serviceChanged(offered.id)
    this.#told.services()
  }

  /** An existing check keeps its status and output. */
  putCheck(definition: CheckDefinition, origin: Origin, nowMs: number): void {
    const { checkId, serviceId } = definition
    const before = this.check(checkId)?.definition.serviceId
    this.#checks.put(definition, origin, nowMs)
    this.#told.checks(serviceId)
    if (before !== undefined && itemKey(before) !== itemKey(serviceId)) this.#told.checks(before)
  }

  removeService(id: string): void {
    if (this.#services.remove(id)) this.#told.services()
  }

  removeCheck(id: string): void {
    const serviceId = this.#checks.remove(id)
    if (serviceId !== undefined) this.#told.checks(serviceId)
  }

  /** The result of a run or a report. `defer`: a change of the output alone is not synced until `outputDue`. */
  updateCheck(id: string, status: CheckStatus, output: string, nowMs: number, defer: boolean): CheckChange {
    const key = itemKey(id)
    const check = this.check(key)
    if (check === undefined) return 'none'
    const change = this.#checks.update(key, status, output, nowMs, defer)
    if (change !== 'none') this.#told.checks(check.definition.serviceId)
    return change
  }

  isOutputDeferred(id: string): boolean {
    return this.#checks.isOutputDeferred(id)
  }

  /** A deferred output is to be synced now; returns whether there is anything to sync. */
  outputDue(id: string): boolean {
    return this.#checks.outputDue(id)
  }

  /** The node's own data, if the catalog is not known to have them. */
  dueNode(): Due<NodeFacts> | undefined {
    const { synced, version, facts } = this.#node
    return synced ? undefined : { id: facts.node, key: itemKey(facts.node), version, facts, token: '' }
  }

  /** IDs of services that the catalog is not known to have as they are here, in sorted order. */
  dueServices(): readonly string[] {
    return this.#services.dueIds()
  }

  dueService(id: string): Due<ServiceFacts> | undefined {
    return this.#services.due(id)
  }

  /** As `dueServices`, for checks. */
  dueChecks(): readonly string[] {
    return this.#checks.dueIds()
  }

  /** Checks of a service to be synced, without removed ones. */
  dueChecksOf(serviceId: string): readonly Due<CheckFacts>[] {
    return this.#checks.idsOf(serviceId).flatMap((id) => {
      const due = this.dueCheck(id)
      return due === undefined || due.facts === null ? [] : due
    })
  }

  dueCheck(id: string): Due<CheckFacts> | undefined {
    const due = this.#checks.due(id)
    return due && { ...due, facts: due.facts === null ? null : this.#factsOf(due.facts) }
  }

  nodeSynced(due: Due<unknown>): void {
    if (this.#node.version === due.version) this.#node.synced = true
  }

  serviceSynced(due: Due<unknown>): void {
    if (this.#services.synced(due)) this.#checks.serviceRemoved(due.key)
  }

  checkSynced(due: Due<unknown>): void {
    this.#checks.synced(due)
  }

  /** Takes over the result of a comparison with the catalog. */
  compared(found: Comparison): void {
    this.#node.synced = found.node
    for (const [id, tags] of found.overriddenTags) {
      this.#services.overrideTags(id, tags)
      this.#told.services()
    }
    this.#services.compared(found.services)
    this.#checks.compared(found.checks)
    for (const id of found.strangeServices) this.#services.putStrange(id)
    for (const { checkId, serviceId } of found.strangeChecks) this.#checks.putStrange(checkId, serviceId)
  }

  /** The check as the catalog has it: with the name and tags of its service. */
  #factsOf({ definition, status, output }: LocalCheck): CheckFacts {
    const service = this.service(definition.serviceId)?.facts
    return {
      node: this.#node.facts.node,
      checkId: definition.checkId,
      name: definition.name,
      status,
      notes: definition.notes,
      output,
      serviceId: service?.id ?? definition.serviceId,
      serviceName: service?.service ?? '',
      serviceTags: service?.tags ?? [],
      definition: null,
    }
  }
}
