import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import type { Normalized } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'
import { createHostEnv } from '../../../src/host/env.ts'

const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(files: Readonly<Record<string, object | string>>): void {
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

async function load(files: Readonly<Record<string, object | string>>): Promise<Normalized> {
  write(files)
  const loaded = await loadConfig(env, flags())
  if (!loaded.ok) throw new Error(loaded.error.map(problemText).join('\n'))
  return loaded.value
}

async function refused(files: Readonly<Record<string, object | string>>): Promise<readonly string[]> {
  write(files)
  const loaded = await loadConfig(env, flags())
  return loaded.ok ? [] : loaded.error.map((problem) => problemText(problem).replaceAll(`${folder}/`, ''))
}

function flags(): ReadonlyMap<string, boolean | readonly string[]> {
  return new Map<string, boolean | readonly string[]>([
    ['dev', true],
    ['config-dir', [folder]],
  ])
}

describe('definitions', () => {
  it('[REG-004 REG-005 REG-007] of all files of a directory are gathered: one service or several, one check or several', async () => {
    const { config } = await load({
      'a.json': { service: { name: 'web', port: 80, tags: ['v1'] }, check: { id: 'disk', name: 'd', ttl: '10s' } },
      'b.json': { services: [{ name: 'db' }, { id: 'db-2', name: 'db' }], checks: [{ name: 'load', ttl: '10s' }] },
    })
    expect(config.services.map(({ service }) => service.id)).toEqual(['web', 'db', 'db-2'])
    expect(config.services[0]?.service).toMatchObject({ service: 'web', port: 80, tags: ['v1'] })
    expect(config.checks.map((check) => check.checkId)).toEqual(['disk', 'load'])
  })

  it('[REG-006] in files of another extension are left alone, which is said; folders inside are not entered', async () => {
    mkdirSync(join(folder, 'more.json'))
    const { config, warnings } = await load({
      'a.json': { service: { name: 'web' } },
      'b.conf': 'service {',
      'c~': 'x',
    })
    expect(config.services).toHaveLength(1)
    expect(warnings.map((line) => line.replaceAll(`${folder}/`, ''))).toEqual([
      'b.conf was skipped: it ends in neither .json nor .hcl',
      'c~ was skipped: it ends in neither .json nor .hcl',
      '-dev keeps nothing on disk and is not for production.',
    ])
  })

  it('[REG-019] that are wrong are refused, each with its place and the thing that it is about', async () => {
    const text = '{\n  "service": {\n    "name": "web",\n    "port": "80"\n  }\n}'
    expect(await refused({ 'a.json': text, 'b.json': { service: { port: 1 } } })).toEqual([
      expect.stringMatching(/^a\.json:4:5: service "web": .*'port' expected type 'int'/),
      expect.stringMatching(/^b\.json:1:\d+: service: Missing service name/),
    ])
  })

  it('[AGT-031] name the check that is wrong', async () => {
    const service = {
      name: 'web',
      checks: [
        { name: 'up', ttl: '5s' },
        { name: 'api', http: 'http://127.0.0.1/' },
      ],
    }
    const [line] = await refused({ 'a.json': { service } })
    expect(line).toMatch(/^a\.json:1:\d+: .*"api".*Interval must be > 0 for Script, HTTP, or TCP checks$/)
    const [node] = await refused({ 'a.json': { check: { id: 'mem', name: 'm' } } })
    expect(node).toMatch(/^a\.json:1:\d+: .*"(mem|m)".*TTL must be > 0 for TTL checks$/)
  })

  it('[REG-013 REG-014 REG-015] refuse spellings of old and name the new ones', async () => {
    const [override] = await refused({ 'a.json': { service: { name: 'web', enableTagOverride: true } } })
    expect(override).toMatch(/enableTagOverride.*enable_tag_override/)
    const [id] = await refused({ 'a.json': { check: { CheckID: 'x', name: 'm', ttl: '1s' } } })
    expect(id).toMatch(/CheckID.*'?id'?/)
    const [script] = await refused({ 'a.json': { check: { name: 'm', script: 'true', interval: '1s' } } })
    expect(script).toMatch(/script.*args/)
  })

  it('[HLT-014] [HLT-015] of scripts are refused until they are enabled, for files alone or for all', async () => {
    const check = { id: 'sh', name: 's', args: ['/bin/true'], interval: '10s' }
    const service = { name: 'web', check: { ...check, id: 'in-web' } }
    const options = "to enable, configure 'enable_script_checks' or 'enable_local_script_checks' to true"
    expect(await refused({ 'a.json': { service, check } })).toEqual([
      expect.stringContaining(`check "in-web": Scripts are disabled on this agent; ${options}`),
      expect.stringContaining(`check "sh": Scripts are disabled on this agent; ${options}`),
    ])
    for (const key of ['enable_script_checks', 'enable_local_script_checks']) {
      const { config } = await load({ 'a.json': { service, check, [key]: true } })
      expect(config.checks[0]?.probe, key).toMatchObject({ kind: 'script', argv: ['/bin/true'] })
    }
  })

  it('have IDs that are unique over all files: the last one counts, with a warning that names both places', async () => {
    const check = { id: 'up', ttl: '5s' }
    const { config, warnings } = await load({
      'a.json': { services: [{ name: 'web', port: 1, check }, { name: 'db' }] },
      'b.json': '{\n"services": [{"id": "web", "name": "x", "port": 2}]}',
      'c.json': { check: { ...check, name: 'n' } },
    })
    expect(warnings.map((line) => line.replaceAll(`${folder}/`, ''))).toContain(
      'b.json:2:14: service ID "web" is defined twice: here and at a.json:1:14: this one counts',
    )
    expect(config.services.map(({ service }) => [service.id, service.port])).toEqual([
      ['db', 0],
      ['web', 2],
    ])
    // The earlier service went with its check.
    expect(config.checks.map(({ name }) => name)).toEqual(['n'])
    expect(warnings.filter((line) => line.includes('check ID'))).toEqual([])
  })

  it('are one if their IDs differ in the case of letters alone, as at the agent: nothing is merged', async () => {
    const { config, warnings } = await load({
      'a.json': {
        services: [
          { id: 'web', name: 'web', port: 1, connect: { sidecar_service: {} }, check: { id: 'up', ttl: '5s' } },
          { id: 'WEB-sidecar-proxy', name: 'p' },
        ],
        checks: [{ id: 'disk', name: 'd', ttl: '5s' }],
      },
      'b.json': { service: { id: 'Web', name: 'web', port: 2 }, check: { id: 'DISK', name: 'D', ttl: '6s' } },
    })
    expect(config.services.map(({ service, checks }) => [service.id, service.port, checks])).toEqual([
      ['WEB-sidecar-proxy', 0, []],
      ['Web', 2, []],
    ])
    expect(config.checks.map(({ checkId }) => checkId)).toEqual(['DISK'])
    expect(warnings.filter((line) => line.includes('is defined twice'))).toHaveLength(3)
  })

  it('lose a check of a service alone to a later one of that ID', async () => {
    const check = { id: 'up', ttl: '5s' }
    const { config, warnings } = await load({
      'a.json': { service: { name: 'web', checks: [check, { id: 'down', ttl: '5s' }] } },
      'b.json': { check: { ...check, name: 'n' } },
    })
    expect(config.services.map(({ checks }) => checks.map(({ checkId }) => checkId))).toEqual([['down']])
    expect(config.checks.map(({ checkId }) => checkId)).toEqual(['up'])
    expect(warnings.join('\n')).toMatch(/b\.json:1:2: check ID "up" is defined twice: here and at .*a\.json:1:2: this/)
  })
})

describe('services of the mesh in files', () => {
  const sidecar = `services {
  name = "web"
  port = 80
  connect {
    sidecar_service {
      proxy {
        config { foo = "bar" }
        upstreams { destination_name = "a" local_bind_port = 1 }
        upstreams { destination_name = "b" local_bind_port = 2 }
      }
    }
  }
}
ports { sidecar_min_port = 30000 sidecar_max_port = 30001 }
`

  it('are read from blocks, with the ports that their sidecars may have', async () => {
    const { config } = await load({ 'a.hcl': sidecar })
    const proxy = { destination: 'web', config: '{"foo":"bar"}', upstreams: [{ name: 'a' }, { name: 'b' }] }
    expect(config.services).toMatchObject([{ sidecar: { service: { mesh: { proxy } } } }])
    expect(config.sidecarPorts).toEqual({ min: 30_000, max: 30_001 })
  })

  it('have proxies that the agent is to run, with what its settings say of them', async () => {
    const managed = `
service {
  name = "web"
  port = 80
  connect {
    proxy {
      exec_mode = "daemon"
      command = ["run"]
      config { foo = "bar" }
      upstreams { destination_name = "a" local_bind_port = 1 }
      upstreams { destination_name = "b" local_bind_port = 2 }
    }
  }
}
ports { proxy_min_port = 30000 proxy_max_port = 30001 }
connect {
  proxy { allow_managed_api_registration = true allow_managed_root = true }
  proxy_defaults { exec_mode = "daemon" daemon_command = ["any"] config { b = 1 a = 2 } }
}
`
    const { config } = await load({ 'a.hcl': managed })
    const proxy = { destination: 'web', config: '{"foo":"bar"}', upstreams: [{ name: 'a' }, { name: 'b' }] }
    expect(config.services).toMatchObject([
      { sidecar: { service: { id: 'web-proxy', managed: { execMode: 'daemon', command: ['run'] }, mesh: { proxy } } } },
    ])
    expect(config.managedProxies).toEqual({
      ports: { min: 30_000, max: 30_001 },
      viaApi: true,
      asRoot: true,
      execMode: 'daemon',
      daemonCommand: ['any'],
      config: '{"a":2,"b":1}',
    })
  })

  it.each([
    'upstreams = [{ destination_name = "a" local_bind_port = 1 }]',
    'upstreams { destination_name = "a" local_bind_port = 1 }',
  ])('have upstreams among the settings of such a proxy as a list, though it be of one: %s', async (upstreams) => {
    const managed = `service { name = "web" port = 80 connect { proxy { config { ${upstreams} } } } }`
    const { config } = await load({ 'a.hcl': managed })
    const settings = config.services[0]?.sidecar?.service.mesh?.proxy?.config
    expect(settings).toBe('{"upstreams":[{"destination_name":"a","local_bind_port":1}]}')
  })

  it('claim the IDs of their sidecars', async () => {
    const other = { service: { id: 'web-sidecar-proxy', name: 'other' } }
    const { config, warnings } = await load({ 'a.hcl': sidecar, 'b.json': other })
    expect(warnings.join('\n')).toMatch(
      /b\.json:\d+:\d+: service ID "web-sidecar-proxy" is defined twice: here and at .*a\.hcl:\d+:\d+: this one counts/,
    )
    expect(config.services.map(({ service }) => service.service)).toEqual(['other'])
  })
})
