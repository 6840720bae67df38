import type { RegistrantRights } from '../access/running-access.ts'
import type { Sight } from './alias-sight.ts'
import { sightOf } from './alias-sight.ts'
import { itemKey, type Presence } from './entries.ts'
import type { LocalState } from './local-state.ts'
import type { NodeDump } from './parts.ts'

/** One comparison in this many treats items that it cannot see as missing. */
const takenForMissingEvery = 10

/** What one dump of the catalog could show. */
export interface View {
  /** Undefined: what is not shown counts as missing. */
  readonly sees: Sight | undefined
  /** Whether it could show all entries of the node. */
  readonly isWhole: boolean
}

export const wholeView: View = { sees: undefined, isWhole: true }

/**
 * The catalog shows entries of this node as far as the agent's own token may read them. A service that was registered
 * with another token may be missing there each time, and registering it again each minute would be a write that changes
 * nothing. So an item that was registered and may not be read counts as present. Another client may have removed it
 * unseen, so every tenth comparison registers it again nevertheless. Removing what is not there changes nothing, so an
 * item that was removed here is deregistered, unless the token reads everything and the catalog does not show it.
 */
export class UnseenItems {
  readonly #rights: RegistrantRights | undefined
  readonly #token: () => string
  #comparisons = 0

  /** `rights` is undefined where access control is off. `token` is the one that reads the catalog. */
  constructor(rights: RegistrantRights | undefined, token: () => string) {
    this.#rights = rights
    this.#token = token
  }

  /** What this comparison may see. */
  async view(): Promise<View> {
    if (this.#rights === undefined) return wholeView
    const takesForMissing = this.#comparisons++ % takenForMissingEvery === 0
    const token = this.#token()
    const known = this.#rights.now(token)
    const found = known ?? (takesForMissing ? undefined : await this.#rights.resolve(token))
    if (found?.ok !== true) return { sees: undefined, isWhole: false }
    const isWhole = found.value.readsAll('node') && found.value.readsAll('service')
    return { sees: takesForMissing || isWhole ? undefined : sightOf(found.value), isWhole }
  }
}

/** By `itemKey`: items of this agent that it could not see in the catalog. */
export function unseenOf(
  local: LocalState,
  { services, checks }: Pick<NodeDump, 'services' | 'checks'>,
  sees: Sight | undefined,
): Readonly<Record<'services' | 'checks', ReadonlySet<string>>> {
  if (sees === undefined) return { services: new Set(), checks: new Set() }
  const { node } = local.node
  const shown = new Set(services.map(({ id }) => itemKey(id)))
  const shownChecks = new Set(checks.map(({ checkId }) => itemKey(checkId)))
  const unseen = local.services().filter(({ service }) => !sees({ node, serviceName: service }))
  const unseenChecks = local.checks().filter(({ serviceName }) => !sees({ node, serviceName }))
  return {
    services: without(
      unseen.map(({ id }) => itemKey(id)),
      shown,
    ),
    checks: without(
      unseenChecks.map(({ checkId }) => itemKey(checkId)),
      shownChecks,
    ),
  }
}

function without(keys: readonly string[], shown: Presence['present']): ReadonlySet<string> {
  return new Set(keys.filter((key) => !shown.has(key)))
}
