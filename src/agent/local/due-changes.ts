import { itemAt } from '../../base/items.ts'
import { done, err, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { registerOffersMax } from '../../model/limits.ts'
import type { CatalogWrites } from './catalog-writes.ts'
import type { Due } from './entries.ts'
import type { LocalState } from './local-state.ts'
import type { Offer } from './own-calls.ts'
import type { CatalogClient, OwnTokens } from './parts.ts'

/**
 * Maximum number of characters in one request to the catalog, besides the limits on services and checks; the last item
 * may exceed it.
 */
const offersSizeMax = 256 << 10
/** Maximum number of concurrent requests to the catalog. */
const togetherMax = 4

interface DueChangesParts {
  readonly state: LocalState
  readonly catalog: Pick<CatalogClient, 'nodeApart'>
  readonly tokens: OwnTokens
  readonly writes: CatalogWrites
}

/**
 * Brings to the catalog what it is not known to have: in which order, how much in one request, and how many requests at
 * a time. Additions go before removals, so that a service replaced by another of the same name is never missing.
 */
export class DueChanges {
  readonly #parts: DueChangesParts

  constructor(parts: DueChangesParts) {
    this.#parts = parts
  }

  /**
   * Ends early with a failure that every other request would also meet. A failure of a single request is reported, and
   * the next comparison retries it.
   */
  async send(): Promise<Result<undefined, Failure>> {
    const offers = [() => this.#sendServices(), () => this.#sendChecks()]
    const node = [() => this.#sendNode()]
    const steps = [
      ...(this.#parts.catalog.nodeApart ? [...node, ...offers] : [...offers, ...node]),
      () => this.#sendRemovals(),
    ]
    for (const step of steps) {
      const sent = await step()
      if (!sent.ok) return sent
    }
    return done
  }

  async #sendServices(): Promise<Result<undefined, Failure>> {
    const { state } = this.#parts
    return this.#sendOffers(state.dueServices(), (id) => {
      const service = state.dueService(id)
      if (service?.facts == null) return undefined
      // Checks with another token are synced separately.
      const token = this.#tokenFor(service)
      return { service, checks: state.dueChecksOf(id).filter((check) => this.#tokenFor(check) === token), token }
    })
  }

  async #sendChecks(): Promise<Result<undefined, Failure>> {
    const { state } = this.#parts
    return this.#sendOffers(state.dueChecks(), (id) => {
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
  async #sendOffers(
    ids: readonly string[],
    offerOf: (id: string) => Offer | undefined,
  ): Promise<Result<undefined, Failure>> {
    let failure: Failure | undefined
    let next = 0
    const sendSome = async (): Promise<void> => {
      const offers: Offer[] = []
      for (let size = 0; next < ids.length && offers.length < registerOffersMax && size < offersSizeMax; next++) {
        const offer = offerOf(itemAt(ids, next))
        if (offer === undefined) continue
        if (offers[0] !== undefined && offers[0].token !== offer.token) break
        offers.push(offer)
        // The size of the last offer decides nothing.
        if (next + 1 < ids.length) size += sizeOf(offer)
      }
      const outcome = offers.length === 0 ? 'accepted' : await this.#parts.writes.register(offers)
      if (outcome !== 'accepted' && outcome !== 'refused') failure = outcome
    }
    const lane = async (): Promise<void> => {
      while (failure === undefined && next < ids.length) await sendSome()
    }
    if (this.#parts.state.dueNode() !== undefined && ids.length > 0) await sendSome()
    await Promise.all(Array.from({ length: togetherMax }, lane))
    return failure === undefined ? done : err(failure)
  }

  async #sendNode(): Promise<Result<undefined, Failure>> {
    if (this.#parts.state.dueNode() === undefined) return done
    const outcome = await this.#parts.writes.register([])
    return outcome === 'accepted' || outcome === 'refused' ? done : err(outcome)
  }

  async #sendRemovals(): Promise<Result<undefined, Failure>> {
    const { state, writes } = this.#parts
    for (const id of state.dueServices()) {
      const due = state.dueService(id)
      if (due?.facts !== null) continue
      const outcome = await writes.deregister('service', due)
      if (outcome === 'accepted') writes.removed('service', due)
      else if (outcome !== 'refused') return err(outcome)
    }
    for (const id of state.dueChecks()) {
      const due = state.dueCheck(id)
      if (due?.facts !== null) continue
      const outcome = await writes.deregister('check', due)
      if (outcome === 'accepted') writes.removed('check', due)
      else if (outcome !== 'refused') return err(outcome)
    }
    return done
  }
}

/** Number of characters of all synced parts of the offer: any part may be the long one. */
function sizeOf({ service, checks }: Offer): number {
  return JSON.stringify([service?.facts, checks.map(({ facts }) => facts)]).length
}
