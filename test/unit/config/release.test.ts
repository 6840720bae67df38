import { describe, expect, it } from 'vitest'
import { normalize } from '../../../src/config/normalize.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import { parseRelease } from '../../../src/model/release.ts'

const machine = {
  hostName: 'm',
  architecture: 'x64',
  operatingSystem: 'linux',
  cpuCount: 1,
  interfaces: () => [],
} as const

function configOf(release: string, more: FileConfig = {}) {
  const file = { data_dir: '/data', bind_addr: '10.0.0.1', ...more }
  const config = normalize(file, false, machine, undefined, parseRelease(release))
  if (!config.ok) throw new Error(config.error.map(({ message }) => message).join('; '))
  return config.value.config
}

describe('what is not configured is as the release has it', () => {
  it.each([
    ['0.6.4', false, false, false, false],
    ['0.7.0', false, true, true, false],
    ['1.4.0', false, true, true, false],
  ])('[UPG-035] %s: a server leaves on SIGTERM %s and not on an interrupt %s, a client %s and %s', (...row) => {
    const [release, onTerm, notOnInterrupt, clientOnTerm, clientNotOnInterrupt] = row
    const server = configOf(release, { server: true })
    expect([server.leaveOnTerminate, server.skipLeaveOnInterrupt]).toEqual([onTerm, notOnInterrupt])
    const client = configOf(release)
    expect([client.leaveOnTerminate, client.skipLeaveOnInterrupt]).toEqual([clientOnTerm, clientNotOnInterrupt])
  })

  it('before 0.8.0 the command line has a port, where HTTP is if nothing is said', () => {
    expect(configOf('0.7.4').cliRpc).toEqual({ port: 8400, addresses: ['127.0.0.1'] })
    expect(configOf('0.7.4', { client_addr: '10.0.0.9' }).cliRpc).toEqual({ port: 8400, addresses: ['10.0.0.9'] })
    const said = configOf('0.7.4', { past: { cliRpcPort: 18400, cliRpcAddress: '127.0.0.2' } })
    expect(said.cliRpc).toEqual({ port: 18400, addresses: ['127.0.0.2'] })
    expect(configOf('0.7.4', { past: { cliRpcPort: -1 } }).cliRpc).toEqual({ port: -1, addresses: [] })
    expect(configOf('0.8.0').cliRpc).toEqual({ port: -1, addresses: [] })
  })

  it('timing of Raft is quick before 0.7, and multiplier 1 brings that back', () => {
    const [before, since] = [configOf('0.6.4').raft, configOf('0.7.0').raft]
    expect(since.heartbeatTimeoutMs).toBe(5 * before.heartbeatTimeoutMs)
    const brought = configOf('0.7.0', { performance: { raft_multiplier: 1 } }).raft
    expect(brought.heartbeatTimeoutMs).toBe(before.heartbeatTimeoutMs)
  })

  it.each([
    ['0.6.4', false, 5_000],
    ['0.7.0', true, 5_000],
    ['0.7.1', true, 87_600 * 3_600_000],
    ['1.4.0', true, 87_600 * 3_600_000],
  ])(
    '[UPG-032] [UPG-033] %s: answers of DNS may be stale: %s, and as old as %i ms',
    (release, allowStale, maxStaleMs) => {
      expect(configOf(release).dns).toMatchObject({ allowStale, maxStaleMs })
      const said = configOf(release, { dns_config: { allow_stale: false, max_stale: '7s' } }).dns
      expect(said).toMatchObject({ allowStale: false, maxStaleMs: 7_000 })
    },
  )

  it.each([
    ['0.7.4', true, true],
    ['0.8.0', false, true],
    ['0.8.5', false, true],
    ['0.9.0', false, false],
    ['1.4.0', false, false],
  ])(
    '[UPG-030] [UPG-055] %s: others may have programs run here: %s, and checks may run them: %s',
    (release, remoteExec, scripts) => {
      const config = configOf(release)
      expect(config.remoteExec).toBe(remoteExec)
      expect([config.checksConfig.remoteScripts, config.checksConfig.localScripts]).toEqual([scripts, scripts])
      const said = configOf(release, { disable_remote_exec: true, enable_script_checks: false })
      expect([said.remoteExec, said.checksConfig.remoteScripts, said.checksConfig.localScripts]).toEqual([
        false,
        false,
        false,
      ])
    },
  )
})
