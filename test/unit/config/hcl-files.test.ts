import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
  folder = mkdtempSync(join(tmpdir(), 'svc-hcl-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function load(files: Readonly<Record<string, string>>, more: GivenFlags = new Map()) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return loadConfig(env, new Map<string, boolean | string | readonly string[]>([['dev', true], ...more]))
}

function inFolder(): GivenFlags {
  return new Map([['config-dir', [folder]]])
}

async function configOf(files: Readonly<Record<string, string>>, more: GivenFlags = inFolder()) {
  const loaded = await load(files, more)
  if (!loaded.ok) throw new Error(loaded.error.map(problemText).join('\n'))
  return loaded.value.config
}

async function refused(files: Readonly<Record<string, string>>, more: GivenFlags = inFolder()) {
  const loaded = await load(files, more)
  return loaded.ok ? [] : loaded.error.map((problem) => problemText(problem).replaceAll(`${folder}/`, ''))
}

const hcl = `
datacenter = "east" # where
ports { http = 18500, dns = 18600 }
dns_config { service_ttl { "*" = "5s", web = "1s" } }
http_config { response_headers { "X-From" = "here" } }
node_meta { zone = "z1" }
retry_join = ["10.0.0.1", "10.0.0.2"]
service {
  name = "web"
  port = 80
  check { id = "up", http = "http://127.0.0.1/", interval = "10s", header { Accept = ["text/plain"] } }
}
service { name = "db", checks = [{ name = "t", ttl = "10s" }] }
check { name = "disk", ttl = "30s" }
performance = { raft_multiplier = 1 }
`

const json = {
  datacenter: 'east',
  ports: { http: 18500, dns: 18600 },
  dns_config: { service_ttl: { '*': '5s', web: '1s' } },
  http_config: { response_headers: { 'X-From': 'here' } },
  node_meta: { zone: 'z1' },
  retry_join: ['10.0.0.1', '10.0.0.2'],
  services: [
    {
      name: 'web',
      port: 80,
      check: { id: 'up', http: 'http://127.0.0.1/', interval: '10s', header: { Accept: ['text/plain'] } },
    },
    { name: 'db', checks: [{ name: 't', ttl: '10s' }] },
  ],
  check: { name: 'disk', ttl: '30s' },
  performance: { raft_multiplier: 1 },
}

describe('files of HCL', () => {
  it('refuse a block that stands twice where it may once, and say so', async () => {
    const twice = 'acl { enabled = true }\nacl { default_policy = "deny" }\nacl { tokens { agent = "a" } }\n'
    expect(await refused({ 'a.hcl': twice })).toEqual([
      "a.hcl:1:1: 'acl' expected type 'object', got 'array': there are 3 of them, and may be one: write all that they say into one",
    ])
    const within = 'acl {\n  tokens { agent = "a" }\n  tokens { default = "b" }\n}\n'
    expect(await refused({ 'a.hcl': within })).toEqual([
      "a.hcl:2:3: 'acl.tokens' expected type 'object', got 'array': there are 2 of them, and may be one: write all that they say into one",
    ])
  })

  it('[CFG-003] mean the same as JSON does', async () => {
    const fromHcl = await configOf({ 'a.hcl': hcl })
    rmSync(join(folder, 'a.hcl'))
    expect(fromHcl).toEqual(await configOf({ 'a.json': JSON.stringify(json) }))
    expect(fromHcl.services.map(({ service }) => service.id)).toEqual(['web', 'db'])
  })

  it('[CFG-001] are loaded from a directory beside those of JSON, by name, and no others', async () => {
    const config = await configOf({
      'a.hcl': 'datacenter = "east"\nlog_level = "ERR"\nservice { name = "one" }',
      'b.json': '{"datacenter": "west", "service": {"name": "two"}}',
      'c.txt': 'datacenter = "north"',
    })
    expect([config.datacenter, config.logLevel]).toEqual(['west', 'ERR'])
    expect(config.services.map(({ service }) => service.service)).toEqual(['one', 'two'])
  })

  it('may hold JSON, and have any name where the format is said', async () => {
    expect((await configOf({ 'a.hcl': ' {"datacenter": "east"}' })).datacenter).toBe('east')
    const named = new Map<string, string | readonly string[]>([
      ['config-file', [join(folder, 'agent.conf')]],
      ['config-format', 'hcl'],
    ])
    rmSync(join(folder, 'a.hcl'))
    expect((await configOf({ 'agent.conf': 'datacenter = "west"' }, named)).datacenter).toBe('west')
    expect(await refused({}, new Map([['config-format', 'yaml']]))).toEqual([
      expect.stringContaining("-config-format must be either 'hcl' or 'json'"),
    ])
  })

  it('are overlaid by fragments from the command line, the last of all', async () => {
    const flags = new Map<string, string | readonly string[]>([
      ['config-dir', [folder]],
      ['datacenter', 'flagged'],
      ['hcl', ['datacenter = "first"', 'datacenter = "last" node_meta { a = "b" }']],
    ])
    const config = await configOf({ 'a.hcl': 'datacenter = "file"\nnode_meta { c = "d" }' }, flags)
    expect([config.datacenter, config.nodeMeta]).toEqual(['last', { c: 'd', a: 'b' }])
  })

  it('that are wrong are refused with line and column', async () => {
    expect(await refused({ 'a.hcl': 'datacenter = "x"\nports {\n  http = 1\n' })).toEqual([
      'a.hcl:4:1: not HCL: object expected closing RBRACE got: EOF: correct the file',
    ])
    const problems = await refused({
      'a.hcl': 'ports {\n  http = "80"\n}\nservice {\n  name = "web"\n  prot = 1\n}\ndatacentre = 1',
    })
    expect(problems).toEqual([
      expect.stringMatching(/^a\.hcl:2:3: .*'ports\.http'/),
      expect.stringMatching(/^a\.hcl:8:1: .*datacentre/),
      'a.hcl:6:3: service "web": invalid config key "prot": did you mean \'port\'?',
    ])
  })
})
