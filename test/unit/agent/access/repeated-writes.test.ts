import { describe, expect, it } from 'vitest'
import { Gate } from '../../../../src/agent/access/gate.ts'
import type { TokenResolver } from '../../../../src/agent/access/running-access.ts'
import { Dispatch } from '../../../../src/agent/requests/serving/dispatch.ts'
import { concatBytes } from '../../../../src/base/bytes.ts'
import { ok } from '../../../../src/base/result.ts'
import { aclFeature } from '../../../../src/features/acl/feature.ts'
import type { ServedEndpoint } from '../../../../src/features/contract/server-context.ts'
import { snapshotFeature } from '../../../../src/features/snapshot/feature.ts'
import { noChange } from '../../../../src/model/log-position.ts'
import { AclWorld } from '../../features/acl-world.ts'

/** A leader of the new mode whose rights are those of its state, and one client agent. */
class Leader {
  readonly world: AclWorld
  readonly #dispatch: Dispatch

  private constructor(world: AclWorld) {
    const { context, state } = world.server
    const resolver: TokenResolver = {
      now: (token) => world.server.resolve?.(token),
      resolve: async (token) => world.server.resolve?.(token) ?? { ok: false, error: { kind: 'token-not-found' } },
      since: () => noChange,
      onChange: () => ({ close: () => undefined }),
    }
    const raft = { ...context.raft, leaseReadsNow: () => true, leadsSettled: () => true, leaseRead: async () => ok(1) }
    const endpoints = [...(aclFeature.endpoints ?? []), ...(snapshotFeature.endpoints ?? [])] as ServedEndpoint[]
    this.world = world
    this.#dispatch = new Dispatch(
      { ...context, raft: raft as never },
      state.store,
      endpoints,
      {},
      new Gate(context.env, resolver),
    )
  }

  static async begun(): Promise<Leader> {
    return new Leader(await AclWorld.begun())
  }

  async write(token: string, sequence: number, method: string, args: object, origin = 'agent/boot'): Promise<unknown> {
    const served = await this.#dispatch.serve(method, { args, token, identity: { origin, sequence } }, {})
    return served.ok ? served.value : served.error
  }

  /** A token with the right to change tokens and policies, by a policy of its own. */
  async operator() {
    const policy = await this.world.root('PUT /v1/acl/policy', { Name: 'operators', Rules: 'acl = "write"' })
    const token = await this.world.root('PUT /v1/acl/token', { Policies: [{ Name: 'operators' }] })
    const [policyId, secret, accessor] = [policy['ID'], token['SecretID'], token['AccessorID']].map(String)
    if (policyId === undefined || secret === undefined || accessor === undefined) throw new Error('there is none')
    return { policyId, secret, accessor }
  }
}

const missing = { kind: 'token-not-found' }
const denied = { kind: 'permission-denied', message: 'Permission denied' }
const rules = 'key_prefix "" { policy = "read" }'

describe('a write that ends the rights of its own caller, sent again because its answer was lost', () => {
  it('deletes the token', async () => {
    const leader = await Leader.begun()
    const { secret, accessor } = await leader.operator()
    expect(await leader.write(secret, 1, 'ACL.TokenDelete', { accessor })).toEqual({ here: true })
    const { index } = leader.world.server
    expect(await leader.write(secret, 1, 'ACL.TokenDelete', { accessor })).toEqual({ here: true })
    expect(leader.world.server.index).toBe(index)
    expect(await leader.write(secret, 2, 'ACL.TokenDelete', { accessor })).toEqual(missing)
    expect(await leader.write(secret, 1, 'ACL.TokenDelete', { accessor }, 'another/boot')).toEqual(missing)
  })

  it('takes the policy from the token', async () => {
    const leader = await Leader.begun()
    const { secret, accessor } = await leader.operator()
    const args = { accessor, secret: '', description: 'none', policies: [], local: false, rules: false, type: false }
    const first = await leader.write(secret, 1, 'ACL.TokenSet', args)
    expect(first).toMatchObject({ accessor, description: 'none', policies: [] })
    expect(await leader.write(secret, 1, 'ACL.TokenSet', args)).toEqual(first)
    expect(await leader.write(secret, 2, 'ACL.TokenSet', args)).toEqual(denied)
    await leader.world.root(`PUT /v1/acl/token/${accessor}`, { Description: 'of another' })
    const later = await leader.write(secret, 1, 'ACL.TokenSet', args)
    expect(later).toMatchObject({ kind: 'outcome-unknown', final: true })
    expect(JSON.stringify(later)).not.toContain('of another')
  })

  it('shows what others made of the token to a caller that still has its rights', async () => {
    const leader = await Leader.begun()
    const { accessor } = await leader.operator()
    const args = { accessor, secret: '', description: 'none', policies: [], local: false, rules: false, type: false }
    await leader.write('root', 1, 'ACL.TokenSet', args)
    await leader.world.root(`PUT /v1/acl/token/${accessor}`, { Description: 'of another' })
    expect(await leader.write('root', 1, 'ACL.TokenSet', args)).toMatchObject({ description: 'of another' })
  })

  it('changes or deletes the policy', async () => {
    const leader = await Leader.begun()
    const { secret, policyId } = await leader.operator()
    const args = { id: policyId, name: 'operators', description: '', rules, datacenters: [] }
    const first = await leader.write(secret, 1, 'ACL.PolicySet', args)
    expect(first).toMatchObject({ id: policyId, rules })
    expect(await leader.write(secret, 1, 'ACL.PolicySet', args)).toEqual(first)
    expect(await leader.write(secret, 2, 'ACL.PolicySet', args)).toEqual(denied)
    const hidden = { Name: 'operators', Rules: 'acl = "write"' }
    await leader.world.root(`PUT /v1/acl/policy/${policyId}`, hidden)
    expect(await leader.write(secret, 3, 'ACL.PolicyDelete', { id: policyId })).toBe(true)
    expect(await leader.write(secret, 3, 'ACL.PolicyDelete', { id: policyId })).toBe(true)
    expect(await leader.write(secret, 4, 'ACL.PolicyDelete', { id: policyId })).toEqual(denied)
    expect(await leader.write(secret, 1, 'ACL.PolicySet', args)).toMatchObject({ kind: 'refused' })
  })

  it('does not show what others made of the policy since', async () => {
    const leader = await Leader.begun()
    const { secret, policyId } = await leader.operator()
    const args = { id: policyId, name: 'operators', description: '', rules, datacenters: [] }
    await leader.write(secret, 1, 'ACL.PolicySet', args)
    await leader.world.root(`PUT /v1/acl/policy/${policyId}`, { Name: 'operators', Rules: '# of another' })
    const later = await leader.write(secret, 1, 'ACL.PolicySet', args)
    expect(later).toMatchObject({ kind: 'outcome-unknown', final: true })
    expect(JSON.stringify(later)).not.toContain('# of another')
  })

  it('changes or destroys a legacy token', async () => {
    const leader = await Leader.begun()
    await leader.world.root('PUT /v1/acl/create', { ID: 'old', Type: 'management' })
    const args = { id: 'old', name: '', type: 'client', rules: 'event "" { policy = "read" }' }
    for (const more of ['', 'key "" { policy = "read" }']) {
      const changed = { ...args, rules: args.rules + more }
      const sequence = more.length
      expect(await leader.write('old', sequence, 'ACL.Apply', changed)).toBe('old')
      expect(await leader.write('old', sequence, 'ACL.Apply', changed)).toBe('old')
      expect(await leader.write('old', sequence + 1, 'ACL.Apply', changed)).toEqual(denied)
      await leader.world.root('PUT /v1/acl/update', { ID: 'old', Type: 'management' })
    }
    expect(await leader.write('old', 91, 'ACL.Destroy', { id: 'old' })).toBe(true)
    expect(await leader.write('old', 91, 'ACL.Destroy', { id: 'old' })).toBe(true)
    expect(await leader.write('old', 92, 'ACL.Destroy', { id: 'old' })).toEqual(missing)
  })

  it('puts a state without the token in the place of this one', async () => {
    const before = (await AclWorld.begun()).server.state.store.archive()
    const pieces: Uint8Array[] = []
    for (let piece = before.next(); piece !== undefined; piece = before.next()) pieces.push(piece)
    const bytes = concatBytes(pieces)
    const leader = await Leader.begun()
    const { secret } = await leader.operator()
    await leader.write(secret, 1, 'Snapshot.RestoreBegin', { id: 'r', sizeBytes: bytes.length })
    await leader.write(secret, 2, 'Snapshot.RestorePiece', { id: 'r', offset: 0, bytes })
    const index = await leader.write(secret, 3, 'Snapshot.RestoreCommit', { id: 'r' })
    expect(index).toEqual(expect.any(Number))
    expect(leader.world.token(secret)).toBeUndefined()
    expect(await leader.write(secret, 3, 'Snapshot.RestoreCommit', { id: 'r' })).toBe(index)
    expect(await leader.write(secret, 4, 'Snapshot.RestoreCommit', { id: 'r' })).toEqual(missing)
  })

  it('gives the outcome of the same command alone', async () => {
    const leader = await Leader.begun()
    const { secret, accessor, policyId } = await leader.operator()
    expect(await leader.write(secret, 1, 'ACL.TokenDelete', { accessor })).toEqual({ here: true })
    for (const [method, args] of [
      ['ACL.PolicyDelete', { id: policyId }],
      ['ACL.PolicySet', { id: policyId, name: 'x', description: '', rules, datacenters: [] }],
      ['ACL.Destroy', { id: 'root' }],
    ] as const) {
      expect(await leader.write(secret, 1, method, args), method).toEqual(missing)
    }
  })
})
