import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeApi } from './fake-api.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-profiles-'))
const directory = join(home, '.config', 'svc')
mkdirSync(directory, { recursive: true })
afterAll(() => rmSync(home, { recursive: true }))

let api: FakeApi
beforeEach(() => {
  api = new FakeApi().on('GET /v1/catalog/datacenters', [200, ['dc1']])
  api.environment.set('HOME', home)
})

function write(name: string, content: unknown, mode = 0o600): string {
  const path = join(directory, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  chmodSync(path, mode)
  return path
}

async function ask(environment: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  for (const [name, value] of Object.entries(environment)) api.environment.set(name, value)
  const ran = await api.run(['catalog', 'datacenters', ...flags])
  return { ...ran, token: api.asked.at(-1)?.token, to: api.addresses.at(-1) }
}

describe('a profile', () => {
  it('has address and token of a cluster; flags and variables win', async () => {
    write('token', 'of-file\n')
    write('profiles.json', { prod: { http_addr: '10.0.0.1:80', token_file: 'token' }, lab: { token: 'of-lab' } })
    const prod = { SVC_PROFILE: 'prod' }
    expect(await ask(prod)).toMatchObject({ code: 0, error: '', token: 'of-file', to: '10.0.0.1:80' })
    expect(await ask(prod, '-http-addr=10.0.0.2:80')).toMatchObject({ token: 'of-file', to: '10.0.0.2:80' })
    expect(await ask({ SVC_PROFILE: 'lab' })).toMatchObject({ token: 'of-lab', to: '127.0.0.1:8500' })
    expect(await ask({ ...prod, SVC_HTTP_TOKEN: 'of-variable' })).toMatchObject({ token: 'of-variable' })
    expect(await ask(prod, '-token=')).toMatchObject({ token: '' })
  })

  it('may stand in another file, whose certificates are looked for beside it', async () => {
    const path = write('others.json', { x: { http_addr: 'https://10.0.0.1', ca_file: 'none.pem' } })
    const { code, error } = await ask({ SVC_PROFILE: 'x', SVC_PROFILES: path })
    expect(code).toBe(1)
    expect(error).toContain(`-ca-file ${join(directory, 'none.pem')} cannot be read: no such file`)
  })

  it.each([
    ['{ "prod": ', /profiles\.json:1:\d+: not JSON/],
    ['{ "prod": { "adress": "x" } }', /profiles\.json:1:\d+: a profile has no "adress": it may have http_addr, token/],
    ['{ "prod": { "token": 3 } }', /profiles\.json:1:\d+: write a text$/m],
    ['{ "prod": { "http_addr": "" } }', /profiles\.json:1:\d+: write a text that is not empty$/m],
    ['{ "dev": {}, "lab": {} }', /profiles\.json has no profile "prod": it has dev, lab$/m],
    ['{ "prod": { "token": "a", "token_file": "b" } }', /: give token or token_file, not both$/m],
  ])('is refused with its place: %s', async (text, words) => {
    write('profiles.json', text)
    const { code, error } = await ask({ SVC_PROFILE: 'prod' })
    expect([code, api.asked]).toEqual([1, []])
    expect(error).toMatch(words)
  })

  it('is refused where every user may read a token in its file, and only there', async () => {
    const path = write('profiles.json', { prod: {}, lab: { token: 'secret' } }, 0o644)
    const refused = await ask({ SVC_PROFILE: 'prod' })
    expect([refused.code, api.asked]).toEqual([1, []])
    expect(refused.error).toContain(`${path} contains a token, and every user of the machine may read it: chmod 600`)
    write('profiles.json', { prod: {} }, 0o644)
    expect((await ask({ SVC_PROFILE: 'prod' })).code).toBe(0)
  })
})

describe('-token-file', () => {
  it('holds the token, by flag or by variable, and excludes -token', async () => {
    const file = write('t', 'abc\n')
    expect(await ask({}, `-token-file=${file}`)).toMatchObject({ code: 0, error: '', token: 'abc' })
    expect(await ask({ SVC_HTTP_TOKEN_FILE: file })).toMatchObject({ code: 0, token: 'abc' })
    const both = await ask({}, `-token-file=${file}`, '-token=x')
    expect([both.code, both.error]).toEqual([
      1,
      'Error listing datacenters: -token and -token-file exclude each other\n',
    ])
  })

  it('is warned about where every user may read it, and refused where it holds no token', async () => {
    const open = write('open', 'abc', 0o644)
    const warned = await ask({}, `-token-file=${open}`)
    expect([warned.code, warned.token]).toEqual([0, 'abc'])
    expect(warned.error).toContain(`Warning: every user of the machine may read the token file ${open}: chmod 600`)
    for (const text of ['', 'two words', 'é', 'x'.repeat(5000)]) {
      const { code, error } = await ask({}, `-token-file=${write('bad', text)}`)
      expect([code, error]).toEqual([1, expect.stringContaining('does not hold one token, alone on a line')])
    }
    expect((await ask({}, '-token-file=/none')).error).toContain('the token file /none cannot be read: no such file')
  })
})
