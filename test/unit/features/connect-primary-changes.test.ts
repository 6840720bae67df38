import { describe, expect, it } from 'vitest'
import { authorizerOf } from '../../../src/access/policy-authorizer.ts'
import { parseRules } from '../../../src/access/reading.ts'
import { signIntermediateEndpoint } from '../../../src/features/connect/federation/intermediates.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import * as views from '../../../src/features/connect/views.ts'
import { isOfMesh, trustDomainsOf } from '../../../src/pki/trust-domains.ts'
import { AuthorityWorld, anotherKey, granted, hourMs, refusal, trustDomain } from './authority-world.ts'
import { formerId, here, knownThere, minuteMs, old, rootUntil, TwoDatacenters } from './two-datacenters.ts'

const yearMs = 365 * 24 * hourMs
const otherId = '77777777-2222-3333-4444-555555555555'

/** Another mesh in the place of that of the primary datacenter, as after the loss of all its data. */
async function newPrimary(
  both: TwoDatacenters,
  options: ProviderOptions = { LeafCertTTL: '4h' },
): Promise<AuthorityWorld> {
  const fresh = new AuthorityWorld(options)
  const { mesh } = fresh.server
  if (mesh !== undefined) fresh.server.mesh = { ...mesh, clusterId: otherId }
  fresh.server.wanView = knownThere
  await fresh.clock.advance(both.primary.nowMs - fresh.nowMs)
  fresh.lead()
  await fresh.rest()
  both.primary = fresh
  both.join()
  return fresh
}

const stateOf = ({ roots }: AuthorityWorld) => roots.map(({ active, of }) => ({ active, of }))

describe('a datacenter that was given the same root as the primary one', () => {
  it('joins once, signs on below it, and follows its rotation', async () => {
    const root = rootUntil(yearMs)
    const both = new TwoDatacenters({ LeafCertTTL: '4h', ...root }, { LeafCertTTL: '4h', ...root })
    both.missing = [old]
    await both.begin()
    const before = await here(both.secondary, `${formerId}.svc`)
    both.missing = []
    await both.advance(10 * minuteMs)
    expect(both.secondary.forecast()).toMatchObject({ state: 'ready', problem: '' })
    expect(both.secondary.committed.filter((kind) => kind === 'connect.federate')).toHaveLength(1)
    expect(stateOf(both.secondary)).toEqual([{ active: true, of: 'dc1' }])
    expect(refusal(before, both.secondary.roots, both.primary.nowMs, {})).toBeUndefined()
    await both.advance(13 * hourMs)
    expect(refusal(await here(both.secondary), both.primary.roots, both.primary.nowMs)).toBeUndefined()
    await both.primary.update({ LeafCertTTL: '4h', PrivateKey: anotherKey() })
    await both.advance(3 * minuteMs)
    both.expectOne()
    const after = await here(both.secondary)
    for (const each of both.primary.roots) expect(refusal(after, [each], both.primary.nowMs)).toBeUndefined()
  })
})

describe('leaves that a datacenter signed with the same root before it joined', () => {
  it('have their root for as long as they live, although the primary one knows of none, and no longer', async () => {
    const root = rootUntil(yearMs)
    const both = new TwoDatacenters({ LeafCertTTL: '1h', ...root }, { LeafCertTTL: '30h', ...root })
    both.missing = [old]
    await both.begin()
    const before = await here(both.secondary, `${formerId}.svc`)
    both.missing = []
    await both.advance(minuteMs)
    await both.primary.update({ LeafCertTTL: '1h', PrivateKey: anotherKey() })
    await both.advance(5 * hourMs)
    expect(both.primary.roots.map(({ id }) => id)).not.toContain(before.rootId)
    expect(stateOf(both.secondary)).toEqual([
      { active: false, of: '' },
      { active: true, of: 'dc1' },
    ])
    expect(refusal(before, both.secondary.roots, both.primary.nowMs, {})).toBeUndefined()
    await both.advance(before.notAfterMs - both.primary.nowMs)
    expect(both.secondary.roots).toHaveLength(2)
    await both.advance(hourMs)
    expect(stateOf(both.secondary)).toEqual([{ active: true, of: 'dc1' }])
  })
})

describe('a datacenter that follows a former primary one for longer than the others', () => {
  it('keeps the root for leaves that it had signed below it, of which the new primary one does not know', async () => {
    const both = new TwoDatacenters(undefined, { LeafCertTTL: '8h' })
    await both.begin()
    const other = new TwoDatacenters()
    other.secondary.server.self = { ...other.secondary.server.self, datacenter: 'dc3' }
    other.primary = both.primary
    other.join()
    const servers = [...knownThere.servers, { name: 's1.dc3', datacenter: 'dc3', coordinate: undefined }]
    both.primary.server.wanView = { ...knownThere, servers }
    other.secondary.lead()
    await other.secondary.rest()
    other.secondary.server.wanView = knownThere
    other.secondary.server.federation = undefined
    other.secondary.change()
    expect(await other.secondary.update({ LeafCertTTL: '4h' })).toEqual({ ok: true, value: true })
    for (let left = 11 * hourMs; left > 0; left -= hourMs / 2) {
      for (const world of [both.primary, both.secondary, other.secondary]) await world.advance(hourMs / 2)
    }
    const before = await here(both.secondary)
    both.secondary.server.peers.set('dc3', other.secondary.server)
    const { federation } = both.secondary.server
    if (federation !== undefined) both.secondary.server.federation = { ...federation, primaryDatacenter: 'dc3' }
    both.secondary.change()
    for (let left = 3 * hourMs; left > 0; left -= hourMs / 2) {
      for (const world of [other.secondary, both.secondary]) await world.advance(hourMs / 2)
    }
    expect(other.secondary.roots).toHaveLength(1)
    expect(both.secondary.active.id).toBe(other.secondary.active.id)
    expect(refusal(before, both.secondary.roots, both.secondary.nowMs)).toBeUndefined()
    await both.secondary.advance(before.notAfterMs - both.secondary.nowMs + hourMs)
    expect(both.secondary.roots).toHaveLength(1)
  })
})

describe('a datacenter that looks again when the primary one is back at the root that it had', () => {
  it('has that as the newest, and takes over the one between', async () => {
    const root = rootUntil(yearMs)
    const both = new TwoDatacenters({ LeafCertTTL: '4h', ...root })
    await both.begin()
    const [first] = both.secondary.roots
    granted(await both.primary.sign('web'))
    await both.primary.update({ LeafCertTTL: '4h', PrivateKey: anotherKey() })
    granted(await both.primary.sign('web'))
    await both.primary.update({ LeafCertTTL: '4h', ...root })
    expect(both.secondary.roots).toEqual([first])
    await both.advance(3 * minuteMs)
    expect(both.secondary.roots.map(({ active }) => active)).toEqual([false, true])
    expect(both.secondary.active.id).toBe(first?.id)
    const leaf = await here(both.secondary)
    for (const each of both.secondary.roots) expect(refusal(leaf, [each], both.primary.nowMs)).toBeUndefined()
    expect(both.secondary.committed.filter((kind) => kind === 'connect.federate')).toHaveLength(2)
    await both.advance(10 * minuteMs)
    expect(both.secondary.committed.filter((kind) => kind === 'connect.federate')).toHaveLength(2)
  })
})

describe('a datacenter whose primary one has another mesh by now', () => {
  it('follows it, and keeps the roots of the former one until its own leaves below them have expired', async () => {
    const both = new TwoDatacenters()
    await both.begin()
    const before = await here(both.secondary)
    const former = both.secondary.active.id
    const fresh = await newPrimary(both)
    await both.advance(3 * minuteMs)
    expect(both.secondary.active.id).toBe(fresh.active.id)
    expect(stateOf(both.secondary)).toEqual([
      { active: false, of: '' },
      { active: true, of: 'dc1' },
    ])
    expect(refusal(before, both.secondary.roots, both.primary.nowMs, {})).toBeUndefined()
    await both.advance(before.notAfterMs - both.primary.nowMs)
    expect(both.secondary.roots.map(({ id }) => id)).toContain(former)
    await both.advance(hourMs)
    expect(both.secondary.roots.map(({ id }) => id)).toEqual([fresh.active.id])
  })
})

describe('a datacenter whose primary one has another trust domain below the same root', () => {
  it('takes it over at the next look, and leaves of the former one count for as long as the root is trusted', async () => {
    const options = { LeafCertTTL: '4h', ...rootUntil(yearMs) }
    const both = new TwoDatacenters(options)
    await both.begin()
    const root = both.secondary.active.id
    await newPrimary(both, options)
    await both.advance(3 * minuteMs)
    const { secondary } = both
    expect(secondary.active.id).toBe(root)
    const view = views.rootsList(secondary.server.read())
    expect(view.trustDomain).toBe(`${otherId}.svc`)
    const domains = trustDomainsOf(
      view.trustDomain,
      view.roots.map((each) => each.clusterId),
    )
    expect([`${otherId}.svc`, trustDomain].map((each) => isOfMesh(domains, each))).toEqual([true, true])
    const leaf = await here(secondary, `${otherId}.svc`)
    expect(leaf.serviceUri).toContain(`spiffe://${otherId}.svc/`)
    expect(refusal(leaf, both.primary.roots, secondary.nowMs, {})).toBeUndefined()
    expect(secondary.committed.filter((kind) => kind === 'connect.federate')).toHaveLength(2)
  })
})

describe('a datacenter that has become the primary one itself', () => {
  async function promoted(ofPrimary?: ProviderOptions): Promise<TwoDatacenters> {
    const both = new TwoDatacenters(ofPrimary)
    await both.begin()
    both.cut()
    both.secondary.server.federation = undefined
    both.secondary.change()
    await both.secondary.rest()
    return both
  }

  it('says that its signing certificate is not renewed, and what to do', async () => {
    const { secondary } = await promoted()
    const { state, problem } = secondary.forecast()
    expect(state).toBe('degraded')
    expect(problem).toBe(
      'leaves are signed below the root of dc1, and nothing renews the intermediate certificate: this datacenter is the primary one now: ' +
        'PUT /v1/connect/ca/configuration gives it a root of its own',
    )
    expect(secondary.logged.map(({ fields }) => fields)).toContainEqual({ why: problem })
  })

  it('has a root of its own by the next configuration, whatever that says, and both are trusted meanwhile', async () => {
    const both = await promoted()
    const { secondary } = both
    const before = await here(secondary)
    const domain = views.trustDomainOf(secondary.server.read())
    expect(await secondary.update({ LeafCertTTL: '4h' })).toEqual({ ok: true, value: true })
    expect(stateOf(secondary)).toEqual([
      { active: false, of: '' },
      { active: true, of: '' },
    ])
    expect(views.trustDomainOf(secondary.server.read())).toBe(domain)
    expect(secondary.forecast()).toMatchObject({ state: 'ready', problem: '' })
    const after = await here(secondary)
    for (const leaf of [before, after]) expect(refusal(leaf, secondary.roots, secondary.nowMs)).toBeUndefined()
    // Others may have been given an authority just before: it lives for three lives of a leaf.
    await both.advance(11 * hourMs)
    expect(secondary.roots).toHaveLength(2)
    await both.advance(2 * hourMs)
    expect(secondary.roots).toHaveLength(1)
    granted(await secondary.signRequest(secondary.csr([`spiffe://${domain}/ns/default/dc/dc2/svc/web`])))
    expect(await secondary.update({ LeafCertTTL: '4h', PrivateKey: anotherKey() })).toEqual({ ok: true, value: true })
    expect(refusal(await here(secondary), secondary.roots.slice(0, 1), secondary.nowMs)).toBeUndefined()
  })

  it('has the root of the former one as its own where it is given the key: it crosses the next, and goes in time', async () => {
    const options = { LeafCertTTL: '4h', ...rootUntil(yearMs) }
    const both = await promoted(options)
    const { secondary } = both
    granted(await secondary.signRequest(secondary.csr([`spiffe://${trustDomain}/ns/default/dc/dc2/svc/web`])))
    const former = secondary.active.id
    expect(await secondary.update(options)).toEqual({ ok: true, value: true })
    expect(secondary.active.id).toBe(former)
    expect(stateOf(secondary)).toEqual([{ active: true, of: '' }])
    expect(secondary.forecast()).toMatchObject({ state: 'ready', problem: '' })
    expect(await secondary.update({ LeafCertTTL: '4h', PrivateKey: anotherKey() })).toEqual({ ok: true, value: true })
    const after = await here(secondary)
    for (const root of secondary.roots) expect(refusal(after, [root], secondary.nowMs)).toBeUndefined()
    expect(secondary.roots).toHaveLength(2)
    await both.advance(11 * hourMs)
    expect(secondary.roots).toHaveLength(2)
    await both.advance(2 * hourMs)
    expect(secondary.roots).toHaveLength(1)
  })

  it('is not one as long as it follows another: a configuration there changes no root', async () => {
    const both = new TwoDatacenters()
    await both.begin()
    expect(await both.secondary.update({ LeafCertTTL: '2h', PrivateKey: anotherKey() })).toEqual({
      ok: true,
      value: true,
    })
    expect(stateOf(both.secondary)).toEqual([{ active: true, of: 'dc1' }])
  })
})

describe('the primary datacenter that keeps its mesh for itself', () => {
  it('[FED-002] signs for no other one, and says so there, where leaves go on to be signed by the own root', async () => {
    const both = new TwoDatacenters()
    const { mesh } = both.primary.server
    if (mesh !== undefined) both.primary.server.mesh = { ...mesh, federates: false }
    both.missing = [old]
    await both.begin()
    const [own] = both.secondary.roots
    both.missing = []
    await both.advance(10 * minuteMs)
    const why =
      'the primary datacenter: its servers have connect.federation = false, so it signs for no other datacenter'
    expect(both.secondary.forecast()).toMatchObject({ state: 'degraded', problem: why })
    expect(both.secondary.roots).toEqual([own])
    granted(
      await both.secondary.signRequest(both.secondary.csr([`spiffe://${formerId}.svc/ns/default/dc/dc2/svc/web`])),
    )
    expect([...views.leavesOf(both.primary.server.read(), both.primary.active.id)]).toEqual([])
    // What is asked for in vain costs no command, and comes ever more rarely.
    const commands = both.secondary.committed.length
    await both.advance(hourMs)
    expect(both.secondary.committed.length).toBe(commands)
  })
})

describe('the authority of another datacenter', () => {
  it('is for a token that may write the operator’s things, and needs nothing else; no other right will do', async () => {
    const world = await AuthorityWorld.begun()
    world.server.wanView = knownThere
    const may = async (text: string): Promise<boolean> => {
      const rules = parseRules(text, 'new')
      if (!rules.ok) throw new Error(rules.error)
      const rulesets = [{ policy: 'p', rules: rules.value }]
      world.server.authorizer = authorizerOf({ accessor: 'a', rulesets, defaultPolicy: 'deny', keyListPolicy: false })
      const csr = world.csr([`spiffe://${trustDomain}`], true)
      const answer = await world.server.agent.write(signIntermediateEndpoint, { csr, datacenter: 'dc2' }, {})
      return answer.ok
    }
    expect(await may('operator = "write"')).toBe(true)
    expect(await may('operator = "read"')).toBe(false)
    const all = 'acl = "write" keyring = "write" service_prefix "" { policy = "write" intentions = "write" }'
    expect(await may(`${all} node_prefix "" { policy = "write" } key_prefix "" { policy = "write" }`)).toBe(false)
  })
})
