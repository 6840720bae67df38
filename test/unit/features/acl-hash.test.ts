import { describe, expect, it } from 'vitest'
import { policyHash, tokenHash } from '../../../src/features/acl/hash.ts'

const policy = { name: 'p1', description: 'd', rules: 'service_prefix "" { policy = "read" }', datacenters: ['dc1'] }
const token = { description: 'd', type: '' as const, rules: '', local: false, policies: [] }

describe('hashes of policies and tokens', () => {
  it('are those that a server of the field gave', () => {
    expect(policyHash(policy)).toBe('s7MqNgz0oX/pR64t9EJIRbvx2GW+XqoYmUuGFLiFgnA=')
  })

  it('tell a change of anything that another datacenter needs', () => {
    const policies = [policy, { ...policy, rules: '' }, { ...policy, datacenters: [] }].map(policyHash)
    const tokens = [token, { ...token, local: true }, { ...token, description: '' }].map(tokenHash)
    expect(new Set([...policies, ...tokens]).size).toBe(6)
  })
})
