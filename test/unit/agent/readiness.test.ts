import { describe, expect, it } from 'vitest'
import { type ServerStanding, serverReasons } from '../../../src/agent/requests/serving/readiness.ts'
import { logIndexOf, noIndex, noTerm, termOf } from '../../../src/model/log-position.ts'
import type { RaftStatus } from '../../../src/raft/raft.ts'
import { LoneServer } from '../features/lone-server.ts'

const follower: RaftStatus = {
  role: 'follower',
  term: termOf(3),
  leader: { id: 'id-b', address: '10.0.0.2:8300' },
  commitIndex: logIndexOf(1_000),
  appliedIndex: logIndexOf(1_000),
  lastIndex: logIndexOf(1_000),
  lastTerm: termOf(3),
  snapshotIndex: noIndex,
  snapshotTerm: noTerm,
  configuration: { servers: [{ id: 'id-a', address: '10.0.0.1:8300', suffrage: 'voter' }] },
  configurationIndex: logIndexOf(1),
  pendingProposals: 0,
  diskIsFull: false,
  lastContactMs: 10,
}

function reasons(status: Partial<RaftStatus>, standing: Partial<ServerStanding> = {}): readonly string[] {
  return serverReasons({
    status: { ...follower, ...status },
    id: 'id-a',
    leaderLastIndex: 1_000,
    trailingMax: 250,
    ...standing,
  })
}

describe('a server', () => {
  it('is ready with a vote, a leader, and what the leader has but for a little', () => {
    expect(reasons({})).toEqual([])
    expect(reasons({}, { leaderLastIndex: 1_250 })).toEqual([])
    expect(reasons({}, { leaderLastIndex: undefined })).toEqual([])
    expect(reasons({ role: 'leader', leader: { id: 'id-a', address: '10.0.0.1:8300' } })).toEqual([])
  })

  it.each<[string, Partial<RaftStatus>, Partial<ServerStanding>, string]>([
    ['in no cluster', { configuration: { servers: [] } }, {}, 'this server has not joined a cluster'],
    [
      'without a vote',
      { configuration: { servers: [{ id: 'id-a', address: '10.0.0.1:8300', suffrage: 'nonvoter' }] } },
      {},
      'this server has no vote yet',
    ],
    [
      'left out of the configuration that it has',
      { configuration: { servers: [{ id: 'id-b', address: '10.0.0.1:8300', suffrage: 'voter' }] } },
      {},
      'This server (ID id-a) is not in its own configuration',
    ],
    ['without a leader', { role: 'pre-candidate', leader: undefined }, {}, 'no leader is known'],
    ['without room', { diskIsFull: true }, {}, 'no space left on the disk of this server: it stores nothing'],
    [
      'that refuses writes',
      { diskIsFull: true, role: 'leader', leader: { id: 'id-a', address: '10.0.0.1:8300' } },
      {},
      'no space left on the disk of this server: writes are refused',
    ],
    ['behind the leader', {}, { leaderLastIndex: logIndexOf(1_251) }, 'this server is 251 entries behind the leader'],
    ['behind what is committed', { appliedIndex: logIndexOf(1) }, {}, 'this server is 999 entries behind the leader'],
  ])('is not ready %s', (_, status, standing, reason) => {
    expect(reasons(status, standing)).toEqual([reason])
  })
})

describe('probes', () => {
  it('live is answered as long as the agent runs', async () => {
    const lone = new LoneServer()
    lone.notReady = ['no leader is known']
    expect(await lone.request('GET', '/v1/agent/live')).toMatchObject({ kind: 'json', value: { Live: true } })
  })

  it('ready says whether the agent should be asked, and if not, why', async () => {
    const lone = new LoneServer()
    expect(await lone.request('GET', '/v1/agent/ready')).toEqual({
      kind: 'json',
      value: { Ready: true, Reasons: [] },
      status: 200,
    })
    lone.notReady = ['no leader is known', 'this agent leaves the cluster']
    expect(await lone.request('GET', '/v1/agent/ready')).toEqual({
      kind: 'json',
      value: { Ready: false, Reasons: ['no leader is known', 'this agent leaves the cluster'] },
      status: 503,
    })
  })
})
