import { describe, expect, it } from 'vitest'
import type { PoolServer } from '../../../src/agent/pool/pool-servers.ts'
import { HealthRecord, type ServerFacts } from '../../../src/agent/servers/server-health.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'

const rules = { lastContactThresholdMs: 200, maxTrailingLogs: 250, heartbeatTimeoutMs: 1_000 }
const judge = { id: 'a', lastIndex: logIndexOf(1_000), lastTerm: termOf(3), monoMs: 0, wallMs: 50_000 }

function server(id: string, changes: Partial<ServerFacts> = {}): ServerFacts {
  const member: PoolServer = {
    id,
    name: `node-${id}`,
    datacenter: 'dc1',
    address: `10.0.0.${id}:8300`,
    raftProtocol: 3,
    release: '1.4.0',
    status: 'alive',
    offersTls: false,
  }
  const said = { lastContactMs: 50, lastIndex: 1_000, lastTerm: 3 }
  return { server: { id, address: member.address, suffrage: 'voter' }, member, said, ...changes }
}

function health(facts: readonly ServerFacts[]): ReturnType<HealthRecord['cluster']> {
  const record = new HealthRecord(() => rules)
  record.look(facts, judge)
  return record.cluster()
}

/** Of server b beside two healthy ones. */
function judged(changes: Partial<ServerFacts>): boolean | undefined {
  const { servers } = health([server('a', { said: undefined }), server('b', changes), server('c')])
  return servers.find(({ id }) => id === 'b')?.healthy
}

describe('the health of servers', () => {
  it('needs a member that is alive, and an answer', () => {
    expect(judged({})).toBe(true)
    for (const status of ['failed', 'left', 'leaving'] as const) {
      const { member } = server('b')
      expect(judged({ member: { ...(member as PoolServer), status } })).toBe(false)
    }
    expect(judged({ member: undefined })).toBe(false)
    expect(judged({ said: undefined })).toBe(false)
  })

  it('needs the last contact within the threshold and the longest pause between two heartbeats', () => {
    expect(judged({ said: { lastContactMs: 400, lastIndex: 1_000, lastTerm: 3 } })).toBe(true)
    expect(judged({ said: { lastContactMs: 401, lastIndex: 1_000, lastTerm: 3 } })).toBe(false)
    expect(judged({ said: { lastContactMs: -1, lastIndex: 1_000, lastTerm: 3 } })).toBe(false)
  })

  it('needs a log that ends in the term of the leader and not too far behind', () => {
    expect(judged({ said: { lastContactMs: 0, lastIndex: 1_000, lastTerm: 2 } })).toBe(false)
    expect(judged({ said: { lastContactMs: 0, lastIndex: 750, lastTerm: 3 } })).toBe(true)
    expect(judged({ said: { lastContactMs: 0, lastIndex: 749, lastTerm: 3 } })).toBe(false)
  })

  it('takes the leader by its own word', () => {
    const { servers } = health([server('a', { said: undefined })])
    expect(servers[0]).toMatchObject({ leader: true, healthy: true, lastContactMs: 0, lastIndex: 1_000, lastTerm: 3 })
  })

  it('of the cluster counts the voters beyond a quorum that are healthy', () => {
    const ill = { said: undefined }
    const five = ['a', 'b', 'c', 'd', 'e'].map((id) => server(id))
    expect(health(five)).toMatchObject({ healthy: true, failureTolerance: 2 })
    expect(health([...five.slice(0, 4), server('e', ill)])).toMatchObject({ healthy: false, failureTolerance: 1 })
    const nonvoter = { server: { id: 'e', address: 'e:1', suffrage: 'nonvoter' as const } }
    expect(health([...five.slice(0, 4), server('e', nonvoter)])).toMatchObject({ healthy: true, failureTolerance: 1 })
    expect(health([server('a'), server('b', ill), server('c', ill)])).toMatchObject({ failureTolerance: 0 })
  })

  it('is stable from the look at which it last changed', () => {
    const record = new HealthRecord(() => rules)
    const look = (monoMs: number, changes: Partial<ServerFacts>): void =>
      record.look([server('a'), server('b', changes)], { ...judge, monoMs, wallMs: 50_000 + monoMs })
    const stableSinceMs = (): number | undefined => record.cluster().servers[1]?.stableSinceMs
    look(0, {})
    look(2_000, {})
    expect(record.healthyForMs('b', 3_000)).toBe(3_000)
    expect(stableSinceMs()).toBe(50_000)
    look(4_000, { said: undefined })
    expect(record.healthyForMs('b', 5_000)).toBeUndefined()
    expect(stableSinceMs()).toBe(54_000)
    look(6_000, {})
    expect(record.healthyForMs('b', 7_000)).toBe(1_000)
    expect(record.healthyForMs('nobody', 7_000)).toBeUndefined()
  })
})
