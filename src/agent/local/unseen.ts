import type { RegistrantRights, Sight } from './alias-sight.ts'
import { sightOf } from './alias-sight.ts'
import type { Presence } from './differences.ts'
import { itemKey } from './item-key.ts'
import type { LocalState } from './local-state.ts'
import type { NodeDump } from './parts.ts'

/** One comparison in this many treats items that it cannot see as missing. */
const takenForMissingEvery = 10

/**
 * What the catalog has of this node is shown as the agent's own token may read it. A service that is registered with a token of
 * its own, and that the agent's may not read, is missing there each time; telling it again each minute is a write that changes
 * nothing. So what was told and may not be read counts as told. Nobody can see whether it still is there, and it may have been
 * taken out by others: every tenth comparison tells it again all the same.
 */
export class UnseenItems {
  readonly #rights: RegistrantRights | undefined
  readonly #token: () => string
  #comparisons = 0

  /** `rights`: undefined where access control is off. `token`: the one that asks for what the catalog has. */
  constructor(rights: RegistrantRights | undefined, token: () => string) {
    this.#rights = rights
    this.#token = token
  }

  /** What this comparison may see; undefined: what is not shown is not there. */
  async sight(): Promise<Sight | undefined> {
    if (this.#rights === undefined || this.#comparisons++ % takenForMissingEvery === 0) return undefined
    const token = this.#token()
    const found = this.#rights.now(token) ?? (await this.#rights.resolve(token))
    return found.ok && !found.value.unrestricted ? sightOf(found.value) : undefined
  }
}

/** By `itemKey`, what this agent holds and could not see if it were there. */
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
