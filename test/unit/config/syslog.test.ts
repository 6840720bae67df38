import { describe, expect, it } from 'vitest'
import { debugConfig } from '../../../src/config/debug.ts'
import { configDifferences } from '../../../src/config/differences.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import type { Machine } from '../../../src/env/process.ts'

const machine: Machine = {
  hostName: 'host-1',
  architecture: 'x64',
  operatingSystem: 'linux',
  cpuCount: 2,
  interfaces: () => [],
}

function withSyslog(file: FileConfig) {
  const normalized = normalize({ data_dir: '/d', bind_addr: '10.0.0.1', ...file }, false, machine)
  if (!normalized.ok) return { problems: normalized.error.map(problemText), warnings: [], syslog: undefined }
  return { problems: [], warnings: normalized.value.warnings, syslog: normalized.value.config.syslog }
}

describe('syslog', () => {
  it('is off until it is asked for, and goes to the local socket as LOCAL0 then', () => {
    expect(withSyslog({ syslog_facility: 'NOWHERE' }).syslog).toBeUndefined()
    expect(withSyslog({ enable_syslog: true })).toEqual({
      ...{ problems: [], warnings: [] },
      syslog: { tag: 'svc', facility: 16, to: { kind: 'local', path: undefined } },
    })
  })

  it.each([
    ['logs.internal', { kind: 'udp', at: { host: 'logs.internal', port: 514 } }],
    ['10.0.0.9', { kind: 'udp', at: { host: '10.0.0.9', port: 514 } }],
    ['[fd00::9]:5514', { kind: 'udp', at: { host: 'fd00::9', port: 5514 } }],
    ['localhost:1514', { kind: 'udp', at: { host: '127.0.0.1', port: 1514 } }],
    ['/run/log', { kind: 'local', path: '/run/log' }],
    ['unix:///run/log', { kind: 'local', path: '/run/log' }],
  ])('goes where syslog_address says: %s', (syslog_address, to) => {
    expect(withSyslog({ enable_syslog: true, syslog_address, syslog_facility: 'daemon' }).syslog).toEqual({
      tag: 'svc',
      facility: 3,
      to,
    })
  })

  it('is shown with what counts', () => {
    const shown = (file: FileConfig) => {
      const normalized = normalize({ data_dir: '/d', bind_addr: '10.0.0.1', ...file }, false, machine)
      if (!normalized.ok) throw new Error('the configuration holds')
      const { EnableSyslog, SyslogFacility, SyslogAddress } = debugConfig(normalized.value.config) as Record<
        string,
        unknown
      >
      return [EnableSyslog, SyslogFacility, SyslogAddress]
    }
    expect(shown({})).toEqual([false, 'LOCAL0', ''])
    expect(shown({ enable_syslog: true, syslog_facility: 'ftp' })).toEqual([true, 'FTP', ''])
    expect(shown({ enable_syslog: true, syslog_address: 'logs' })).toEqual([true, 'LOCAL0', 'logs:514'])
    expect(shown({ enable_syslog: true, syslog_address: '/run/log' })).toEqual([true, 'LOCAL0', '/run/log'])
  })

  it.each([
    [{ syslog_facility: 'LOCAL9' }, `syslog_facility "LOCAL9": invalid syslog facility: did you mean 'LOCAL0'?`],
    [{ syslog_facility: '' }, 'syslog_facility "": invalid syslog facility: write one such as DAEMON, USER or LOCAL0'],
    [
      { syslog_address: 'a b' },
      'syslog_address "a b": is not a host and a port: write an address or a name and a port',
    ],
    [{ syslog_address: '10.0.0.9:0' }, 'syslog_address "10.0.0.9:0": is not a host and a port'],
  ])('that cannot be is refused with what to write: %j', (file, line) => {
    const { problems } = withSyslog({ enable_syslog: true, ...file })
    expect(problems).toEqual([expect.stringContaining(line)])
  })

  it('warns of a syslog_address without enable_syslog', () => {
    expect(withSyslog({ syslog_address: '10.0.0.9' }).warnings).toEqual([
      "'syslog_address' has no effect: enable_syslog is not true",
    ])
  })

  it('waits for a restart where a reload finds it changed', () => {
    const read = (file: FileConfig) => {
      const normalized = normalize({ data_dir: '/d', bind_addr: '10.0.0.1', ...file }, false, machine)
      if (!normalized.ok) throw new Error('the configuration holds')
      return normalized.value
    }
    const [before, next] = [read({ enable_syslog: true }), read({ enable_syslog: true, syslog_facility: 'USER' })]
    expect(configDifferences(before, before, next)).toEqual([
      { text: 'syslog_facility has changed: restart to apply', applied: false },
    ])
  })
})
