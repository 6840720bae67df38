import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { err } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import { host, run } from './answered-run.ts'
import { FakeTerminal } from './fake-terminal.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('flags of old', () => {
  const provider = "removed in 1.0, use -retry-join 'provider=…'"
  it.each<readonly [row: string, flag: string, remedy: string]>([
    ['[CFG-027]', 'dc', 'removed in 1.0, use -datacenter'],
    ['[CFG-028]', 'retry-join-azure-tag-name', provider],
    ['[CFG-028]', 'retry-join-azure-tag-value', provider],
    ['[CFG-029]', 'retry-join-ec2-region', provider],
    ['[CFG-029]', 'retry-join-ec2-tag-key', provider],
    ['[CFG-029]', 'retry-join-ec2-tag-value', provider],
    ['[CFG-030]', 'retry-join-gce-credentials-file', provider],
    ['[CFG-030]', 'retry-join-gce-project-name', provider],
    ['[CFG-030]', 'retry-join-gce-tag-name', provider],
    ['[CFG-030]', 'retry-join-gce-zone-pattern', provider],
  ])('%s -%s of the agent is refused, and the one to write is named', async (_row, flag, remedy) => {
    const { code, error } = await run(['agent', `-${flag}=x`])
    expect({ code, line: error.split('\n')[0] }).toEqual({
      code: 1,
      line: `flag provided but not defined: -${flag} (${remedy})`,
    })
  })

  const keys = [
    ...['reap', 'recursor', 'advertise_addrs', 'http_api_response_headers', 'addresses.rpc', 'ports.rpc'],
    ...['retry_join_ec2', 'retry_join_gce', 'retry_join_azure', 'statsd_addr', 'statsite_addr', 'statsite_prefix'],
    ...['dogstatsd_addr', 'dogstatsd_tags', 'telemetry.statsite_prefix', 'telemetry.enable_deprecated_names'],
    ...['atlas_infrastructure', 'atlas_token', 'atlas_acl_token', 'atlas_join', 'atlas_endpoint'],
  ]
  const flags = [
    ...['dc', 'atlas', 'atlas-token', 'atlas-join', 'atlas-endpoint', 'retry-join-azure-tag-name'],
    ...['retry-join-azure-tag-value', 'retry-join-ec2-region', 'retry-join-ec2-tag-key', 'retry-join-ec2-tag-value'],
    ...['retry-join-gce-credentials-file', 'retry-join-gce-project-name', 'retry-join-gce-tag-name'],
    'retry-join-gce-zone-pattern',
  ]

  it('[CFG-042] each key and flag that was removed is an error that says since when, and what to write or do instead', async () => {
    const since = String.raw`removed in \d+\.\d+(\.\d+)?, (use |remove it: |commands talk HTTP: use )\S+`
    for (const key of keys) {
      const [first = '', second] = key.split('.')
      const path = join(folder, 'old.json')
      writeFileSync(path, JSON.stringify({ data_dir: '/x', [first]: second === undefined ? 'x' : { [second]: 'x' } }))
      const { code, error } = await run(['validate', path])
      expect(code, key).toBe(1)
      expect(error, key).toMatch(
        new RegExp(String.raw`^Config validation failed: \S+/old\.json:1:\d+: invalid config key ${key}: ${since}`),
      )
    }
    for (const flag of flags) {
      const { code, error } = await run(['agent', `-${flag}=x`])
      expect(code, flag).toBe(1)
      expect(error, flag).toMatch(new RegExp(`^flag provided but not defined: -${flag} \\(${since}`))
    }
  })

  it('-rpc-addr is refused by every command that had it, in favour of -http-addr', async () => {
    for (const command of ['force-leave', 'info', 'join', 'keyring', 'leave', 'members', 'monitor', 'reload']) {
      const { code, error } = await run([command, '-rpc-addr=127.0.0.1:8400'])
      expect(code, command).toBe(1)
      expect(error.split('\n')[0], command).toContain('-rpc-addr (removed in 0.8.0, commands talk HTTP: use -http-addr')
    }
  })
})

describe('commands that ask an agent', () => {
  it('say so when no agent answers', async () => {
    const terminal = new FakeTerminal()
    const to = { host: '127.0.0.1', port: 8500 }
    const http = { ...host.http, request: async () => err({ kind: 'refused' as const, to }) }
    const env = { ...host, disk: host.disk, machine: host.machine, http } as Env
    expect(await runCli(['members'], env, terminal)).toBe(1)
    expect(terminal.complained).toBe(
      'Error retrieving members: Get "http://127.0.0.1:8500/v1/agent/members": dial tcp 127.0.0.1:8500: connect: connection refused\n',
    )
  })
})

describe('user events', () => {
  it('event prints the ID', async () => {
    const target = 'PUT /v1/event/fire/deploy?node=n.*'
    const fired = await run(['event', '-name', 'deploy', '-node', 'n.*', 'payload'], { [target]: { ID: 'x-y' } })
    expect([fired.code, fired.out, fired.asked]).toEqual([0, 'Event ID: x-y\n', [`${target} payload`]])
  })

  it('event needs a name, and expressions that are some', async () => {
    expect((await run(['event', 'payload'])).code).toBe(1)
    const wrong = await run(['event', '-name', 'x', '-node', '*'])
    expect([wrong.code, wrong.error]).toEqual([
      1,
      'Failed to compile node filter regexp: error parsing regexp: missing argument to repetition operator: `*`\n',
    ])
  })
})

describe('round-trip times', () => {
  const at = (node: string, x: number) => ({
    Node: node,
    Segment: '',
    Coord: { Vec: [x, 0, 0, 0, 0, 0, 0, 0], Error: 1, Adjustment: 0, Height: 0.0001 },
  })
  const nodes = { 'GET /v1/coordinate/nodes': [at('n1', 0), at('n2', 0.01)] }

  it('rtt estimates that between two nodes', async () => {
    const told = await run(['rtt', 'n1', 'n2'], nodes)
    expect([told.code, told.out]).toEqual([0, 'Estimated n1 <-> n2 rtt: 10.200 ms (using LAN coordinates)\n'])
  })

  it('rtt of one node is to the agent that is asked', async () => {
    const self = { 'GET /v1/agent/self': { Config: { NodeName: 'n1', Datacenter: 'dc1' } } }
    expect((await run(['rtt', 'n2'], { ...nodes, ...self })).out).toContain('Estimated n2 <-> n1 rtt: 10.200 ms')
    const wan = { 'GET /v1/coordinate/datacenters': [{ Coordinates: [at('n1.dc1', 0), at('n9.dc2', 0.1)] }] }
    expect((await run(['rtt', '-wan', 'n9.dc2'], { ...wan, ...self })).out).toBe(
      'Estimated n9.dc2 <-> n1.dc1 rtt: 100.200 ms (using WAN coordinates)\n',
    )
  })

  it('rtt names a node that nothing is known of', async () => {
    const told = await run(['rtt', 'n1', 'n3'], nodes)
    expect([told.code, told.error]).toEqual([1, 'Could not find a coordinate for node "n3"\n'])
    expect((await run(['rtt'])).code).toBe(1)
  })
})
