import { beforeEach, describe, expect, it } from 'vitest'
import { DatacenterRouter } from '../../../src/agent/requests/asking/datacenter-target.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Member, MemberStatus } from '../../../src/gossip/pool.ts'
import { FakePool, serverMember } from './fake-pool.ts'

/** The server of this number in this datacenter. */
function serverIn(datacenter: string, number: number, status: MemberStatus = 'alive'): Member {
  const member = serverMember(number, status)
  const id = `id-${datacenter}-${number}`
  return { ...member, name: `s${number}.${datacenter}`, tags: { ...member.tags, dc: datacenter, id } }
}

const env = { random: { draws: () => ({ below: (bound: number) => bound - 1 }) } } as unknown as Env

describe('the way to other datacenters', () => {
  let pool: FakePool
  let router: DatacenterRouter

  beforeEach(() => {
    pool = new FakePool([serverIn('dc1', 1), serverIn('dc2', 2), serverIn('dc2', 3)])
    router = new DatacenterRouter(env, pool.pool, 'dc1')
  })

  it('is one of the servers there, the same as long as it answers', () => {
    expect(router.pick('dc2')?.name).toBe('s2.dc2')
    expect(router.pick('dc2')?.name).toBe('s2.dc2')
    router.failed(router.pick('dc2') as never)
    expect(router.pick('dc2')?.name).toBe('s3.dc2')
  })

  it('is not there for the own datacenter, an unknown one, and one whose servers have all failed', () => {
    expect(router.pick('dc1')).toBeUndefined()
    expect(router.pick('dc3')).toBeUndefined()
    pool.set(serverIn('dc2', 2, 'failed'), 'failed')
    expect(router.pick('dc2')?.name).toBe('s3.dc2')
    pool.set(serverIn('dc2', 3, 'left'), 'left')
    expect(router.pick('dc2')).toBeUndefined()
  })

  it('notifies waiting callers when a server appears', () => {
    const seen: string[] = []
    const waiting = router.onAppeared(() => seen.push(router.pick('dc3')?.name ?? 'nobody'))
    pool.set(serverIn('dc2', 2, 'failed'), 'failed')
    pool.set(serverIn('dc3', 4), 'joined')
    expect(seen).toEqual(['s4.dc3'])
    waiting.close()
    pool.set(serverIn('dc4', 5), 'joined')
    expect(seen).toEqual(['s4.dc3'])
    router.stop()
    expect(pool.listeners).toBe(0)
  })
})
