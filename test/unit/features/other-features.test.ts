import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import type { RouteResponse } from '../../../src/features/contract/route.ts'
import { logIndexOf } from '../../../src/model/log-position.ts'
import { LoneServer } from './lone-server.ts'

function jsonOf(response: RouteResponse): string {
  if (response.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(response)}`)
  return writeJson(response.value)
}

const threeServers = {
  servers: [
    { id: 'id-a', address: '10.0.0.1:8300', suffrage: 'voter' as const },
    { id: 'id-b', address: '10.0.0.2:8300', suffrage: 'nonvoter' as const },
    { id: 'id-c', address: '10.0.0.3:8300', suffrage: 'voter' as const },
  ],
}

describe('status', () => {
  it('leader is the RPC address of the leader, or empty, without an index', async () => {
    const server = new LoneServer()
    expect(await server.request('GET', '/v1/status/leader')).toEqual({ kind: 'json', value: '10.0.0.1:8300' })
    server.raftStatus = { ...server.raftStatus, leader: undefined }
    expect(jsonOf(await server.request('GET', '/v1/status/leader'))).toBe('""')
  })

  it('peers are the addresses of the Raft configuration, none before there is one', async () => {
    const server = new LoneServer()
    server.raftStatus = { ...server.raftStatus, configuration: threeServers }
    expect(jsonOf(await server.request('GET', '/v1/status/peers'))).toBe(
      '["10.0.0.1:8300","10.0.0.2:8300","10.0.0.3:8300"]',
    )
    server.raftStatus = { ...server.raftStatus, configuration: { servers: [] } }
    expect(await server.request('GET', '/v1/status/peers')).toEqual({ kind: 'json', value: [] })
  })

  it('of another datacenter cannot be had', async () => {
    expect(await new LoneServer().request('GET', '/v1/status/leader?dc=dc9')).toMatchObject({
      kind: 'failure',
      failure: { kind: 'unknown-datacenter' },
    })
  })
})

describe('operator autopilot health', () => {
  const well = {
    id: 'id-a',
    name: 'node-a',
    address: '10.0.0.1:8300',
    poolStatus: 'alive' as const,
    release: '1.4.0',
    leader: true,
    voter: true,
    lastContactMs: 0,
    lastTerm: 2,
    lastIndex: 9,
    healthy: true,
    stableSinceMs: Date.parse('2026-11-21T03:19:40.123Z'),
  }

  it('has the shape that the clients of the field read', async () => {
    const server = new LoneServer()
    server.health = { healthy: true, failureTolerance: 0, servers: [well] }
    const response = await server.request('GET', '/v1/operator/autopilot/health')
    expect(response).toMatchObject({ status: 200 })
    expect(jsonOf(response)).toBe(
      '{"Healthy":true,"FailureTolerance":0,"Servers":[{"ID":"id-a","Name":"node-a","Address":"10.0.0.1:8300",' +
        '"SerfStatus":"alive","Version":"1.4.0","Leader":true,"LastContact":"0s","LastTerm":2,"LastIndex":9,' +
        '"Healthy":true,"Voter":true,"StableSince":"2026-11-21T03:19:40Z"}]}',
    )
  })

  it('is 429 with the same members when not all are healthy, and before the leader has looked', async () => {
    const server = new LoneServer()
    expect(await server.request('GET', '/v1/operator/autopilot/health')).toMatchObject({ status: 429 })
    const ill = { ...well, leader: false, lastContactMs: undefined, healthy: false }
    server.health = { healthy: false, failureTolerance: 0, servers: [ill] }
    const response = await server.request('GET', '/v1/operator/autopilot/health')
    expect(response).toMatchObject({ status: 429 })
    expect(jsonOf(response)).toContain('"LastContact":"-1ns"')
  })
})

describe('operator raft', () => {
  function withThree(): LoneServer {
    const server = new LoneServer()
    server.raftStatus = { ...server.raftStatus, configuration: threeServers, configurationIndex: logIndexOf(17) }
    server.servers = [
      { id: 'id-a', name: 'node-a', address: '10.0.0.1:8300', raftProtocol: 3 },
      { id: 'id-b', name: 'node-b', address: '10.0.0.2:8300', raftProtocol: 2 },
    ]
    return server
  }

  it('configuration lists the servers, with the names that are known, and the index of the configuration', async () => {
    expect(jsonOf(await withThree().request('GET', '/v1/operator/raft/configuration'))).toBe(
      '{"Servers":[' +
        '{"ID":"id-a","Node":"node-a","Address":"10.0.0.1:8300","Leader":true,"ProtocolVersion":"3","Voter":true},' +
        '{"ID":"id-b","Node":"node-b","Address":"10.0.0.2:8300","Leader":false,"ProtocolVersion":"2","Voter":false},' +
        '{"ID":"id-c","Node":"(unknown)","Address":"10.0.0.3:8300","Leader":false,"ProtocolVersion":"unknown","Voter":true}' +
        '],"Index":17}',
    )
  })

  it('configuration finds servers that are named by their addresses', async () => {
    const server = withThree()
    const address = '10.0.0.2:8300'
    const configuration = { servers: [{ id: address, address, suffrage: 'voter' as const }] }
    server.raftStatus = { ...server.raftStatus, leader: { id: address, address }, configuration }
    expect(jsonOf(await server.request('GET', '/v1/operator/raft/configuration'))).toContain(
      '{"ID":"10.0.0.2:8300","Node":"node-b","Address":"10.0.0.2:8300","Leader":true,"ProtocolVersion":"2","Voter":true}',
    )
    await server.request('DELETE', '/v1/operator/raft/peer?address=10.0.0.2:8300')
    await server.request('DELETE', '/v1/operator/raft/peer?id=10.0.0.2:8300')
    expect(server.configurationChanges).toEqual([
      { kind: 'remove', id: address },
      { kind: 'remove', id: address },
    ])
  })

  it('configuration takes stale and dc, and carries no index', async () => {
    const server = withThree()
    const response = await server.request('GET', '/v1/operator/raft/configuration?stale')
    expect(server.reads.map((read) => read.consistency)).toEqual(['stale'])
    expect(response).not.toHaveProperty('meta')
    expect(await server.request('GET', '/v1/operator/raft/configuration?dc=x')).toMatchObject({
      failure: { kind: 'unknown-datacenter' },
    })
  })

  it('peer is removed by ID or by address', async () => {
    const server = withThree()
    expect(await server.request('DELETE', '/v1/operator/raft/peer?id=id-b')).toEqual({ kind: 'empty', status: 200 })
    await server.request('DELETE', '/v1/operator/raft/peer?address=10.0.0.3:8300')
    expect(server.configurationChanges).toEqual([
      { kind: 'remove', id: 'id-b' },
      { kind: 'remove', id: 'id-c' },
    ])
  })

  it('peer must be named in exactly one way', async () => {
    const server = withThree()
    const refused = (message: string) => ({ kind: 'failure', failure: { kind: 'bad-request', message } })
    expect(await server.request('DELETE', '/v1/operator/raft/peer')).toEqual(
      refused("Must specify either ?id with the server's ID or ?address with IP:port of peer to remove"),
    )
    expect(await server.request('DELETE', '/v1/operator/raft/peer?id=a&address=b')).toEqual(
      refused('Must specify only one of ?id or ?address'),
    )
  })

  it('a peer that is not in the configuration is refused by the name it was given', async () => {
    const server = withThree()
    const refused = (message: string) => ({ kind: 'failure', failure: { kind: 'bad-request', message } })
    expect(await server.request('DELETE', '/v1/operator/raft/peer?id=nope')).toEqual(
      refused('id "nope" was not found in the Raft configuration'),
    )
    expect(await server.request('DELETE', '/v1/operator/raft/peer?address=1.2.3.4:5')).toEqual(
      refused('address "1.2.3.4:5" was not found in the Raft configuration'),
    )
    expect(server.configurationChanges).toEqual([])
  })

  it('every refusal of Raft’s becomes a failure of its own', async () => {
    const server = withThree()
    const kindOf = async (refusal: NonNullable<LoneServer['refusal']>) => {
      server.refusal = refusal
      const response = await server.request('DELETE', '/v1/operator/raft/peer?id=id-b')
      return response.kind === 'failure' ? response.failure.kind : response.kind
    }
    expect(await kindOf({ kind: 'not-leader', leader: 'id-c' })).toBe('not-leader')
    expect(await kindOf({ kind: 'leadership-lost' })).toBe('outcome-unknown')
    expect(await kindOf({ kind: 'overloaded' })).toBe('overloaded')
    expect(await kindOf({ kind: 'change-in-progress' })).toBe('refused')
    expect(await kindOf({ kind: 'unknown-server', id: 'id-b' })).toBe('bad-request')
    expect(await kindOf({ kind: 'invalid-change', message: 'last voter' })).toBe('refused')
  })
})
