import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GivenFlags } from '../../../src/config/found-files.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { problemText } from '../../../src/config/problem.ts'
import { createHostEnv } from '../../../src/host/env.ts'

const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-load-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

async function load(flags: readonly (readonly [string, boolean | string | readonly string[]])[], more?: string[]) {
  const given: GivenFlags = new Map([['bind', '10.0.0.1'], ['data-dir', join(folder, 'data')], ...flags])
  const loaded = await loadConfig(env, given, more)
  if (loaded.ok) return { config: loaded.value.config, warnings: loaded.value.warnings, lines: [] }
  const lines = loaded.error.map((problem) => problemText(problem).replaceAll(`${folder}/`, ''))
  return { config: undefined, warnings: [], lines }
}

describe('the sources of a configuration', () => {
  it('come in the order of the field: lists of flags, files as they are named, other flags, fragments', async () => {
    write({
      'a.hcl': 'recursors = ["1.1.1.1"]\nnode_name = "a"\nnode_meta { a = "1", both = "a" }\nretry_interval = "1s"',
      'b.json': '{"recursors": ["2.2.2.2"], "node_name": "b", "node_meta": {"both": "b"}, "log_level": "WARN"}',
    })
    const files = ['config-file', [join(folder, 'a.hcl'), join(folder, 'b.json')]] as const
    const { config } = await load([
      files,
      ['recursor', ['3.3.3.3']],
      ['log-level', 'ERR'],
      ['hcl', ['retry_interval = "9s"', 'recursors = ["4.4.4.4"]']],
    ])
    expect(config?.dns.recursors.map(({ host }) => host)).toEqual(['3.3.3.3', '1.1.1.1', '2.2.2.2', '4.4.4.4'])
    expect([config?.nodeName, config?.logLevel, config?.retryIntervalMs]).toEqual(['b', 'ERR', 9_000])
    expect(config?.nodeMeta).toEqual({ a: '1', both: 'b' })
    const swapped = ['config-file', [join(folder, 'b.json'), join(folder, 'a.hcl')]] as const
    expect((await load([swapped])).config?.nodeName).toBe('a')
  })

  it('may begin with a byte order mark, and end their lines as other systems do', async () => {
    write({
      'a.hcl': '\ufeffnode_name = "a"\r\nlog_level = "WARN"\r\n',
      'b.json': '\ufeff{\r\n"datacenter": "dc2"\r\n}',
    })
    const { config, lines } = await load([['config-dir', [folder]]])
    expect([lines, config?.nodeName, config?.logLevel, config?.datacenter]).toEqual([[], 'a', 'WARN', 'dc2'])
  })

  it('are read to the end, and all that is wrong with any of them is told at once', async () => {
    write({
      'a.json': '{"server": 1, "dataa_dir": "x"}',
      'b.hcl': 'ports {\n  http = "80"\n}\nreap = true',
      'c.json': '{',
      'd.hcl': 'node_name = "fine"',
    })
    expect((await load([['config-dir', [folder]]])).lines).toEqual([
      expect.stringMatching(/^a\.json:1:2: 'server' expected type 'boolean'/),
      "a.json:1:15: invalid config key dataa_dir: did you mean 'data_dir'?",
      expect.stringMatching(/^b\.hcl:2:3: 'ports\.http' expected type 'number'/),
      'b.hcl:4:1: invalid config key reap: removed in 0.7.1, remove it: as process 1 run the agent under an init process',
      expect.stringMatching(/^c\.json:1:2: not JSON/),
    ])
  })

  it('are read as a whole, too, where the form of a part is wrong, but for what may follow from that part', async () => {
    const wrong = {
      ...{ server: 'yes', bootstrap_expect: 3, log_level: 'loud', retry_max: -1, bind_adr: '10.0.0.2' },
      ...{
        ports: { http: '80', dns: 99_999 },
        watches: [{ type: 'nodes' }, { type: 5 }],
        node_meta: { a: 1, 'b c': 'x' },
      },
      ...{ services: [{ name: '' }, 17], service: { name: '' }, ui_dir: '/nowhere' },
    }
    write({ 'a.json': JSON.stringify(wrong) })
    const { lines } = await load([['config-file', [join(folder, 'a.json')]]])
    const told = lines.map((line) => line.replace(/^\S+:\d+:\d+: /, '').split(/: | expected /)[0])
    expect(told).toEqual([
      "'node_meta.a'",
      "'services.1'",
      "'watches.1.type'",
      "'ports.dns' is not valid",
      "'ports.http'",
      "'server'",
      'invalid config key bind_adr',
      // Of the whole. What a server needs, and the services and watches, are not known.
      'service',
      'node_meta invalid',
      'Invalid log level',
    ])
  })

  it('are told where a name in them is that of a key which cannot be read', async () => {
    const service = { name: 'server', port: 70_000 }
    write({ 'a.json': JSON.stringify({ server: 'yes', client_addr: 'ports', ports: 5, service }) })
    const { lines } = await load([['config-file', [join(folder, 'a.json')]]])
    expect(lines.map((line) => line.replace(/^\S+:\d+:\d+: /, '').split(/: | expected /)[0])).toEqual([
      "'ports'",
      "'server'",
      'service "server"',
      'client_addr "ports" is not an IP address',
    ])
  })

  it('have places that are told where only the whole is wrong: file, line and column, or the flag', async () => {
    write({
      'a.json': '{\n  "bootstrap_expect": 3,\n  "start_join": ["a..b"]\n}',
      'b.hcl': 'serf_lan = "eth0"\nstart_join = ["10.0.0.2"]\nacl { default_policy = "x" }',
    })
    const { lines } = await load([
      ['config-dir', [folder]],
      ['log-level', 'loud'],
      ['hcl', ['performance { raft_multiplier = 11 }']],
    ])
    expect([...lines].sort((a, b) => (a < b ? -1 : 1)).map((line) => line.slice(0, 60))).toEqual([
      '-hcl:1:15: performance.raft_multiplier cannot be 11: must be',
      '-log-level: Invalid log level: LOUD: Valid log levels are: [',
      "a.json:2:3: 'bootstrap_expect > 0' requires 'server = true':",
      'a.json:3:3, b.hcl:2:1: start_join: entry 1 is not an address',
      'b.hcl:1:1: serf_lan "eth0" must be an ip address: write an I',
      'b.hcl:3:7: Unsupported default ACL policy: x: write allow, d',
    ])
  })

  it('name files that are there, and a data directory that can be one', async () => {
    write({
      data: 'a file',
      'a.json': '{"cert_file": "/nowhere/c.pem", "key_file": "/nowhere/k.pem", "ui_dir": "/dev/null"}',
    })
    const { lines } = await load([['config-file', [join(folder, 'a.json')]]])
    expect(lines).toEqual([
      'a.json:1:2: cert_file /nowhere/c.pem cannot be read: no such file or directory: name a file that this user may read',
      'a.json:1:33: key_file /nowhere/k.pem cannot be read: no such file or directory: name a file that this user may read',
      '-data-dir: data_dir "data" is not a directory: name a directory that this user may create',
    ])
  })

  it('name a directory of the web interface that need not be there', async () => {
    write({ 'a.json': '{"ui_dir": "/dev/null"}' })
    const { lines, warnings } = await load([['config-file', [join(folder, 'a.json')]]])
    const line = 'a.json:1:2: ui_dir /dev/null is not a directory: name a directory that this user may read'
    expect([lines, warnings.map((each) => each.replaceAll(`${folder}/`, ''))]).toEqual([[], [line]])
  })

  it('name files to write where the agent can make their directories', async () => {
    write({ 'a.json': `{"log_file": "${folder}/new/deep/", "pid_file": "${join(folder, 'a.json', 'pid')}"}` })
    const { lines } = await load([['config-file', [join(folder, 'a.json')]]])
    expect(lines.map((line) => line.replaceAll(`${folder}/`, ''))).toEqual([
      expect.stringMatching(
        /^a\.json:1:\d+: pid_file a\.json\/pid is below a\.json, which is not a directory: name a directory that this user may create$/,
      ),
    ])
  })

  it('in directories of a directory are left alone, and what is skipped is told', async () => {
    mkdirSync(join(folder, 'more.json'))
    write({ 'a.txt': 'x', 'b.json': '{"enable_debug": true}' })
    const { config, warnings } = await load([['config-dir', [folder]]])
    expect(config?.dataDir).toBe(join(folder, 'data'))
    expect(warnings.map((line) => line.replaceAll(`${folder}/`, ''))).toEqual([
      'a.txt was skipped: it ends in neither .json nor .hcl',
    ])
    expect((await load([], [join(folder, 'nowhere')])).lines).toEqual([
      'config: Open failed on nowhere: no such file or directory',
    ])
  })

  it('are looked for before their ending is judged', async () => {
    expect((await load([['config-file', [join(folder, 'nowhere')]]])).lines).toEqual([
      '-config-file: Open failed on nowhere: no such file or directory',
    ])
  })
})
