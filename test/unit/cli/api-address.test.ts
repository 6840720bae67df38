import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { err, ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-place-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function pem(name: string): string {
  const path = join(folder, name)
  writeFileSync(path, `-----BEGIN ${name}`)
  return path
}

interface Asked {
  readonly to?: Endpoint
  readonly tls?: HttpClientRequest['tls']
  readonly headers: HttpClientRequest['headers']
  readonly error: string
}

/** What one command asks of the world. */
async function asked(
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  command: readonly string[] = ['reload'],
  operands: readonly string[] = [],
  world: object = {},
  programName?: string,
): Promise<Asked> {
  let seen: Pick<Asked, 'to' | 'tls' | 'headers'> = { headers: [] }
  const request = async (to: Endpoint, { tls, headers }: HttpClientRequest) => {
    seen = { to, tls, headers }
    return ok({ status: 200, headers: new Map(), body: new Uint8Array() })
  }
  const env = { ...host, disk: host.disk, http: { ...host.http, request }, ...world } as Env
  const terminal = Object.assign(new FakeTerminal(), programName === undefined ? {} : { programName })
  for (const [name, value] of Object.entries(environment)) terminal.environment.set(name, value)
  await runCli([...command, ...flags, ...operands], env, terminal)
  return { ...seen, error: terminal.complained }
}

const local = { host: '127.0.0.1', port: 8500 }

describe('where a command finds its agent', () => {
  it.each([
    [[], {}, local],
    [['-http-addr=127.0.0.2:1'], { SVC_HTTP_ADDR: '127.0.0.3:1' }, { host: '127.0.0.2', port: 1 }],
    [[], { SVC_HTTP_ADDR: 'http://127.0.0.3:1/' }, { host: '127.0.0.3', port: 1 }],
    [[], { CONSUL_HTTP_ADDR: 'localhost:7', SVC_HTTP_ADDR: '' }, local],
    [['-http-addr=http://[::1]:9'], { SVC_HTTP_SSL: 'true' }, { host: '::1', port: 9 }],
    [['-http-addr=unix:///run/svc.sock'], {}, { host: 'unix:///run/svc.sock', port: 0 }],
  ])('%j with %j is plain HTTP', async (flags, environment, to) => {
    expect(await asked(flags, environment)).toMatchObject({ to, tls: undefined, error: '' })
  })

  it.each([
    [['-http-addr=https://localhost:8501'], {}, { host: '127.0.0.1', port: 8501 }, 'localhost'],
    [['-http-addr=https://[::1]:1', '-tls-server-name=a.b'], {}, { host: '::1', port: 1 }, 'a.b'],
    [[], { SVC_HTTP_SSL: '1' }, local, '127.0.0.1'],
    [[], { SVC_HTTP_SSL: '1', SVC_TLS_SERVER_NAME: 'x.y' }, local, 'x.y'],
    [['-http-addr=unix:///s'], { SVC_HTTP_SSL: 'true' }, { host: 'unix:///s', port: 0 }, 'localhost'],
  ])('%j with %j is HTTPS, and trusts the authorities of the system', async (flags, environment, to, serverName) => {
    const { error, ...seen } = await asked(flags, environment)
    expect(seen).toMatchObject({ to, tls: { trustedPems: [], trust: 'system', serverName } })
    expect(error).toBe('')
  })

  it('is said by the variables of the name that the program was started as, and by no others', async () => {
    const both = { CONSUL_HTTP_ADDR: '127.0.0.3:7', SVC_HTTP_ADDR: '127.0.0.2:7', CONSUL_HTTP_TOKEN: 't' }
    const under = (name: string): Promise<Asked> => asked([], both, ['reload'], [], {}, name)
    expect((await under('svc')).to).toEqual({ host: '127.0.0.2', port: 7 })
    expect((await under('svc')).headers?.flat()).not.toContain('t')
    expect((await under('consul')).to).toEqual({ host: '127.0.0.3', port: 7 })
    expect((await under('consul')).headers?.flat()).toContain('t')
  })

  it('may have a name, which is looked up, and is what the request is for and the certificate must carry', async () => {
    const named = { names: { lookup: async () => ok(['10.0.0.7']) } }
    const plain = await asked(['-http-addr=http://svc.internal:8500'], {}, ['reload'], [], named)
    expect(plain).toEqual({
      to: { host: '10.0.0.7', port: 8500 },
      tls: undefined,
      headers: [['Host', 'svc.internal:8500']],
      error: '',
    })
    const secured = await asked(['-http-addr=https://svc.internal'], {}, ['reload'], [], named)
    expect(secured).toMatchObject({
      to: { host: '10.0.0.7', port: 443 },
      tls: { serverName: 'svc.internal' },
      headers: [['Host', 'svc.internal:443']],
    })
  })

  it('of a name with several addresses asks the first that takes a connection, or the last', async () => {
    const dialled: string[] = []
    const dial = async ({ host: address }: Endpoint) => {
      dialled.push(address)
      const stream = { onClose: () => undefined, close: () => undefined }
      return address === '10.0.0.8' ? ok(stream) : err({ kind: 'refused' })
    }
    const world = (...addresses: readonly string[]) => ({
      names: { lookup: async () => ok(addresses) },
      tcp: { ...host.tcp, dial },
    })
    const to = async (...addresses: readonly string[]) =>
      (await asked(['-http-addr=a.b:1'], {}, ['reload'], [], world(...addresses))).to?.host
    expect([await to('::1', '10.0.0.8', '10.0.0.9'), await to('::1', '10.0.0.9')]).toEqual(['10.0.0.8', '10.0.0.9'])
    expect(dialled).toEqual(['::1', '10.0.0.8', '::1'])
  })

  it('is not found where its name does not resolve', async () => {
    const lookup = async (name: string) => err({ kind: 'not-found', name, message: 'getaddrinfo ENOTFOUND' })
    const { to, error } = await asked(['-http-addr=no.such.host:1'], {}, ['reload'], [], { names: { lookup } })
    expect(to).toBeUndefined()
    expect(error).toContain('http://no.such.host:1: dial tcp: lookup no.such.host: no such host')
  })

  it('trusts a file of authorities alone, or each file of a directory, and shows a certificate', async () => {
    const to = '-http-addr=https://127.0.0.1:1'
    const [ca, certificate, key] = [pem('ca'), pem('cert'), pem('key')]
    const directory = join(folder, 'cas')
    mkdirSync(directory)
    for (const name of ['b', 'a']) writeFileSync(join(directory, name), `-----BEGIN ${name}`)
    const files = { SVC_CACERT: ca, SVC_CLIENT_CERT: certificate, SVC_CLIENT_KEY: key }
    const byVariables = await asked([to], files)
    expect(byVariables.tls).toEqual({
      trustedPems: ['-----BEGIN ca'],
      serverName: '127.0.0.1',
      certificateChainPem: '-----BEGIN cert',
      privateKeyPem: '-----BEGIN key',
    })
    const flags = [to, `-ca-file=${ca}`, `-client-cert=${certificate}`, `-client-key=${key}`]
    expect((await asked(flags)).tls).toEqual(byVariables.tls)
    expect((await asked([to, `-ca-path=${directory}`])).tls?.trustedPems).toEqual(['-----BEGIN a', '-----BEGIN b'])
    mkdirSync(join(directory, '..data'))
    writeFileSync(join(directory, 'README'), 'no certificate')
    expect((await asked([to, `-ca-path=${directory}/`])).tls?.trustedPems).toEqual(['-----BEGIN a', '-----BEGIN b'])
    expect((await asked([to], { SVC_CAPATH: directory })).tls?.trustedPems).toHaveLength(2)
    expect((await asked([to], { SVC_HTTP_SSL_VERIFY: 'false' })).tls).toMatchObject({ trust: 'anyone' })
  })

  it.each([
    [['force-leave'], ['n1']],
    [['info'], []],
    [['join'], ['10.0.0.1']],
    [['keyring', '-list'], []],
    [['leave'], []],
    [['members'], []],
    [['monitor'], []],
    [['reload'], []],
  ])('[CLI-012] %j asks over HTTP where -http-addr says, and no longer takes -rpc-addr', async (command, operands) => {
    const to = { host: '127.0.0.7', port: 17 }
    const headers = [['X-Svc-Token', 't']]
    const flags = ['-http-addr=127.0.0.7:17', '-token=t']
    expect(await asked(flags, {}, command, operands)).toMatchObject({ to, headers })
    const old = await asked(['-rpc-addr=127.0.0.7:17'], {}, command, operands)
    expect(old.to).toBeUndefined()
    expect(old.error.split('\n')[0]).toMatch(/^flag provided but not defined: -rpc-addr \(.* use -http-addr/)
  })

  it('shows the caller: a token, and a user', async () => {
    const environment = { SVC_HTTP_TOKEN: 'one', SVC_HTTP_AUTH: 'me:secret' }
    const user = ['Authorization', `Basic ${btoa('me:secret')}`]
    expect((await asked([], environment)).headers).toEqual([user, ['X-Svc-Token', 'one']])
    expect((await asked(['-token=two'], environment)).headers).toEqual([user, ['X-Svc-Token', 'two']])
    expect((await asked([], { SVC_HTTP_AUTH: 'me' })).headers).toEqual([['Authorization', `Basic ${btoa('me:')}`]])
  })

  it('is told in one line what is wrong, and no agent is asked', async () => {
    const to = '-http-addr=https://127.0.0.1:1'
    const empty = join(folder, 'empty')
    writeFileSync(empty, '')
    for (const [flags, error] of [
      [['-http-addr=ftp://127.0.0.1:1'], 'Unknown protocol scheme: ftp'],
      [['-http-addr=127.0.0.1'], '-http-addr "127.0.0.1" is not host:port'],
      [['-http-addr=unix://'], '-http-addr "unix://" is not host:port'],
      [[to, '-ca-file=/nowhere/ca'], '-ca-file /nowhere/ca cannot be read: no such file or directory'],
      [[to, `-ca-file=${empty}`], `-ca-file ${empty} is not PEM`],
      [[to, '-ca-path=/nowhere'], '-ca-path /nowhere cannot be read: no such file or directory'],
      [[to, `-client-cert=${pem('cert')}`], '-client-cert and -client-key belong together: give both or neither'],
    ] as const) {
      const seen = await asked(flags)
      expect(seen.to, error).toBeUndefined()
      expect(seen.error).toMatch(/^Error reloading: [^\n]*\n$/)
      expect(seen.error).toContain(error)
    }
    expect((await asked([], { SVC_HTTP_SSL: 'maybe' })).error).toContain('SVC_HTTP_SSL "maybe" is not a boolean')
  })
})
