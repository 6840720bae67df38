import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeApi } from './fake-api.ts'

let folder: string
let api: FakeApi
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-services-'))
  api = new FakeApi().on('PUT /v1/agent/service/register', [200, ''])
  for (const id of ['web', 'api']) api.on(`PUT /v1/agent/service/deregister/${id}`, [200, ''])
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function file(value: unknown): string {
  const path = join(folder, 'services.json')
  writeFileSync(path, JSON.stringify(value))
  return path
}

const services = [{ name: 'web', Token: 'of-web' }, { name: 'api' }]

describe('svc services register', () => {
  it('drops checks that are not described when it is told so', async () => {
    api.on('PUT /v1/agent/service/register?replace-existing-checks=', [200, ''])
    expect((await api.run(['services', 'register', '-replace-existing-checks', '-name=web'])).code).toBe(0)
    expect((await api.run(['services', 'register', '-replace-existing-checks', file({ services })])).code).toBe(0)
    expect(new Set(api.asked.map(({ what }) => what))).toEqual(
      new Set(['PUT /v1/agent/service/register?replace-existing-checks=']),
    )
  })
})

describe('svc services register FILE', () => {
  it('sends the IDs of checks as the API names them, also those of the proxy beside the service', async () => {
    const checks = (key: string, of: string) => ({
      check: { [key]: of, ttl: '10s' },
      checks: [{ [key]: `${of}-2`, ttl: '10s' }],
    })
    const defined = (key: string) => ({
      name: 'web',
      ...checks(key, 'own'),
      connect: { Sidecar_Service: checks(key, 'of-sidecar') },
    })
    expect((await api.run(['services', 'register', file({ service: defined('ID') })])).code).toBe(0)
    expect(api.asked.map(({ body }) => body)).toEqual([defined('CheckID')])
  })
})

describe.each(['register', 'deregister'])('svc services %s', (verb) => {
  it('uses the token of each definition for its service, and else the one that it was given', async () => {
    expect((await api.run(['services', verb, '-token=given', file({ services })])).code).toBe(0)
    expect(api.asked.map(({ token }) => token)).toEqual(['of-web', 'given'])
    api.asked.length = 0
    api.environment.set('SVC_HTTP_TOKEN', 'around')
    await api.run(['services', verb, file({ services })])
    expect(api.asked.map(({ token }) => token)).toEqual(['of-web', 'around'])
  })

  it('refuses a file that is too long: its beginning could be whole by itself', async () => {
    const path = join(folder, 'services.hcl')
    writeFileSync(path, `service { name = "web" }\n#${'x'.repeat(8 << 20)}\nservice { name = "api" }\n`)
    const error = `Error reading ${path}: it has more than 8388608 bytes\n`
    expect(await api.run(['services', verb, path])).toEqual({ code: 1, out: '', error })
    expect(api.asked).toEqual([])
  })
})
