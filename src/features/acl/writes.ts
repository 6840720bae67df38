import type { ReadTransaction, WriteTransaction } from '../../store/types.ts'
import { policyHash, tokenHash } from './hash.ts'
import {
  managementLink,
  managementPolicyId,
  managementPolicyName,
  managementRules,
  type PolicyLink,
  type PolicyRow,
  type TokenRow,
} from './model.ts'
import { policiesTable, secretKey, tokensTable } from './tables.ts'
import { policyById, policyByName } from './views.ts'

export type TokenContent = Omit<TokenRow, 'hash' | 'createIndex' | 'modifyIndex'>
export type PolicyContent = Omit<PolicyRow, 'hash' | 'createIndex' | 'modifyIndex'>

/** Replaces the token with the same secret, if there is one. */
export function putToken(tx: WriteTransaction, token: TokenContent): void {
  const createIndex = tx.get(tokensTable, secretKey(token.secret))?.createIndex ?? tx.index
  const hash = token.accessor === '' ? '' : tokenHash(token)
  tx.put(tokensTable, Object.freeze({ ...token, hash, createIndex, modifyIndex: tx.index }))
}

/** Replaces the policy with the same ID, if there is one. */
export function putPolicy(tx: WriteTransaction, policy: PolicyContent): void {
  const createIndex = policyById(tx, policy.id)?.createIndex ?? tx.index
  tx.put(policiesTable, Object.freeze({ ...policy, hash: policyHash(policy), createIndex, modifyIndex: tx.index }))
}

/** Creates the policy that grants everything, if it is missing. */
export function ensureManagementPolicy(tx: WriteTransaction): void {
  if (policyById(tx, managementPolicyId) !== undefined) return
  putPolicy(tx, {
    id: managementPolicyId,
    name: managementPolicyName,
    description: 'Builtin Policy that grants unlimited access',
    rules: managementRules,
    datacenters: [],
  })
}

/** A token with all rights, which the legacy API shows, too. */
export function managementToken(
  given: Pick<TokenContent, 'secret' | 'accessor' | 'description' | 'createdMs'>,
): TokenContent {
  return { ...given, type: 'management', rules: '', policies: [managementLink], local: false }
}

export type Linked = { readonly links: readonly PolicyLink[] } | { readonly refusal: string }

/**
 * Resolves links to policies by ID or by name, each once. A link by ID may name a missing policy: it may be created
 * later, or not be replicated yet.
 */
export function linked(tx: ReadTransaction, given: readonly PolicyLink[]): Linked {
  const links = new Map<string, PolicyLink>()
  for (const { id, name } of given) {
    const policy = id === '' ? policyByName(tx, name) : policyById(tx, id)
    if (policy === undefined && id === '') return { refusal: `No such ACL policy with name ${JSON.stringify(name)}` }
    const link = policy === undefined ? { id, name: '' } : { id: policy.id, name: policy.name }
    if (!links.has(link.id)) links.set(link.id, link)
  }
  return { links: [...links.values()] }
}
