import { describe, expect, it } from 'vitest'
import { configOfFlags } from '../../../src/config/flags.ts'
import { normalize } from '../../../src/config/normalize.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import { parseRelease } from '../../../src/model/release.ts'
import { linesOfConfig, machine, server } from './normalized.ts'

describe('the effective configuration', () => {
  it.each([
    [1, 1000, 500],
    [2, 2000, 1000],
    [5, 5000, 2500],
    [10, 10000, 5000],
    [undefined, 5000, 2500],
  ])('[CFG-011] has the timings of raft_multiplier %s', (raft_multiplier, electionTimeoutMs, leaderLeaseMs) => {
    const performance = raft_multiplier === undefined ? {} : { raft_multiplier }
    const normalized = normalize({ ...server, performance }, false, machine())
    const raft = { heartbeatTimeoutMs: electionTimeoutMs, electionTimeoutMs, leaderLeaseMs }
    expect(normalized).toMatchObject({ ok: true, value: { config: { raft } } })
  })

  it('[AGT-038 CFG-043] serves the directory of a web interface that is named, also where -dev would serve its own', () => {
    for (const dev of [false, true]) {
      const normalized = normalize({ ...server, ui_dir: '/srv/ui' }, dev, machine())
      expect(normalized).toMatchObject({ value: { config: { http: { ui: { kind: 'directory', path: '/srv/ui' } } } } })
      expect(normalize(server, dev, machine())).toMatchObject({
        value: { config: { http: { ui: { kind: dev ? 'built-in' : 'off' } } } },
      })
    }
  })

  it('takes what autopilot goes by, and what it accepts from the commercial edition', () => {
    const autopilot = {
      cleanup_dead_servers: false,
      last_contact_threshold: '1s',
      max_trailing_logs: 7,
      min_quorum: 3,
      server_stabilization_time: '20s',
      redundancy_zone_tag: 'zone',
      disable_upgrade_migration: true,
      upgrade_version_tag: 'build',
    }
    expect(normalize({ ...server, autopilot }, false, machine())).toMatchObject({
      ok: true,
      value: {
        config: {
          autopilot: {
            cleanUpDeadServers: false,
            lastContactThresholdMs: 1_000,
            maxTrailingLogs: 7,
            minQuorum: 3,
            serverStabilizationMs: 20_000,
          },
        },
      },
    })
  })

  it.each([
    ['1.0.1', undefined, { protocol: 3, snapshotThreshold: 8_192, snapshotIntervalMs: 5_000 }],
    ['1.0.0', undefined, { protocol: 3, snapshotThreshold: 8_192, snapshotIntervalMs: 5_000 }],
    ['1.0.7', undefined, { protocol: 3, snapshotThreshold: 8_192, snapshotIntervalMs: 5_000 }],
    ['1.1.0', undefined, { protocol: 3, snapshotThreshold: 16_384, snapshotIntervalMs: 30_000 }],
    ['0.8.0', undefined, { protocol: 2, snapshotThreshold: 8_192, snapshotIntervalMs: 5_000 }],
    ['0.9.0', undefined, { protocol: 2, snapshotThreshold: 8_192, snapshotIntervalMs: 5_000 }],
    ['0.9.0', 1, { protocol: 1, snapshotThreshold: 8_192, snapshotIntervalMs: 5_000 }],
    ['1.4.0', undefined, { protocol: 3, snapshotThreshold: 16_384, snapshotIntervalMs: 30_000 }],
  ])(
    '[CFG-023 LIM-004] of release %s with raft_protocol %s has the Raft settings of its time',
    (text, raft_protocol, raft) => {
      const file = raft_protocol === undefined ? server : { ...server, raft_protocol }
      const normalized = normalize(file, false, machine(), undefined, parseRelease(text))
      expect(normalized).toMatchObject({ ok: true, value: { config: { raft } } })
    },
  )

  it('[LIM-004] has the times and sizes of Raft snapshots that are set', () => {
    const set = { raft_snapshot_interval: '7s', raft_snapshot_threshold: 99 }
    expect(normalize({ ...server, ...set }, false, machine())).toMatchObject({
      ok: true,
      value: { config: { raft: { snapshotThreshold: 99, snapshotIntervalMs: 7_000 } } },
    })
  })

  it('of a release that speaks one Raft protocol refuses another', () => {
    const normalized = normalize({ ...server, raft_protocol: 2 }, false, machine(), undefined, parseRelease('0.7.0'))
    const messages = normalized.ok ? [] : normalized.error.map(({ message }) => message)
    expect(messages).toEqual(['raft_protocol: Protocol version 2 must be >= 1 and <= 1'])
  })

  it.each([
    [{ performance: { raft_multiplier: 11 } }, 'performance.raft_multiplier cannot be 11'],
    [{ raft_protocol: 9 }, 'raft_protocol: Protocol version 9 must be >= 1 and <= 3'],
    [{ raft_protocol: 0 }, 'raft_protocol: Protocol version 0 must be >= 1 and <= 3'],
    [{ bootstrap_expect: -1 }, 'bootstrap_expect cannot be -1'],
    [{ bootstrap_expect: 3, bootstrap: true }, 'mutually exclusive'],
    [{ datacenter: 'a.b' }, 'datacenter cannot be "a.b"'],
    [{ node_id: 'x' }, 'is not a UUID'],
    [{ log_level: 'ZZZ' }, 'Invalid log level: ZZZ'],
    [{ start_join: ['-x:8301'] }, 'start_join: entry 1 is not an address'],
    [{ start_join: ['provider=aws'] }, 'start_join: a provider can be asked by retry_join alone'],
    [{ start_join: ['10.0.0.1:0'] }, 'start_join: entry 1 is not an address'],
    [{ ports: { serf_lan: -1 } }, 'ports.serf_lan cannot be -1'],
    [{ ports: { dns: 8500 } }, 'HTTP address 127.0.0.1:8500 already configured for DNS'],
    [
      { addresses: { http: 'unix:///x', https: '127.0.0.1 unix:///x' }, ports: { https: 8501 } },
      'HTTPS address unix:///x already configured for HTTP: choose another path',
    ],
    [{ ports: { serf_lan: 8300 } }, 'Serf Advertise LAN address 10.0.0.1:8300 already configured for RPC Advertise'],
    [{ serf_lan: 'eth0' }, 'serf_lan "eth0" must be an ip address'],
    [{ serf_wan: 'eth0' }, 'serf_wan "eth0" must be an ip address'],
    [{ advertise_addr_wan: '::' }, 'Advertise WAN address cannot be 0.0.0.0, :: or [::]'],
    [{ addresses: { dns: 'unix:///x' } }, 'addresses.dns "unix:///x" cannot be a unix socket'],
    [{ domain: 'a b' }, 'domain "a b" is not a domain name'],
    [{ recursors: ['10.0.0.2', '::'] }, 'DNS recursor address cannot be 0.0.0.0, :: or [::]'],
    [{ recursors: ['0.0.0.0:53'] }, 'DNS recursor address cannot be 0.0.0.0, :: or [::]'],
    [{ recursors: ['unix:///run/dns.sock'] }, 'recursors "unix:///run/dns.sock" is not an address'],
    [{ recursors: ['dns.example.org'] }, 'recursors "dns.example.org" is not an address'],
    [{ recursors: ['10.0.0.2:70000'] }, 'recursors "10.0.0.2:70000" is not an address'],
    [{ dns_config: { udp_answer_limit: -1 } }, 'udp_answer_limit cannot be -1. Must be greater than or equal to zero'],
    [{ node_meta: { 'svc-x': '1' } }, 'reserved for internal use'],
    [{ advertise_addr: '0.0.0.0' }, 'Advertise address cannot be 0.0.0.0'],
    [{ bind_addr: 'localhost' }, 'must be an ip address'],
    [{ ports: { server: -1 } }, 'ports.server cannot be -1'],
  ] as const)('refuses %j', (more, expected) => {
    expect(linesOfConfig({ ...server, ...(more as FileConfig) })[0]).toContain(expected)
  })

  it('has a web interface in development, its own unless a directory is named', () => {
    const interfaceOf = (file: FileConfig): unknown => {
      const normalized = normalize(file, true, machine('10.0.0.1'))
      return normalized.ok ? normalized.value.config.http.ui : normalized.error
    }
    expect(interfaceOf({})).toEqual({ kind: 'built-in', contentPath: '/ui/' })
    expect(interfaceOf({ ui: false })).toEqual({ kind: 'off' })
    expect(interfaceOf({ ui_content_path: 'ops/web' })).toEqual({ kind: 'built-in', contentPath: '/ops/web/' })
    expect(interfaceOf({ ui_dir: '/x' })).toEqual({ kind: 'directory', path: '/x', contentPath: '/ui/' })
  })

  it('needs a data directory unless it is for development', () => {
    expect(linesOfConfig({ server: true, bind_addr: '10.0.0.1' })).toEqual([
      'config: data_dir cannot be empty: name a directory with -data-dir, or try -dev',
    ])
    expect(linesOfConfig({}, true)).toEqual([])
  })

  it('[AGT-001] is that of a client unless it is told to be a server, and then asks for no bootstrap', () => {
    const client = normalize({ data_dir: '/var/svc', bind_addr: '10.0.0.1' }, false, machine())
    expect(client).toMatchObject({ ok: true, value: { config: { server: false, bootstrap: false }, warnings: [] } })
    expect(linesOfConfig({ data_dir: '/x', bind_addr: '10.0.0.1', bootstrap: true })[0]).toContain(
      "'bootstrap = true' requires 'server = true'",
    )
    expect(linesOfConfig({ data_dir: '/x', bind_addr: '10.0.0.1', bootstrap_expect: 3 })[0]).toContain(
      "'bootstrap_expect > 0' requires 'server = true'",
    )
  })

  it('[AGT-023 AGT-024] leaves on a signal as a client and not as a server', () => {
    const leaving = (file: FileConfig): unknown => {
      const normalized = normalize(file, false, machine())
      if (!normalized.ok) return normalized
      const { leaveOnTerminate, skipLeaveOnInterrupt } = normalized.value.config
      return { leaveOnTerminate, skipLeaveOnInterrupt }
    }
    const client: FileConfig = { data_dir: '/x', bind_addr: '10.0.0.1' }
    expect(leaving(client)).toEqual({ leaveOnTerminate: true, skipLeaveOnInterrupt: false })
    expect(leaving(server)).toEqual({ leaveOnTerminate: false, skipLeaveOnInterrupt: true })
    const turned = { leave_on_terminate: true, skip_leave_on_interrupt: false }
    expect(leaving({ ...server, ...turned })).toEqual(leaving(client))
    const kept = { leave_on_terminate: false, skip_leave_on_interrupt: true }
    expect(leaving({ ...client, ...kept })).toEqual(leaving(server))
  })

  it('is quick in development: short timings of gossip, a cluster of its own unless it is a client', () => {
    expect(normalize({}, true, machine())).toMatchObject({
      value: {
        config: {
          server: true,
          bootstrap: true,
          bindAddress: '127.0.0.1',
          gossipLan: { probeIntervalMs: 100, suspicionMult: 3 },
        },
      },
    })
    expect(normalize({ server: false }, true, machine())).toMatchObject({
      value: { config: { server: false, bootstrap: false, dataDir: undefined, gossipLan: { probeIntervalMs: 100 } } },
    })
    expect(normalize(server, false, machine())).toMatchObject({
      value: { config: { gossipLan: { gossipIntervalMs: 200, probeIntervalMs: 1000, suspicionMult: 4 } } },
    })
  })

  it('has the gossip that the file describes', () => {
    const file: FileConfig = {
      ...server,
      gossip_lan: { gossip_interval: '20ms', gossip_nodes: 2, probe_interval: '50ms', probe_timeout: '25ms' },
      reconnect_timeout: '1h',
      serf_lan: '10.0.0.2',
      performance: { leave_drain_time: '1s' },
    }
    expect(normalize(file, false, machine())).toMatchObject({
      value: {
        config: {
          gossipLan: {
            gossipIntervalMs: 20,
            gossipNodes: 2,
            probeIntervalMs: 50,
            probeTimeoutMs: 25,
            retransmitMult: 4,
            reconnectTimeoutMs: 3_600_000,
          },
          serfLanBindAddress: '10.0.0.2',
          leaveDrainMs: 1_000,
        },
      },
    })
  })

  it('has a pool of all datacenters with timings of its own, shorter ones with -dev', () => {
    const wanOf = (file: FileConfig, dev = false): unknown => {
      const normalized = normalize({ ...server, ...file }, dev, machine())
      return normalized.ok ? normalized.value.config.wan : normalized
    }
    expect(wanOf({})).toMatchObject({
      bindAddress: '10.0.0.1',
      advertiseAddress: '10.0.0.1',
      startJoin: [],
      retryIntervalMs: 30_000,
      retryMax: 0,
      gossip: {
        gossipIntervalMs: 500,
        gossipNodes: 3,
        probeIntervalMs: 5_000,
        probeTimeoutMs: 3_000,
        suspicionMult: 6,
        retransmitMult: 4,
        pushPullIntervalMs: 60_000,
        streamTimeoutMs: 30_000,
        gossipToDeadMs: 60_000,
        reconnectTimeoutMs: 72 * 3_600_000,
      },
    })
    expect(wanOf({}, true)).toMatchObject({ gossip: { gossipIntervalMs: 100, probeIntervalMs: 100, suspicionMult: 3 } })
    const file: FileConfig = {
      advertise_addr: '10.0.0.7',
      advertise_addr_wan: '192.0.2.1',
      serf_wan: '10.0.0.8',
      ports: { serf_wan: 7302 },
      gossip_wan: { probe_interval: '1s' },
      reconnect_timeout_wan: '1h',
      retry_join_wan: ['192.0.2.2', '192.0.2.3:9'],
      start_join_wan: ['192.0.2.4'],
      retry_interval_wan: '5s',
      retry_max_wan: 3,
      translate_wan_addrs: true,
    }
    expect(wanOf(file)).toMatchObject({
      bindAddress: '10.0.0.8',
      advertiseAddress: '192.0.2.1',
      startJoin: ['192.0.2.4:7302'],
      retryJoin: ['192.0.2.2:7302', '192.0.2.3:9'],
      retryIntervalMs: 5_000,
      retryMax: 3,
      gossip: { probeIntervalMs: 1_000, probeTimeoutMs: 3_000, reconnectTimeoutMs: 3_600_000 },
      translatesAddresses: true,
    })
    expect(wanOf({ advertise_addr: '10.0.0.7' })).toMatchObject({ advertiseAddress: '10.0.0.7' })
  })

  it('has the least time to live of sessions that the file gives, 10 s if none', () => {
    const leastOf = (file: FileConfig): unknown => normalize({ ...server, ...file }, false, machine())
    expect(leastOf({})).toMatchObject({ value: { config: { sessionTtlMinMs: 10_000 } } })
    expect(leastOf({ session_ttl_min: '2s' })).toMatchObject({ value: { config: { sessionTtlMinMs: 2_000 } } })
  })

  it('has the DNS that the file describes, its own domain before those of the aliases', () => {
    const dnsOf = (file: FileConfig): unknown => {
      const normalized = normalize({ ...server, ...file }, false, machine())
      return normalized.ok ? normalized.value.config.dns : normalized
    }
    expect(dnsOf({})).toMatchObject({
      domains: ['svc.', 'consul.'],
      udpAnswerLimit: 3,
      nodeTtlS: 0,
      soa: { refreshS: 3600 },
    })
    const dns_config: FileConfig['dns_config'] = {
      node_ttl: '1m',
      service_ttl: { web: '90s', '*': '1500ms', café: '2s' },
      only_passing: true,
      soa: { min_ttl: 5 },
    }
    expect(dnsOf({ domain: 'Example.Org', aliases: ['other'], dns_config })).toMatchObject({
      domains: ['example.org.', 'other.'],
      nodeTtlS: 60,
      serviceTtlS: [
        ['*', 1],
        // As the labels of a question have it, byte by byte.
        ['caf\u00c3\u00a9', 2],
        ['web', 90],
      ],
      onlyPassing: true,
      soa: { refreshS: 3600, minTtlS: 5 },
    })
  })

  it('dns.md 110: has recursors in order, each once, at port 53 unless another is written', () => {
    const recursors = ['10.0.0.2', '10.0.0.3:5353', 'fd00::2', '[fd00::3]:54', '[fd00::4]', '10.0.0.2:53']
    const given = { ...server, recursors, dns_config: { recursor_timeout: '500ms' } }
    const normalized = normalize(given, false, machine())
    expect(normalized.ok && normalized.value.config.dns).toMatchObject({
      recursors: [
        { host: '10.0.0.2', port: 53 },
        { host: '10.0.0.3', port: 5353 },
        { host: 'fd00::2', port: 53 },
        { host: 'fd00::3', port: 54 },
        { host: 'fd00::4', port: 53 },
      ],
      recursorTimeoutMs: 500,
    })
    expect(configOfFlags(new Map([['recursor', ['10.0.0.2', '10.0.0.3']]]))).toMatchObject({
      value: { lists: { recursors: ['10.0.0.2', '10.0.0.3'] } },
    })
  })

  it('lets files alone define scripts, or every caller', () => {
    const scripts = (file: FileConfig): unknown => {
      const normalized = normalize({ ...server, ...file }, false, machine())
      return normalized.ok ? normalized.value.config.checksConfig : normalized
    }
    expect(scripts({})).toEqual({
      remoteScripts: false,
      localScripts: false,
      agentTls: false,
      containerRuntime: 'unix:///var/run/docker.sock',
      updateIntervalMs: 300_000,
      discardOutput: false,
    })
    expect(scripts({ enable_local_script_checks: true })).toMatchObject({ remoteScripts: false, localScripts: true })
    expect(scripts({ enable_script_checks: true })).toMatchObject({ remoteScripts: true, localScripts: true })
    expect(scripts({ check_update_interval: '0s', discard_check_output: true })).toMatchObject({
      updateIntervalMs: 0,
      discardOutput: true,
    })
  })

  it('[CFG-012] takes interval and threshold of snapshots from the file, also those of former releases', () => {
    const file = { ...server, raft_snapshot_interval: '5s', raft_snapshot_threshold: 8192 }
    expect(normalize(file, false, machine())).toMatchObject({
      value: { config: { raft: { snapshotIntervalMs: 5_000, snapshotThreshold: 8192 } } },
    })
  })

  it('warns of clusters that tolerate no loss or are oversized', () => {
    const warnings = (bootstrap_expect: number): string => {
      const normalized = normalize({ ...server, bootstrap_expect }, false, machine())
      return normalized.ok ? normalized.value.warnings.join('\n') : 'refused'
    }
    expect(warnings(2)).toContain('no failure tolerance')
    expect(warnings(4)).toContain('even number')
    expect(warnings(9)).toContain('larger than recommended')
    expect(warnings(1)).toContain('BootstrapExpect is set to 1; this is the same as Bootstrap mode.')
    expect(warnings(3)).toBe('bootstrap_expect > 0: expecting 3 servers')
  })
})
