import { membershipCheckId } from '../../../src/model/catalog.ts'
import type { AliasDefinition } from './alias-definition.ts'
import type { NodeRows } from './registration-facts.ts'

/** The checks of one agent, with what is known of its aliases. */
export interface LocalView {
  readonly rows: NodeRows
  aliasOf(checkId: string): AliasDefinition | undefined
}

const worse = ['critical', 'warning'] as const

function worstOf(statuses: readonly string[]): string {
  return worse.find((status) => statuses.includes(status)) ?? 'passing'
}

/**
 * The status of an alias of a service of its own agent: the worst of all checks that are no such aliases and that it
 * reaches through them. The membership check is the servers' and no check of the agent. Undefined: an alias on the way
 * is not known.
 */
export function localStatus(view: LocalView, checkId: string, service: string): string | undefined {
  const { statuses, owners } = view.rows
  const found: string[] = []
  const seen = new Set([checkId])
  const services = [service]
  for (let next = services.pop(); next !== undefined; next = services.pop()) {
    for (const [id, owner] of owners) {
      if ((owner !== '' && owner !== next) || id === membershipCheckId || seen.has(id)) continue
      seen.add(id)
      const alias = view.aliasOf(id)
      if (alias === undefined) found.push(statuses.get(id) ?? '')
      else if (!alias.isKnown || alias.target === undefined) return undefined
      else if (alias.target.node !== '') found.push(statuses.get(id) ?? '')
      else services.push(alias.target.service)
    }
  }
  return worstOf(found)
}

/** The status of an alias of a node of the catalog, and of one of its services unless that is empty. */
export function remoteStatus({ statuses, owners }: NodeRows, service: string, itself: string | undefined): string {
  const ids = [...owners].filter(([id, owner]) => id !== itself && (owner === '' || owner === service))
  return worstOf(ids.map(([id]) => statuses.get(id) ?? ''))
}
