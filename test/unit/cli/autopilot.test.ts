import { beforeEach, describe, expect, it } from 'vitest'
import { autopilotInitialize } from '../../../src/features/operator/commands.ts'
import { CliWorld } from './cli-world.ts'

const shown = `CleanupDeadServers = true
LastContactThreshold = 200ms
MaxTrailingLogs = 250
ServerStabilizationTime = 10s
RedundancyZoneTag = ""
DisableUpgradeMigration = false
UpgradeVersionTag = ""
`

let world: CliWorld

beforeEach(async () => {
  world = await CliWorld.begun()
  await world.sessions.server.context.propose(autopilotInitialize, {
    settings: {
      cleanUpDeadServers: true,
      lastContactThresholdMs: 200,
      maxTrailingLogs: 250,
      serverStabilizationMs: 10_000,
      redundancyZoneTag: '',
      disableUpgradeMigration: false,
      upgradeVersionTag: '',
    },
  })
})

describe('operator autopilot', () => {
  it('get-config shows seven lines', async () => {
    expect(await world.run(['operator', 'autopilot', 'get-config'])).toEqual({ code: 0, out: shown, error: '' })
  })

  it('set-config changes what is given and leaves the rest', async () => {
    const argv = ['-cleanup-dead-servers=false', '-max-trailing-logs=300', '-last-contact-threshold=1m30s']
    const set = await world.run(['operator', 'autopilot', 'set-config', ...argv])
    expect(set).toEqual({ code: 0, out: 'Configuration updated!\n', error: '' })
    const { out } = await world.run(['operator', 'autopilot', 'get-config'])
    expect(out).toBe(shown.replace('= true', '= false').replace('250', '300').replace('200ms', '1m30s'))
  })

  it.each([
    ['autopilot', 'get-config'],
    ['autopilot', 'set-config', '-max-trailing-logs=300'],
    ['raft', 'transfer-leader'],
  ])('%s %s refuses an operand, and changes nothing', async (...argv) => {
    const { code, out, error } = await world.run(['operator', ...argv, 's2'])
    expect([code, out, error.split('\n')[0]]).toEqual([1, '', 'Too many arguments (expected 0, got 1)'])
    expect((await world.run(['operator', 'autopilot', 'get-config'])).out).toBe(shown)
  })

  it('set-config changes nothing when another client was faster', async () => {
    const [path, other] = ['/v1/operator/autopilot/configuration', '{"MaxTrailingLogs": 1}']
    const { server } = world.sessions
    const request = server.request.bind(server)
    server.request = async (method, target, body) => {
      if (method === 'PUT' && target.startsWith(`${path}?cas=`)) await request('PUT', path, other)
      return request(method, target, body)
    }
    const set = await world.run(['operator', 'autopilot', 'set-config', '-max-trailing-logs=9'])
    expect(set.code).toBe(1)
    expect(set.error).toBe('Configuration could not be atomically updated, please try again\n')
  })

  it.each([
    ['-max-trailing-logs=x', 'write a whole number'],
    ['-server-stabilization-time=soon', 'not a duration such as 10s, 1h30m or 300ms'],
    ['-last-contact-threshold=5', 'missing unit in duration, write 5s'],
  ])('set-config refuses %s and says what to write', async (flag, remedy) => {
    const set = await world.run(['operator', 'autopilot', 'set-config', flag])
    expect(set).toMatchObject({ code: 1, out: '' })
    expect(set.error).toContain('invalid value')
    expect(set.error).toContain(`: ${remedy}`)
  })
})
