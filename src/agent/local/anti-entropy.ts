import { itemAt } from '../../base/items.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import type { Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { nextTurn } from '../../features/contract/turns.ts'
import type { RegisterAllRequest } from '../../model/catalog.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import { registerOffersMax } from '../../model/limits.ts'
import type { RegistrantRights } from '../access/running-access.ts'
import { compare } from './comparison.ts'
import type { Due, LocalState } from './local-state.ts'
import { NameHolder } from './name-holder.ts'
import { comparing, deregistering, type Offer, registering, thingOf } from './own-calls.ts'
import { isRefusal, type OwnCall, OwnRefusals } from './own-refusals.ts'
import type { CatalogClient, OwnTokens } from './parts.ts'
import { SyncPace } from './sync-pace.ts'
import { UnseenItems } from './unseen.ts'

/**
 * Maximum number of characters in one request to the catalog, besides the limits on services and checks; the last item
 * may exceed it.
 */
const offersSizeMax = 256 << 10
/** Maximum number of concurrent requests to the catalog. */
const togetherMax = 4

interface AntiEntropyParts {
  readonly env: Env
  readonly state: LocalState
  readonly catalog: CatalogClient
  readonly tokens: OwnTokens
  readonly server: boolean
  /** Resolves rights of tokens; absent or undefined: access control is off. */
  readonly rights?: RegistrantRights | undefined
  nodeCount(): number
}

/**
 * Keeps the catalog's view of this agent true: syncs each change at once, and compares everything periodically. One
 * pass runs at a time; requests during a pass share the next one.
 */
export class AntiEntropy {
  readonly #parts: AntiEntropyParts
  readonly #explained: OwnRefusals
  readonly #unseen: UnseenItems
  #next: Deferred<undefined> | undefined
  #running = false
  #fullDue = true
  readonly #name: NameHolder
  #stopped = false
  readonly #pace: SyncPace

  constructor(parts: AntiEntropyParts) {
    this.#parts = parts
    this.#explained = new OwnRefusals(parts.env, parts.rights)
    this.#unseen = new UnseenItems(parts.rights, () => parts.tokens.agent)
    this.#name = new NameHolder(parts.state.node)
    this.#pace = new SyncPace({
      env: parts.env,
      nodeCount: () => parts.nodeCount(),
      onFull: () => this.#passFull(),
      onRetry: () => this.changed(),
    })
  }

  start(): void {
    this.#pace.scheduleFull()
  }

  stop(): void {
    this.#stopped = true
    this.#pace.stop()
    this.#next?.resolve(undefined)
    this.#next = undefined
  }

  /** Why this agent cannot be synced to the catalog; empty: nothing stands in the way. */
  get troubles(): readonly string[] {
    return this.#name.troubles
  }

  /** Schedules a full comparison soon. */
  trigger(): void {
    if (!this.#stopped) this.#pace.fullSoon()
  }

  /** Settles when every change made until now has been synced, or the sync has failed. */
  syncChanges(): Promise<undefined> {
    const { env } = this.#parts
    this.#next ??= env.deferred<undefined>()
    env.batches?.woken(this)
    const { promise } = this.#next
    if (this.#stopped) {
      this.#next.resolve(undefined)
      this.#next = undefined
    } else if (!this.#running) env.detach(this.#runPasses())
    return promise
  }

  /** As `syncChanges`, without waiting. */
  changed(): void {
    this.#parts.env.detach(this.syncChanges())
  }

  async #runPasses(): Promise<void> {
    this.#running = true
    while (this.#next !== undefined && !this.#stopped) {
      // Changes that several callers make at the same time are synced in one pass.
      await nextTurn(this.#parts.env)
      const next = this.#next
      this.#next = undefined
      if (next === undefined || this.#stopped) break
      this.#parts.env.batches?.goesOn(this)
      const passed = await this.#pass()
      next.resolve(undefined)
      if (passed.ok) this.#pace.succeeded()
      else this.#failed(passed.error)
    }
    this.#running = false
  }

  async #pass(): Promise<Result<undefined, Failure>> {
    if (this.#fullDue) {
      const compared = await this.#compareAll()
      if (!compared.ok || this.#stopped) return compared
    }
    return this.#tellChanges()
  }

  async #compareAll(): Promise<Result<undefined, Failure>> {
    const { state, catalog, server } = this.#parts
    const { node } = state.node
    const dump = await catalog.dump(node)
    if (!dump.ok && isRefusal(dump.error)) {
      await this.#explained.refused(comparing(node, this.#parts.tokens), dump.error)
    }
    if (!dump.ok) return dump
    this.#explained.done('comparison')
    if (this.#stopped) return done
    const free = this.#name.compared(dump.value)
    if (!free.ok) return free
    const sees = await this.#unseen.sight()
    if (this.#stopped) return done
    state.compared(compare(state, dump.value, server, sees))
    this.#fullDue = false
    this.#pace.scheduleFull()
    return done
  }

  /**
   * Registers additions before removals, so that a service replaced by another of the same name is never missing. A
   * failure that every other call would also meet ends the pass. A failure of a single call is reported, and the next
   * comparison retries it.
   */
  async #tellChanges(): Promise<Result<undefined, Failure>> {
    const offers = [() => this.#tellServices(), () => this.#tellChecks()]
    const node = [() => this.#tellNode()]
    const steps = [
      ...(this.#parts.catalog.nodeApart ? [...node, ...offers] : [...offers, ...node]),
      () => this.#takeOut(),
    ]
    for (const step of steps) {
      const told = await step()
      if (!told.ok) return told
    }
    return done
  }

  async #tellServices(): Promise<Result<undefined, Failure>> {
    const { state } = this.#parts
    return this.#tellAll(state.dueServices(), (id) => {
      const service = state.dueService(id)
      if (service?.facts == null) return undefined
      // Checks with another token are synced separately.
      const token = this.#tokenFor(service)
      return { service, checks: state.dueChecksOf(id).filter((check) => this.#tokenFor(check) === token), token }
    })
  }

  async #tellChecks(): Promise<Result<undefined, Failure>> {
    const { state } = this.#parts
    return this.#tellAll(state.dueChecks(), (id) => {
      const check = state.dueCheck(id)
      return check?.facts == null ? undefined : { service: null, checks: [check], token: this.#tokenFor(check) }
    })
  }

  #tokenFor({ token }: Due<unknown>): string {
    return token === '' ? this.#parts.tokens.default : token
  }

  /**
   * Registers offers with the same token in one request, with several requests at a time. The request that carries the
   * node's own data goes alone, and first.
   */
  async #tellAll(
    ids: readonly string[],
    offerOf: (id: string) => Offer | undefined,
  ): Promise<Result<undefined, Failure>> {
    let failure: Failure | undefined
    let next = 0
    const tellSome = async (): Promise<void> => {
      const offers: Offer[] = []
      for (let size = 0; next < ids.length && offers.length < registerOffersMax && size < offersSizeMax; next++) {
        const offer = offerOf(itemAt(ids, next))
        if (offer === undefined) continue
        if (offers[0] !== undefined && offers[0].token !== offer.token) break
        offers.push(offer)
        size += sizeOf(offer)
      }
      const told = offers.length === 0 ? 'told' : await this.#register(offers)
      if (told !== 'told' && told !== 'refused') failure = told
    }
    const lane = async (): Promise<void> => {
      while (failure === undefined && next < ids.length) await tellSome()
    }
    if (this.#parts.state.dueNode() !== undefined && ids.length > 0) await tellSome()
    await Promise.all(Array.from({ length: togetherMax }, lane))
    return failure === undefined ? done : err(failure)
  }

  async #tellNode(): Promise<Result<undefined, Failure>> {
    if (this.#parts.state.dueNode() === undefined) return done
    const told = await this.#register([])
    return told === 'told' || told === 'refused' ? done : err(told)
  }

  async #takeOut(): Promise<Result<undefined, Failure>> {
    const { state } = this.#parts
    for (const id of state.dueServices()) {
      const due = state.dueService(id)
      if (due === undefined || due.facts !== null) continue
      const told = await this.#deregister(id, '', due.token)
      if (told === 'told') {
        state.serviceSynced(due)
        this.#explained.done(thingOf('service', id))
        this.#log('Deregistered service', { service: id })
      } else if (told !== 'refused') return err(told)
    }
    for (const id of state.dueChecks()) {
      const due = state.dueCheck(id)
      if (due === undefined || due.facts !== null) continue
      const told = await this.#deregister('', id, due.token)
      if (told === 'told') {
        state.checkSynced(due)
        this.#explained.done(thingOf('check', id))
        this.#log('Deregistered check', { check: id })
      } else if (told !== 'refused') return err(told)
    }
    return done
  }

  /** Sends the node's own data along if the catalog does not have them yet; without offers they are sent alone. */
  async #register(offers: readonly Offer[]): Promise<Told> {
    const { state } = this.#parts
    const node = this.#parts.catalog.nodeApart && offers.length > 0 ? undefined : state.dueNode()
    const answer = await this.#ask({ node: state.node, skipNodeUpdate: node === undefined }, offers)
    if (!answer.ok && offers.length > 1 && meetsThemTogether(answer.error)) return this.#registerEach(offers)
    const told = await this.#told(answer, () =>
      registering(state.node.node, offers, node !== undefined, this.#parts.tokens),
    )
    if (!answer.ok) return told
    const refusals = answer.value
    const taken = offers.filter((_, at) => (refusals[at] ?? null) === null)
    for (const message of refusals) if (message !== null) this.#warn({ kind: 'bad-request', message })
    if (node !== undefined && taken.length === offers.length) {
      state.nodeSynced(node)
      this.#explained.done('node')
      this.#log('Synced node info')
    }
    for (const offer of taken) this.#synced(offer)
    return told
  }

  /** For each offer, why it was refused; null, or a missing element, if it was registered. */
  async #ask(
    node: Pick<RegisterAllRequest, 'node' | 'skipNodeUpdate'>,
    offers: readonly Offer[],
  ): Promise<Result<readonly (string | null)[], Failure>> {
    const { catalog, tokens } = this.#parts
    const token = offers[0]?.token ?? tokens.agent
    const facts = offers.map(({ service, checks }) => {
      return { service: service?.facts ?? null, checks: checks.flatMap((check) => check.facts ?? []) }
    })
    if (facts.length > 1) return catalog.registerAll({ ...node, offers: facts }, token)
    const [only = { service: null, checks: [] }] = facts
    const answer = await catalog.register({ ...node, ...only }, token)
    return answer.ok ? ok([]) : answer
  }

  /** One of the offers may be invalid by itself: register them one by one. */
  async #registerEach(offers: readonly Offer[]): Promise<Told> {
    for (const offer of offers) {
      const told = await this.#register([offer])
      if (told !== 'told' && told !== 'refused') return told
    }
    return 'told'
  }

  #synced({ service, checks }: Offer): void {
    const { state } = this.#parts
    if (service !== null) {
      state.serviceSynced(service)
      this.#explained.done(thingOf('service', service.id))
      this.#log('Synced service', { service: service.id })
    }
    for (const check of checks) {
      state.checkSynced(check)
      this.#explained.done(thingOf('check', check.id))
      this.#log('Synced check', { check: check.id })
    }
  }

  /** Deregisters an item with its own token, or with the agent's token if only the catalog knew the item. */
  async #deregister(serviceId: string, checkId: string, own: string): Promise<Told> {
    const { state, catalog, tokens } = this.#parts
    const token = own === '' ? tokens.agent : own
    const { node } = state.node
    return this.#told(await catalog.deregister({ node, serviceId, checkId }, token), () => {
      return deregistering(node, serviceId === '' ? ['check', checkId] : ['service', serviceId], token)
    })
  }

  /** `call` describes the request, for the report of a refusal for lack of rights. */
  async #told(answer: Result<unknown, Failure>, call: () => OwnCall): Promise<Told> {
    if (answer.ok) return 'told'
    if (this.#stopped || !meetsThisAlone(answer.error)) return answer.error
    if (isRefusal(answer.error)) await this.#explained.refused(call(), answer.error)
    this.#warn(answer.error)
    return 'refused'
  }

  #failed(failure: Failure): void {
    if (this.#stopped) return
    this.#warn(failure)
    this.#pace.failed(failure)
  }

  #passFull(): void {
    this.#fullDue = true
    this.changed()
  }

  #log(text: string, fields: Readonly<Record<string, string>> = {}): void {
    this.#parts.env.log.write('info', 'agent', text, fields)
  }

  #warn(failure: Failure): void {
    const { env } = this.#parts
    env.metrics.count('agent.sync.failed')
    // The refusal was already reported, with the request that it is about.
    if (isRefusal(failure)) return
    env.log.write('warn', 'agent', 'Failed to sync with the catalog', { error: failureText(failure) })
  }
}

/** Number of characters of all synced parts of the offer: any part may be the long one. */
function sizeOf({ service, checks }: Offer): number {
  return JSON.stringify([service?.facts, checks.map(({ facts }) => facts)]).length
}

/** `refused`: this call alone failed, and that has been reported. */
type Told = 'told' | 'refused' | Failure

/** Whether the offers may succeed one by one, which is also the only way that a leader of an older release knows. */
function meetsThemTogether(failure: Failure): boolean {
  return meetsThisAlone(failure) || failure.kind === 'unknown-method'
}

/** Failures of a single call: another call, for instance with another token, may well succeed. */
const alone: ReadonlySet<Failure['kind']> = new Set([
  'bad-request',
  'refused',
  'mesh-off',
  'too-large',
  'permission-denied',
  'token-not-found',
])

function meetsThisAlone({ kind }: Failure): boolean {
  return alone.has(kind)
}
