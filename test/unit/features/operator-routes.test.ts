import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import { autopilotInitialize } from '../../../src/features/operator/commands.ts'
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
