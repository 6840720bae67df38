import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { writeJson } from '../../../src/base/json.ts'
import { autopilotInitialize } from '../../../src/features/operator/commands.ts'
import { removePeerEndpoint } from '../../../src/features/operator/endpoint.ts'
import { autopilotOf } from '../../../src/features/operator/views.ts'
import { LoneServer } from './lone-server.ts'

const path = '/v1/operator/autopilot/configuration'

const configured = {
  cleanUpDeadServers: true,
  lastContactThresholdMs: 200,
  maxTrailingLogs: 250,
  serverStabilizationMs: 10_000,
  redundancyZoneTag: '',
  disableUpgradeMigration: false,
  upgradeVersionTag: '',
}

async function begun(): Promise<LoneServer> {
  const server = new LoneServer()
  await server.context.propose(autopilotInitialize, { settings: configured })
  return server
}

async function asked(server: LoneServer): Promise<unknown> {
  const response = await server.request('GET', path)
  return response.kind === 'json' ? JSON.parse(writeJson(response.value, false)) : response
}

describe('the settings of autopilot', () => {
  it('are those of the first leader, which a later one does not replace', async () => {
    const server = await begun()
    await server.context.propose(autopilotInitialize, { settings: { ...configured, maxTrailingLogs: 1 } })
    const response = await server.request('GET', path)
    expect(response).toEqual({
      kind: 'json',
      value: {
        CleanupDeadServers: true,
        LastContactThreshold: '200ms',
        MaxTrailingLogs: 250,
        ServerStabilizationTime: '10s',
        RedundancyZoneTag: '',
        DisableUpgradeMigration: false,
        UpgradeVersionTag: '',
        CreateIndex: 1,
        ModifyIndex: 1,
      },
    })
  })

  it('are refused while no leader has put any there', async () => {
    expect(await asked(new LoneServer())).toMatchObject({
      failure: { kind: 'refused', message: 'autopilot config not initialized yet' },
    })
  })

  it('are replaced as a whole: what is absent becomes zero', async () => {
    const server = await begun()
    const body = '{"maxtrailinglogs": 99, "LastContactThreshold": "300ms", "ServerStabilizationTime": 11000000000}'
    expect(await server.request('PUT', path, body)).toEqual({ kind: 'json', value: true })
    expect(await asked(server)).toMatchObject({
      CleanupDeadServers: false,
      LastContactThreshold: '300ms',
      MaxTrailingLogs: 99,
      ServerStabilizationTime: '11s',
      CreateIndex: 1,
      ModifyIndex: 2,
    })
  })

  it('with cas are replaced only if they were last changed there', async () => {
    const server = await begun()
    expect(await server.request('PUT', `${path}?cas=7`, '{}')).toEqual({ kind: 'json', value: false })
    expect(await asked(server)).toMatchObject({ MaxTrailingLogs: 250, ModifyIndex: 1 })
    expect(await server.request('PUT', `${path}?cas=1`, '{}')).toEqual({ kind: 'json', value: true })
    expect(await asked(server)).toMatchObject({ MaxTrailingLogs: 0, ModifyIndex: 3 })
  })

  it.each([
    ['{', 'Error parsing autopilot config: unexpected EOF'],
    ['', 'Error parsing autopilot config: EOF'],
    ['{"LastContactThreshold": "x"}', 'Error parsing autopilot config: time: invalid duration "x"'],
    [
      '{"ServerStabilizationTime": "-1s"}',
      'Error parsing autopilot config: ServerStabilizationTime cannot be negative',
    ],
    ['{"MaxTrailingLogs": -1}', 'Error parsing autopilot config: MaxTrailingLogs cannot be negative'],
  ])('of a body %j are refused with a line that says why', async (body, message) => {
    const server = await begun()
    expect(await server.request('PUT', path, body)).toEqual({
      kind: 'failure',
      failure: { kind: 'bad-request', message },
    })
    expect(await asked(server)).toMatchObject({ ModifyIndex: 1 })
  })
})

describe('network areas', () => {
  it('are not there, each under one segment, with one verb', async () => {
    const server = new LoneServer()
    const nothing = { kind: 'text', text: '', status: 404 }
    expect(await server.request('GET', '/v1/operator/area/x/members')).toEqual(nothing)
    expect(await server.request('PUT', '/v1/operator/area/x/join', '[]')).toEqual(nothing)
    await expect(server.request('GET', '/v1/operator/area/x/join')).rejects.toThrow('no route')
    for (const other of [
      '/v1/operator/area',
      '/v1/operator/area/x',
      '/v1/operator/area/x/y/members',
      '/v1/operator/area//members',
    ]) {
      await expect(server.request('GET', other)).rejects.toThrow('no route')
    }
  })
})

describe('a server that is removed from the Raft configuration', () => {
  const gone = { id: 'id-b', address: '10.0.0.2:8300', suffrage: 'voter' } as const

  /** A leader that removes a server as it is asked to, and a call with an identity. */
  async function withPeer() {
    const server = await begun()
    server.raftStatus = { ...server.raftStatus, configuration: { servers: [gone] } }
    const remove = (sequence: number, args: { id: string } | { address: string } = { id: gone.id }) =>
      removePeerEndpoint.serve(server.context, args, { origin: 'a', sequence }, unrestricted)
    const removed = () => {
      server.raftStatus = { ...server.raftStatus, configuration: { servers: [] } }
    }
    return { server, remove, removed }
  }

  it('is removed, too, when the call is sent again because its answer was lost', async () => {
    const { server, remove, removed } = await withPeer()
    expect(await remove(1)).toEqual({ ok: true, value: null })
    removed()
    expect(await remove(1)).toEqual({ ok: true, value: null })
    expect(server.configurationChanges).toEqual([{ kind: 'remove', id: gone.id }])
    const message = 'id "id-b" was not found in the Raft configuration'
    expect(await remove(2)).toEqual({ ok: false, error: { kind: 'bad-request', message } })
    expect(autopilotOf(server.read())).toMatchObject({ maxTrailingLogs: 250, modifyIndex: 1 })
  })

  it('is not taken for removed where it was never there, however often the call is sent', async () => {
    const { server, remove } = await withPeer()
    const { index } = server
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await remove(1, { address: '10.0.0.9:8300' })).toMatchObject({ error: { kind: 'bad-request' } })
    }
    expect(server.index).toBe(index)
  })

  it('is being removed still by the first attempt: the call is to be sent once more', async () => {
    const { server, remove } = await withPeer()
    server.refusal = { kind: 'leadership-lost' }
    expect(await remove(1)).toMatchObject({ error: { kind: 'outcome-unknown' } })
    server.refusal = { kind: 'change-in-progress' }
    expect(await remove(1)).toMatchObject({ error: { kind: 'outcome-unknown' } })
    expect(await remove(2)).toMatchObject({ error: { kind: 'refused' } })
  })

  it('is removed without an identity where a server is too old for the command that carries it', async () => {
    const { server, remove } = await withPeer()
    server.failNext = { kind: 'refused', message: 'autopilot.set needs release 0.8.0 on every voter' }
    expect(await remove(1)).toEqual({ ok: true, value: null })
    server.failNext = { kind: 'not-leader', leader: undefined }
    expect(await remove(2)).toMatchObject({ error: { kind: 'not-leader' } })
    expect(server.configurationChanges).toHaveLength(1)
  })
})
