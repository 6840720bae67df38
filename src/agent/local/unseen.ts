import type { RegistrantRights } from '../access/running-access.ts'
import type { Sight } from './alias-sight.ts'
import { sightOf } from './alias-sight.ts'
import { itemKey, type Presence } from './entries.ts'
import type { LocalState } from './local-state.ts'
import type { NodeDump } from './parts.ts'

/** One comparison in this many treats items that it cannot see as missing. */
const takenForMissingEvery = 10

/**
 * The catalog shows entries of this node as far as the agent's own token may read them. A service that was registered
 * with another token may be missing there each time, and registering it again each minute would be a write that changes
 * nothing. So an item that was registered and may not be read counts as present. Another client may have removed it
 * unseen, so every tenth comparison registers it again nevertheless.
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

  /** What this comparison may see; undefined: everything, so that what is not shown does not exist. */
  async sight(): Promise<Sight | undefined> {
    if (this.#rights === undefined || this.#comparisons++ % takenForMissingEvery === 0) return undefined
    const token = this.#token()
    const found = this.#rights.now(token) ?? (await this.#rights.resolve(token))
    return found.ok && !found.value.unrestricted ? sightOf(found.value) : undefined
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
