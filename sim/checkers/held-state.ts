import { managementPolicyId, type TokenRow } from '../../src/features/acl/model.ts'
import { allTokens } from '../../src/features/acl/views.ts'
import { allChecks, allNodes, allServices } from '../../src/features/catalog/views.ts'
import { allRoots, authorityOf } from '../../src/features/connect/views.ts'
import { allIntentions } from '../../src/features/intention/views.ts'
import { valueBase64 } from '../../src/features/kv/model.ts'
import { kvTable } from '../../src/features/kv/tables.ts'
import { allSessions } from '../../src/features/session/views.ts'
import type { ReadTransaction } from '../../src/store/types.ts'

/**
 * The rows that servers hold, each as text. Left out is what an upgrade may lawfully change: facts that only later
 * releases know of a row (IDs of nodes, tagged addresses, accessors of tokens), and indexes of the catalog, into which
 * agents register themselves anew.
 */
export type HeldState = ReadonlyMap<HeldPart, ReadonlySet<string>>

export type HeldPart = 'catalog' | 'keys' | 'sessions' | 'tokens' | 'roots' | 'intentions'

export function heldState(tx: ReadTransaction): HeldState {
  return new Map<HeldPart, ReadonlySet<string>>([
    ['catalog', new Set(catalogRows(tx))],
    [
      'keys',
      new Set([...tx.all(kvTable)].map(({ value, flags, ...row }) => text(row, valueBase64(value), `${flags}`))),
    ],
    ['sessions', new Set([...allSessions(tx)].map((row) => text(row)))],
    ['tokens', new Set([...allTokens(tx)].map(tokenText))],
    ['roots', new Set(rootRows(tx))],
    ['intentions', new Set([...allIntentions(tx)].map((row) => text(row)))],
  ])
}

/**
 * Which rows disappeared or appeared: only parts and counts, because rows hold secrets. Undefined: both states hold the
 * same.
 */
export function heldOtherwise(before: HeldState, now: HeldState): string | undefined {
  const parts = [...before].flatMap(([part, rows]) => {
    const held = now.get(part) ?? new Set<string>()
    const gone = [...rows].filter((row) => !held.has(row)).length
    const come = [...held].filter((row) => !rows.has(row)).length
    return gone + come === 0 ? [] : [`${part}: ${gone} of ${rows.size} rows gone, ${come} new`]
  })
  return parts.length === 0 ? undefined : parts.join('; ')
}

function* catalogRows(tx: ReadTransaction): Iterable<string> {
  for (const { node, address } of allNodes(tx)) yield text('node', node, address)
  for (const { node, id, service, tags, address, port } of allServices(tx)) {
    yield text('service', node, id, service, tags, address, port)
  }
  for (const { node, checkId, name, serviceId, status } of allChecks(tx)) {
    yield text('check', node, checkId, name, serviceId, status)
  }
}

/** In former releases the master token has all rights by its type, since 1.4.0 by a policy. */
function tokenText({ secret, description, type, rules, policies, local, createIndex }: TokenRow): string {
  const hasAll = type === 'management' || policies.some(({ id }) => id === managementPolicyId)
  return text(secret, description, local, createIndex, hasAll ? 'all rights' : { rules, policies })
}

function* rootRows(tx: ReadTransaction): Iterable<string> {
  const authority = authorityOf(tx)
  if (authority !== undefined) yield text(authority.provider, authority.clusterId, authority.trustDomain)
  for (const { id, certificate, signingKeyId, active, intermediates } of allRoots(tx)) {
    yield text('root', id, certificate, signingKeyId, active, intermediates)
  }
}

function text(...row: readonly unknown[]): string {
  return JSON.stringify(row)
}
