import { ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { RegisterAllRequest } from '../../model/catalog.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import type { Due } from './entries.ts'
import type { LocalState } from './local-state.ts'
import { deregistering, type Offer, registering, thingOf } from './own-calls.ts'
import { isRefusal, type OwnCall, type OwnRefusals } from './own-refusals.ts'
import type { CatalogClient, OwnTokens } from './parts.ts'

interface CatalogWriteParts {
  readonly env: Env
  readonly state: LocalState
  readonly catalog: CatalogClient
  readonly tokens: OwnTokens
  /** Explains to the operator why servers refuse what this agent asks. */
  readonly refusals: OwnRefusals
}

/**
 * How a request ended: with success; with a failure of this request alone, which has been reported; or with a failure
 * that other requests would meet, too, which the caller reports.
 */
export type Outcome = 'accepted' | 'refused' | Failure

/**
 * What anti-entropy writes to the catalog: a request goes out under the right token, what the catalog accepts is marked
 * as synced in the local state, and a refusal that concerns the request alone is reported.
 */
export class CatalogWrites {
  readonly #parts: CatalogWriteParts
  #closed = false

  constructor(parts: CatalogWriteParts) {
    this.#parts = parts
  }

  /** From now on every failure counts as one that other requests would meet, too, so that the pass under way ends. */
  close(): void {
    this.#closed = true
  }

  /**
   * Registers offers with the same token in one request, with the node's own data if the catalog does not have them
   * yet; without offers these are sent alone.
   */
  async register(offers: readonly Offer[]): Promise<Outcome> {
    const { state, catalog, tokens } = this.#parts
    const node = catalog.nodeApart && offers.length > 0 ? undefined : state.dueNode()
    const answer = await this.#ask({ node: state.node, skipNodeUpdate: node === undefined }, offers)
    if (!answer.ok && offers.length > 1 && meetsThemTogether(answer.error)) return this.#registerEach(offers)
    const outcome = await this.#outcome(answer, () => registering(state.node.node, offers, node !== undefined, tokens))
    if (!answer.ok) return outcome
    const refusals = answer.value
    const taken = offers.filter((_, at) => (refusals[at] ?? null) === null)
    for (const message of refusals) if (message !== null) this.warn({ kind: 'bad-request', message })
    if (node !== undefined && taken.length === offers.length) {
      state.nodeSynced(node)
      this.#parts.refusals.done('node')
      this.#log('Synced node info')
    }
    for (const offer of taken) this.#synced(offer)
    return outcome
  }

  /**
   * Deregisters an item with its own token, or with the agent's token if only the catalog knew the item. If its own token
   * is refused, the agent's is tried: the other may have been deleted, or may not remove from a node what is not there.
   */
  async deregister(kind: 'service' | 'check', { id, token: own }: Due<unknown>): Promise<Outcome> {
    const { state, catalog, tokens } = this.#parts
    const token = own === '' ? tokens.agent : own
    const { node } = state.node
    const ids = kind === 'service' ? { serviceId: id, checkId: '' } : { serviceId: '', checkId: id }
    const first = await catalog.deregister({ node, ...ids }, token)
    const isOthers = !first.ok && isRefusal(first.error) && token !== tokens.agent
    const answer = isOthers ? await catalog.deregister({ node, ...ids }, tokens.agent) : first
    return this.#outcome(answer.ok ? answer : first, () => deregistering(node, [kind, id], token))
  }

  /** The catalog has accepted a deregistration. */
  removed(kind: 'service' | 'check', due: Due<unknown>): void {
    if (kind === 'service') this.#parts.state.serviceSynced(due)
    else this.#parts.state.checkSynced(due)
    this.#parts.refusals.done(thingOf(kind, due.id))
    this.#log(`Deregistered ${kind}`, { [kind]: due.id })
  }

  /** Reports a failure to sync. */
  warn(failure: Failure): void {
    const { env } = this.#parts
    env.metrics.count('agent.sync.failed')
    // The refusal was already reported, with the request that it is about.
    if (isRefusal(failure)) return
    env.log.write('warn', 'agent', 'Failed to sync with the catalog', { error: failureText(failure) })
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
  async #registerEach(offers: readonly Offer[]): Promise<Outcome> {
    for (const offer of offers) {
      const outcome = await this.register([offer])
      if (outcome !== 'accepted' && outcome !== 'refused') return outcome
    }
    return 'accepted'
  }

  #synced({ service, checks }: Offer): void {
    const { state } = this.#parts
    if (service !== null) {
      state.serviceSynced(service)
      this.#parts.refusals.done(thingOf('service', service.key))
      this.#log('Synced service', { service: service.id })
    }
    for (const check of checks) {
      state.checkSynced(check)
      this.#parts.refusals.done(thingOf('check', check.key))
      this.#log('Synced check', { check: check.id })
    }
  }

  /** `call` describes the request, for the report of a refusal for lack of rights. */
  async #outcome(answer: Result<unknown, Failure>, call: () => OwnCall): Promise<Outcome> {
    if (answer.ok) return 'accepted'
    if (this.#closed || !meetsThisAlone(answer.error)) return answer.error
    if (isRefusal(answer.error)) {
      const { env, refusals } = this.#parts
      const refused = call()
      if (refused.blocked !== undefined) env.metrics.count(`acl.blocked.${refused.blocked}`)
      await refusals.refused(refused, answer.error)
    }
    this.warn(answer.error)
    return 'refused'
  }

  #log(text: string, fields: Readonly<Record<string, string>> = {}): void {
    this.#parts.env.log.write('info', 'agent', text, fields)
  }
}

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
