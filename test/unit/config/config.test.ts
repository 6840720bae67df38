import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../../src/config/document.ts'
import { agentFlags, configOfFlags } from '../../../src/config/flags.ts'
import { mergeConfig } from '../../../src/config/merge.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import { validateDocument } from '../../../src/config/validate.ts'
import type { Machine } from '../../../src/env/process.ts'

function machine(...addresses: readonly string[]): Machine {
  return {
    hostName: 'host-1',
    architecture: 'x64',
    operatingSystem: 'linux',
    cpuCount: 2,
    interfaces: () => addresses.map((address, at) => ({ name: `eth${at}`, address })),
  }
}

const server: FileConfig = { server: true, data_dir: '/var/svc', bind_addr: '10.0.0.1' }

function linesOf(text: string): readonly string[] {
  const document = parseDocument('a.json', text)
  if (!document.ok) return [problemText(document.error)]
  const validated = validateDocument(document.value)
  return validated.ok ? [] : validated.error.map(problemText)
}

function linesOfConfig(file: FileConfig, dev = false, on = machine('10.0.0.1')): readonly string[] {
  const normalized = normalize(file, dev, on)
  return normalized.ok ? [] : normalized.error.map(problemText)
}

describe('a configuration file', () => {
  it('names an unknown key with its place and what was meant', () => {
    expect(linesOf('{\n  "server": true,\n  "data_dirr": "/x"\n}')).toEqual([
      "a.json:3:3: invalid config key data_dirr: did you mean 'data_dir'?",
    ])
    expect(linesOf('{"performance": {"raft_multiplyer": 1}}')).toEqual([
      "a.json:1:18: invalid config key performance.raft_multiplyer: did you mean 'raft_multiplier'?",
    ])
  })

  it('names a wrong type with both types', () => {
    expect(linesOf('{"server": "yes"}')).toEqual([
      "a.json:1:2: 'server' expected type 'boolean', got 'string': write a value of type boolean",
    ])
    expect(linesOf('{"ports": {"http": "8500"}}')[0]).toContain("'ports.http' expected type 'number', got 'string'")
  })

  it('refuses headers and aliases that HTTP cannot send', () => {
    const refused = 'write a name of letters, digits and dashes, and a value of one line in ASCII'
    expect(
      linesOf('{"http_config": {"response_headers": {"X-Good": "a, b", "X Bad": "", "X-Bad": "a\\r\\nb"}}}'),
    ).toEqual([
      `a.json:1:57: 'http_config.response_headers.X Bad' is not valid: ${refused}`,
      `a.json:1:70: 'http_config.response_headers.X-Bad' is not valid: ${refused}`,
    ])
    expect(linesOf('{"aliases": ["consul", "a:b"]}')).toEqual([
      "a.json:1:24: 'aliases.1' is not valid: write letters and digits, with dashes between",
    ])
    expect(linesOf('{"aliases": []}')).toEqual([])
  })

  it('gives one line for each problem', () => {
    expect(linesOf('{"a1": 1, "b1": 2, "server": 3}')).toHaveLength(3)
  })

  it('refuses what is not JSON, with line and column', () => {
    expect(linesOf('{\n  "server": true,\n}')[0]).toMatch(/^a\.json:3:1: not JSON: /)
    expect(linesOf('{ // a comment\n}')[0]).toContain('JSON has no comments')
    expect(linesOf('')[0]).toContain('not JSON')
    expect(linesOf('[1]')).toEqual(['a.json:1:1: a configuration is an object: write { … }'])
    expect(linesOf('{"server": true,\n"server": false}')[0]).toBe(
      'a.json:2:1: the key "server" stands twice: keep one of them',
    )
  })

  it('refuses durations without a unit', () => {
    expect(linesOf('{"retry_interval": "30"}')[0]).toContain('missing unit in duration')
  })

  it('refuses keys that protect, when this version would not honour them', () => {
    expect(linesOf('{"encrypt": "abc"}')[0]).toContain('invalid config key encrypt')
    expect(linesOf('{"acl": {"enabled": true}}')[0]).toContain('invalid config key acl')
  })

  it('warns of keys that have no effect yet', () => {
    const document = parseDocument('a.json', '{"connect": {"enabled": true}}')
    expect(document.ok && validateDocument(document.value)).toMatchObject({
      ok: true,
      value: { warnings: ["a.json:1:2: 'connect' has no effect yet"] },
    })
  })
})

describe('sources', () => {
  it('replace scalars, append lists and merge blocks', () => {
    const earlier: FileConfig = { retry_join: ['a'], node_name: 'x', ports: { http: 1, dns: 2 }, node_meta: { a: '1' } }
    const later: FileConfig = { retry_join: ['b'], node_name: 'y', ports: { http: 3 }, node_meta: { b: '2' } }
    expect(mergeConfig(earlier, later)).toEqual({
      retry_join: ['a', 'b'],
      node_name: 'y',
      ports: { http: 3, dns: 2 },
      node_meta: { a: '1', b: '2' },
    })
  })

  it('take flags apart into those before and those after the files', () => {
    const given = new Map<string, boolean | string | readonly string[]>([
      ['server', true],
      ['bootstrap-expect', '3'],
      ['retry-join', ['10.0.0.2']],
      ['http-port', '-1'],
      ['node-meta', ['rack:r1', 'bare']],
    ])
    expect(configOfFlags(given)).toEqual({
      ok: true,
      value: {
        lists: { retry_join: ['10.0.0.2'] },
        scalars: { bootstrap_expect: 3, node_meta: { rack: 'r1', bare: '' }, ports: { http: -1 }, server: true },
      },
    })
    expect(configOfFlags(new Map([['http-port', 'x']]))).toMatchObject({ ok: false, error: [{ place: '-http-port' }] })
  })

  it('have one flag for each name', () => {
    const names = agentFlags.map((flag) => flag.name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('the effective configuration', () => {
  it.each([
    [1, 1000, 500],
    [2, 2000, 1000],
    [5, 5000, 2500],
    [10, 10000, 5000],
  ])('has the timings of raft_multiplier %i', (raft_multiplier, electionTimeoutMs, leaderLeaseMs) => {
    const normalized = normalize({ ...server, performance: { raft_multiplier } }, false, machine())
    expect(normalized).toMatchObject({ ok: true, value: { config: { raft: { electionTimeoutMs, leaderLeaseMs } } } })
  })

  it('multiplies by 5 unless told otherwise', () => {
    expect(normalize(server, false, machine())).toMatchObject({
      ok: true,
      value: { config: { raft: { heartbeatTimeoutMs: 5000 } } },
    })
  })

  it.each([
    [{ performance: { raft_multiplier: 11 } }, 'performance.raft_multiplier cannot be 11'],
    [{ bootstrap_expect: -1 }, 'bootstrap_expect cannot be -1'],
    [{ bootstrap_expect: 3, bootstrap: true }, 'mutually exclusive'],
    [{ datacenter: 'a.b' }, 'datacenter cannot be "a.b"'],
    [{ node_id: 'x' }, 'is not a UUID'],
    [{ log_level: 'ZZZ' }, 'Invalid log level: ZZZ'],
    [{ retry_join: ['db.internal'] }, 'retry_join "db.internal" is not an address'],
    [{ node_meta: { 'svc-x': '1' } }, 'reserved for internal use'],
    [{ advertise_addr: '0.0.0.0' }, 'Advertise address cannot be 0.0.0.0'],
    [{ bind_addr: 'localhost' }, 'must be an ip address'],
    [{ ports: { server: -1 } }, 'ports.server cannot be -1'],
    [{ retry_interval: '0s' }, 'retry_interval cannot be 0s: must be at least 10ms'],
    [{ raft_snapshot_interval: '1ms' }, 'raft_snapshot_interval cannot be 1ms: must be at least 10ms'],
  ] as const)('refuses %j', (more, expected) => {
    expect(linesOfConfig({ ...server, ...(more as FileConfig) })[0]).toContain(expected)
  })

  it('needs a data directory unless it is for development', () => {
    expect(linesOfConfig({ server: true, bind_addr: '10.0.0.1' })).toEqual([
      'config: data_dir cannot be empty: name a directory with -data-dir, or try -dev',
    ])
    expect(linesOfConfig({}, true)).toEqual([])
  })

  it('gives a bare address in retry_join the port of servers', () => {
    const normalized = normalize(
      { ...server, retry_join: ['10.0.0.2', '10.0.0.3:9300', '[fd00::1]:1', 'fd00::2'] },
      false,
      machine(),
    )
    expect(normalized).toMatchObject({
      ok: true,
      value: { config: { retryJoin: ['10.0.0.2:8300', '10.0.0.3:9300', '[fd00::1]:1', '[fd00::2]:8300'] } },
    })
  })

  it('[AGT-026] refuses to guess between several private addresses, and takes the only one', () => {
    const file: FileConfig = { server: true, data_dir: '/x' }
    expect(linesOfConfig(file, false, machine('10.0.0.1', '192.168.0.1'))[0]).toContain(
      "Multiple private IPv4 addresses found: configure one with '-bind' and/or '-advertise'",
    )
    expect(linesOfConfig(file, false, machine('8.8.8.8'))[0]).toContain('No private IPv4 address found')
    expect(normalize(file, false, machine('8.8.8.8', '100.64.0.9'))).toMatchObject({
      ok: true,
      value: { config: { bindAddress: '0.0.0.0', advertiseAddress: '100.64.0.9' } },
    })
  })

  it('takes interval and threshold of snapshots from the file, also those of former releases', () => {
    const file = { ...server, raft_snapshot_interval: '5s', raft_snapshot_threshold: 8192 }
    expect(normalize(file, false, machine())).toMatchObject({
      value: { config: { raft: { snapshotIntervalMs: 5_000, snapshotThreshold: 8192 } } },
    })
  })

  it('[AGT-027] takes an address that is named, however many private ones there are', () => {
    const file: FileConfig = { server: true, data_dir: '/x' }
    const two = machine('10.0.0.1', '192.168.0.1')
    expect(linesOfConfig({ ...file, bind_addr: '10.0.0.1' }, false, two)).toEqual([])
    expect(linesOfConfig({ ...file, advertise_addr: '10.0.0.1' }, false, two)).toEqual([])
  })

  it('warns of clusters that tolerate no loss or are oversized', () => {
    const warnings = (bootstrap_expect: number): string => {
      const normalized = normalize({ ...server, bootstrap_expect }, false, machine())
      return normalized.ok ? normalized.value.warnings.join('\n') : 'refused'
    }
    expect(warnings(2)).toContain('no failure tolerance')
    expect(warnings(4)).toContain('even number')
    expect(warnings(9)).toContain('larger than recommended')
    expect(warnings(3)).toBe('bootstrap_expect > 0: expecting 3 servers')
  })
})
