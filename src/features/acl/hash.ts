import { blake2b } from '@noble/hashes/blake2.js'
import { base64, utf8 } from '../../base/bytes.ts'
import type { PolicyRow, TokenRow } from './model.ts'

/** Short hashes of tokens and policies, by which a secondary datacenter finds what it has to replicate. */

/** Independent of the reader, the datacenter and the creation time. Reference: access-control.md#token-hash. */
export function tokenHash(token: Pick<TokenRow, 'description' | 'type' | 'rules' | 'local' | 'policies'>): string {
  const { description, type, rules, local, policies } = token
  return hashOf([description, type, rules, local ? 'local' : 'global', ...policies.map(({ id }) => id)])
}

/** Reference: access-control.md#policy-hash. */
export function policyHash(policy: Pick<PolicyRow, 'name' | 'description' | 'rules' | 'datacenters'>): string {
  return hashOf([policy.name, policy.description, policy.rules, ...policy.datacenters])
}

const digestBytes = 32

function hashOf(parts: readonly string[]): string {
  return base64(blake2b(utf8(parts.join('')), { dkLen: digestBytes }))
}
