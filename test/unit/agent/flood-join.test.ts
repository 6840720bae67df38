import { beforeEach, describe, expect, it } from 'vitest'
import { FloodJoin } from '../../../src/agent/pool/flood-join.ts'
import { done, err } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import { endpointText } from '../../../src/env/net.ts'
import type { Member, MemberStatus, Pool } from '../../../src/gossip/pool.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { clientMember, FakePool, serverMember } from './fake-pool.ts'

/** The same server in the pool of all datacenters. */
function wanMember(number: number, status: MemberStatus = 'alive'): Member {
  return { ...serverMember(number, status), name: `s${number}.dc1` }
}

function withWanPort(member: Member, port: string): Member {
  return { ...member, tags: { ...member.tags, wan_join_port: port } }
}

describe('servers of the own datacenter', () => {
  let clock: HandClock
  let lan: FakePool
  let wan: FakePool
  let joined: string[]
  let flood: FloodJoin
  /** What was joined by the time at which the agent had come up. */
  let atStart: readonly string[]

  beforeEach(async () => {
    clock = new HandClock()
    lan = new FakePool([serverMember(1), withWanPort(serverMember(2), '9302'), clientMember(1)])
    wan = new FakePool([wanMember(1)])
    joined = []
    const join: Pool['join'] = async (at) => {
      joined.push(endpointText(at))
      return at.port === 9302 ? done : err({ kind: 'failed', message: 'nobody' })
    }
    const env = { ...clock.env, log: { write: () => {} } } as unknown as Env
    const pool = { ...wan.pool, join } as Pool
    flood = new FloodJoin({ env, lan: lan.pool, wan: pool, datacenter: 'dc1', port: 8302 })
    await settled()
    atStart = joined.splice(0)
  })

  it('are brought in that were there before this server was ready to look', () => {
    expect(atStart).toEqual(['10.0.0.2:9302'])
  })

  it('are brought into the pool of all datacenters when they appear, where they say that they gossip', async () => {
    lan.set(withWanPort(serverMember(2), '9302'), 'joined')
    await settled()
    expect(joined).toEqual(['10.0.0.2:9302'])
  })

  it('are brought in again and again, at the own port where they do not say, until they are there', async () => {
    lan.set(serverMember(3), 'updated')
    await settled()
    expect(joined).toEqual([])
    await clock.advance(60_000)
    await settled()
    expect(joined).toEqual(['10.0.0.2:9302', '10.0.0.3:8302'])
    wan.set(wanMember(2), 'joined')
    wan.set(wanMember(3, 'failed'), 'joined')
    await clock.advance(60_000)
    await settled()
    expect(joined.slice(2)).toEqual(['10.0.0.3:8302'])
  })

  it('are left alone once it has stopped', async () => {
    flood.stop()
    await clock.advance(60_000)
    lan.set(withWanPort(serverMember(2), '9302'), 'joined')
    await settled()
    expect(joined).toEqual([])
    expect(lan.listeners).toBe(0)
  })
})
