import { lowerAscii } from '../../base/letter-case.ts'
import { greater, type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { MigrationRow, PolicyRow, TokenRow } from './model.ts'
import {
  bootstrapTable,
  migrationTable,
  modeTable,
  onlyKey,
  policiesTable,
  policyNameKey,
  secretKey,
  tokensTable,
} from './tables.ts'

/** Pure reads of tokens and policies, for other features and the agent too. */

/** Whether the datacenter has switched to the new kind of access control, which it never reverts. */
export function isNewMode(tx: ReadTransaction): boolean {
  return tx.get(modeTable, onlyKey) !== undefined
}

/** Index of the switch; 0: it has not switched. */
export function newModeIndex(tx: ReadTransaction): ModifyIndex {
  return tx.get(modeTable, onlyKey)?.index ?? noChange
}

export function tokenBySecret(tx: ReadTransaction, secret: string): TokenRow | undefined {
  return secret === '' ? undefined : tx.get(tokensTable, secretKey(secret))
}

/** Compares without case. Legacy tokens without an accessor are not found. */
export function tokenByAccessor(tx: ReadTransaction, accessor: string): TokenRow | undefined {
  if (accessor === '') return undefined
  for (const token of tx.byIndex(tokensTable, 'accessor', lowerAscii(accessor))) return token
  return undefined
}

/** Those without an accessor first, then in order of accessor. */
export function allTokens(tx: ReadTransaction): Iterable<TokenRow> {
  return tx.inIndexOrder(tokensTable, 'accessor')
}

export function tokenCount(tx: ReadTransaction): number {
  return tx.count(tokensTable)
}

/** Legacy tokens without an accessor. */
export function unmigratedTokens(tx: ReadTransaction): Iterable<TokenRow> {
  return tx.byIndex(tokensTable, 'accessor', '')
}

export function policyById(tx: ReadTransaction, id: string): PolicyRow | undefined {
  return tx.get(policiesTable, lowerAscii(id))
}

/** Compares without case. */
export function policyByName(tx: ReadTransaction, name: string): PolicyRow | undefined {
  for (const policy of tx.byIndex(policiesTable, 'name', policyNameKey(name))) return policy
  return undefined
}

/** In order of ID. */
export function allPolicies(tx: ReadTransaction): Iterable<PolicyRow> {
  return tx.all(policiesTable)
}

/** Watches everything that the rights of any token rest on. */
export function watchRights(tx: ReadTransaction): void {
  tx.watch(tokensTable)
  tx.watch(policiesTable)
}

/** Watches `unmigratedTokens`. */
export function watchUnmigratedTokens(tx: ReadTransaction): void {
  tx.watch(tokensTable, { index: 'accessor', key: '' })
}

/** The index that a reset of the bootstrap has to name; 0: the bootstrap is still open. */
export function bootstrapIndex(tx: ReadTransaction): ModifyIndex {
  return tx.get(bootstrapTable, onlyKey)?.index ?? noChange
}

export function migrationOf(tx: ReadTransaction): MigrationRow | undefined {
  return tx.get(migrationTable, onlyKey)
}

/** What grants a token its rights. */
export type Rights =
  /** A legacy management token: everything. */
  | { readonly kind: 'management' }
  /** Its own rules, in the legacy grammar. */
  | { readonly kind: 'legacy'; readonly rules: string }
  /** Policies that are valid in the datacenter; links to deleted policies grant nothing. */
  | { readonly kind: 'policies'; readonly policies: readonly PolicyRow[] }

export function rightsOf(tx: ReadTransaction, token: TokenRow, datacenter: string): Rights {
  if (token.type === 'management') return { kind: 'management' }
  if (token.type === 'client') return { kind: 'legacy', rules: token.rules }
  const policies = token.policies.flatMap(({ id }) => policyById(tx, id) ?? [])
  return { kind: 'policies', policies: policies.filter((policy) => holdsIn(policy, datacenter)) }
}

/**
 * The index at which the token with a secret last got its present rights, which may equal its former rights:
 * 1. Its own row changes with its links, and with the rules of a legacy token.
 * 2. A policy changes with its rules and with its datacenters. A linked policy that was deleted departed, no later than
 *    the last departure.
 * 3. For a secret without a token (the anonymous one, which need not exist): a token that had it departed.
 */
export function rightsIndex(tx: ReadTransaction, secret: string): ModifyIndex {
  const token = tokenBySecret(tx, secret)
  if (token === undefined) return tx.lastDeparture(tokensTable, 'row')
  let newest = token.modifyIndex
  for (const { id } of token.policies) {
    newest = greater(newest, policyById(tx, id)?.modifyIndex ?? tx.lastDeparture(policiesTable, 'row'))
  }
  return newest
}

/** Names of datacenters are compared without case. */
function holdsIn({ datacenters }: PolicyRow, datacenter: string): boolean {
  return datacenters.length === 0 || datacenters.some((each) => lowerAscii(each) === lowerAscii(datacenter))
}

/**
 * Every answer about tokens carries the index at which any token or policy last changed, because links show names of
 * policies.
 */
export function tokensIndex(tx: ReadTransaction): ModifyIndex {
  return greater(tx.lastChange(tokensTable), tx.lastChange(policiesTable))
}

export function policiesIndex(tx: ReadTransaction): ModifyIndex {
  return tx.lastChange(policiesTable)
}
