import { blake2b } from '@noble/hashes/blake2.js'
import { base64, utf8 } from '../../base/bytes.ts'
import type { PolicyRow, TokenRow } from './model.ts'

/** What a token or a policy says, in few bytes: by it a datacenter knows what of another's it has not got. */

/**
 * Who reads the token in which datacenter, and when it was made, makes no difference.
 * Reference: access-control.md#token-hash.
 */
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
