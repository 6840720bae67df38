import { describe, expect, it } from 'vitest'
import { serverOf } from '../../../src/agent/pool/pool-servers.ts'
import { CommandGate } from '../../../src/agent/servers/command-gate.ts'
import { legacySet, legacySetLater } from '../../../src/features/acl/legacy/legacy-commands.ts'
import type { Member, MemberStatus } from '../../../src/gossip/pool.ts'
import { newestRelease, oldestRelease, type Release } from '../../../src/model/release.ts'
import type { Configuration, Server } from '../../../src/raft/core/types.ts'
import { clientMember, FakePool, serverMember } from './fake-pool.ts'

function ofRelease(number: number, build: string, status: MemberStatus = 'alive'): Member {
  const member = serverMember(number, status)
  return { ...member, tags: { ...member.tags, build: `${build}:` } }
}

const since: Release = { major: 1, minor: 2, patch: 0 }
const command = { kind: 'thing.put', since } as const

const voters = [1, 2, 3].map((number) => {
  const { id, address } = serverOf(serverMember(number)) ?? { id: '', address: '' }
  return { id, address, suffrage: 'voter' } as const
})

function gate(
  pool: FakePool,
  release: Release = newestRelease,
  servers: Configuration['servers'] = voters,
): CommandGate {
  const configuration = { servers }
  return new CommandGate(pool.pool, { release, datacenter: 'dc1' }, () => configuration)
}

describe('a leader', () => {
  it('proposes what every server knows, whatever clients are of', () => {
    const pool = new FakePool([ofRelease(1, '1.4.0'), ofRelease(2, '1.2.0'), clientMember(1)])
    expect(gate(pool).refusal(command)).toBeUndefined()
  })

  it('does not propose what one server does not know, and says which; it does so once that one is upgraded', () => {
    const pool = new FakePool([ofRelease(1, '1.4.0'), ofRelease(2, '1.1.0'), ofRelease(3, '1.4.0')])
    const gated = gate(pool)
    const message = 'thing.put needs release 1.2.0 on every voter, and s2 is of 1.1.0'
    expect(gated.refusal(command)).toEqual({ kind: 'refused', message })
    pool.set(ofRelease(2, '1.2.3'))
    expect(gated.refusal(command)).toBeUndefined()
  })

  it('counts a dead server, which may come back as it was, and none that left or is of another datacenter', () => {
    const elsewhere = ofRelease(3, '1.1.0')
    const pool = new FakePool([
      ofRelease(1, '1.4.0'),
      ofRelease(2, '1.1.0', 'failed'),
      { ...elsewhere, tags: { ...elsewhere.tags, dc: 'dc2' } },
    ])
    const gated = gate(pool)
    expect(gated.refusal(command)?.kind).toBe('refused')
    pool.set(ofRelease(2, '1.1.0', 'left'))
    expect(gated.refusal(command)).toBeUndefined()
  })

  it('does not count the former name of a server that was upgraded and renamed', () => {
    const renamed = { ...ofRelease(2, '1.4.0'), name: 'z2' }
    const pool = new FakePool([ofRelease(1, '1.4.0'), ofRelease(2, '1.1.0', 'failed'), renamed])
    expect(gate(pool).refusal(command)).toBeUndefined()
  })

  it('does not count a server without a vote: it comes late, and stops by itself', () => {
    const pool = new FakePool([ofRelease(1, '1.4.0'), ofRelease(2, '1.1.0')])
    const [first, second] = voters as [Server, Server]
    expect(gate(pool, newestRelease, [first, { ...second, suffrage: 'nonvoter' }]).refusal(command)).toBeUndefined()
    expect(gate(pool, newestRelease, [first, second]).refusal(command)?.kind).toBe('refused')
  })

  it('takes a server that does not say of which release it is for the oldest', () => {
    const pool = new FakePool([serverMember(1)])
    expect(gate(pool).refusal(command)?.kind).toBe('refused')
    expect(gate(pool).refusal({ kind: 'kv.put', since: oldestRelease })).toBeUndefined()
  })

  it('of a release before 0.8.1 looks at no member, but for commands that always wait', () => {
    const pool = new FakePool([ofRelease(1, '0.8.0'), ofRelease(2, '0.7.0')])
    const autopilot = { kind: 'autopilot.initialize', since: { major: 0, minor: 8, patch: 0 } }
    const early = gate(pool, { major: 0, minor: 8, patch: 0 })
    expect(early.refusal(autopilot)).toBeUndefined()
    expect(early.refusal({ ...autopilot, waitsForAll: true })?.kind).toBe('refused')
    expect(gate(pool, { major: 0, minor: 8, patch: 1 }).refusal(autopilot)?.kind).toBe('refused')
  })

  it('[ACL-016] of release 0.6 takes rules for events and the keyring once every server is upgraded, and others before', () => {
    const pool = new FakePool([ofRelease(1, '0.6.0'), ofRelease(2, '0.5.2'), ofRelease(3, '0.6.0')])
    const gated = gate(pool, { major: 0, minor: 6, patch: 0 })
    expect([gated.refusal(legacySet), gated.refusal(legacySetLater)?.kind]).toEqual([undefined, 'refused'])
    pool.set(ofRelease(2, '0.6.0'))
    expect(gated.refusal(legacySetLater)).toBeUndefined()
  })

  it('never proposes what it does not know itself', () => {
    const gated = gate(new FakePool([]), { major: 1, minor: 1, patch: 0 })
    expect(gated.refusal(command)).toEqual({ kind: 'unknown-method', method: 'thing.put' })
  })
})
