import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTlsMaterial, opensslIsThere } from '../contract/host/tls-material.ts'
import { freePort } from '../tools/own-ports.ts'
import { openSockets } from './open-sockets.ts'
import {
  devAgent,
  eventually,
  freePorts,
  leads,
  makeWorkplace,
  RealAgent,
  runSvc,
  type Workplace,
  writeConfig,
} from './real-agent.ts'

const openssl = opensslIsThere()

let workplace: Workplace
let agent: RealAgent | undefined
beforeEach(() => {
  workplace = makeWorkplace()
})
afterEach(async () => {
  await agent?.stop('SIGKILL')
  agent = undefined
  workplace.remove()
})

async function startWith(config: object): Promise<RealAgent> {
  const ports = await freePorts()
  const file = writeConfig(workplace.path, 'agent.json', config)
  const started = devAgent(ports, `-config-file=${file}`)
  agent = started
  return started
}

function get(send: typeof plain | typeof secure, options: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = send({ path: '/v1/status/leader', method: 'GET', agent: false, ...options }, (response) => {
      let text = `${response.statusCode} `
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more
      })
      response.on('end', () => resolve(text))
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('the HTTP API', () => {
  it('is served on unix sockets, too; one that a killed agent left is replaced', async () => {
    const path = join(workplace.path, 'svc.sock')
    const both = { addresses: { http: `127.0.0.1 unix://${path}` } }
    await leads(await startWith(both))
    expect(await get(plain, { socketPath: path })).toMatch(/^200 "127\.0\.0\.1:\d+"\n$/)
    await agent?.stop('SIGKILL')
    expect(existsSync(path)).toBe(true)
    await leads(await startWith(both))
    expect(await get(plain, { socketPath: path })).toMatch(/^200 "127/)
    expect(await runSvc(['kv', 'get', `-http-addr=unix://${path}`, 'none'])).toMatchObject({
      code: 1,
      error: 'Error! No key exists at: none\n',
    })
    const second = new RealAgent('127.0.0.1:1', agent?.args.map((arg) => arg) ?? [])
    expect(await second.exited).toMatchObject({ code: 1 })
    expect(second.output).toMatch(/is already in use/)
    const first = agent
    const alone = await startWith({ addresses: { http: `unix://${path}` } })
    expect(await alone.exited).toMatchObject({ code: 1 })
    expect(alone.output).toMatch(/is already in use/)
    expect(await get(plain, { socketPath: path })).toMatch(/^200 "127/)
    const file = join(workplace.path, 'important.txt')
    writeFileSync(file, 'mine')
    const overFile = await startWith({ addresses: { http: `unix://${file}` } })
    expect(await overFile.exited).toMatchObject({ code: 1 })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    await first?.stop('SIGINT')
    expect(existsSync(path)).toBe(false)
    const nowhere = await startWith({ addresses: { http: 'unix:///nowhere/svc.sock' } })
    expect(await nowhere.exited).toMatchObject({ code: 1 })
    expect(nowhere.output).toContain('cannot make unix:///nowhere/svc.sock: name an existing directory')
  })

  it('[AGT-015] is served with TLS once ports.https is open, and not before', async (context) => {
    if (!openssl) context.skip('the openssl command, which makes the certificates, is not there')
    const made = makeTlsMaterial()
    const file = (name: string, pem: string): string => {
      const path = join(workplace.path, name)
      writeFileSync(path, pem)
      return path
    }
    const https = await freePort()
    const { server, client, stranger, rootPem } = made
    const files = {
      cert_file: file('cert.pem', server.certificateChainPem),
      key_file: file('key.pem', server.privateKeyPem),
      ca_file: file('ca.pem', rootPem),
    }
    const closed = await startWith(files)
    await leads(closed)
    expect(await closed.json<object>('/v1/agent/self')).toMatchObject({ DebugConfig: { HTTPSPort: -1 } })
    await expect(get(secure, { host: '127.0.0.1', port: https, rejectUnauthorized: false })).rejects.toThrow(
      'ECONNREFUSED',
    )
    await closed.stop('SIGKILL')

    await leads(await startWith({ ...files, ports: { https }, verify_incoming_https: true }))
    const as = (who: { certificateChainPem: string; privateKeyPem: string } | undefined) =>
      get(secure, {
        ...{ host: '127.0.0.1', port: https, ca: rootPem },
        ...(who === undefined ? {} : { cert: who.certificateChainPem, key: who.privateKeyPem }),
      })
    expect(await as(client)).toMatch(/^200 "127/)
    expect(agent?.output).toContain(`HTTPS: ${https},`)
    const datacenters = (...flags: readonly string[]) => runSvc(['catalog', 'datacenters', ...flags])
    const own = [
      `-client-cert=${file('client.pem', client.certificateChainPem)}`,
      `-client-key=${file('client.key', client.privateKeyPem)}`,
    ]
    const to = `-http-addr=https://127.0.0.1:${https}`
    expect(await datacenters(to, `-ca-file=${files.ca_file}`, ...own)).toMatchObject({
      code: 0,
      out: 'dc1\n',
      error: '',
    })
    const proofless = await datacenters(to, `-ca-file=${files.ca_file}`)
    expect(proofless).toMatchObject({ code: 1, error: expect.stringContaining(`Get "https://127.0.0.1:${https}/v1/`) })
    expect((await datacenters(to, ...own)).error).toMatch(/unable to (verify|get)|self.signed/)
    await expect(as(undefined)).rejects.toThrow()
    await expect(as(stranger)).rejects.toThrow()
  })

  it('does not start with TLS whose files cannot be used, and says which', async () => {
    const https = await freePort()
    const missing = { ports: { https }, cert_file: '/nowhere/cert.pem', key_file: '/nowhere/key.pem' }
    const lost = await startWith(missing)
    expect(await lost.exited).toMatchObject({ code: 1 })
    expect(lost.output).toMatch(/cert_file \/nowhere\/cert\.pem cannot be read/)
    const noPem = join(workplace.path, 'no.pem')
    writeFileSync(noPem, 'this is no certificate\n')
    const wrong = await startWith({ ports: { https }, cert_file: noPem, key_file: noPem })
    expect(await wrong.exited).toMatchObject({ code: 1 })
    expect(wrong.output).toContain(`cert_file ${noPem} holds no certificate: name a PEM file with a BEGIN CERTIFICATE`)
  })
})

describe('the listeners of an agent', () => {
  const linux = process.platform === 'linux'

  /** A server whose listeners are each at an address of their own, but for the ports that are -1. */
  async function startAt(ports: Readonly<Record<string, number>>, files: object): Promise<RealAgent> {
    const file = join(workplace.path, 'agent.json')
    const config = {
      ...{ server: true, bootstrap: true, data_dir: join(workplace.path, 'data'), node_name: 's1', ...files },
      addresses: { http: '127.0.0.2', https: '127.0.0.3', dns: '127.0.0.4 127.0.0.5' },
      ...{ bind_addr: '127.0.0.6', serf_wan: '127.0.0.7', ports, performance: { raft_multiplier: 1 } },
    }
    writeFileSync(file, JSON.stringify(config))
    agent = new RealAgent(`127.0.0.2:${ports['http']}`, [`-config-file=${file}`])
    return agent
  }

  it.skipIf(!linux || !openssl)(
    '[CFG-044] are each where addresses and ports say, and those whose port is -1 are not there',
    async () => {
      const made = makeTlsMaterial()
      const [cert_file, key_file] = ['cert.pem', 'key.pem'].map((name) => join(workplace.path, name))
      writeFileSync(cert_file as string, made.server.certificateChainPem)
      writeFileSync(key_file as string, made.server.privateKeyPem)
      const https = await freePort()
      const ports = { ...(await freePorts({ dns: true })), https, serf_wan: await freePort() }
      const all = await startAt(ports, { cert_file, key_file })
      await leads(all)
      const others = [
        `tcp 127.0.0.6:${ports.server}`,
        `tcp 127.0.0.6:${ports.serf_lan}`,
        `udp 127.0.0.6:${ports.serf_lan}`,
      ]
      expect(openSockets(all.pid)).toEqual(
        [
          ...[`tcp 127.0.0.2:${ports.http}`, `tcp 127.0.0.3:${https}`],
          ...['tcp', 'udp'].flatMap((kind) => ['4', '5'].map((host) => `${kind} 127.0.0.${host}:${ports.dns}`)),
          ...['tcp', 'udp'].map((kind) => `${kind} 127.0.0.7:${ports.serf_wan}`),
          ...others,
        ].sort((a, b) => (a < b ? -1 : 1)),
      )
      await all.stop('SIGKILL')

      const closed = await startAt({ ...ports, http: -1, https: -1, dns: -1, serf_wan: -1 }, { cert_file, key_file })
      await eventually('its banner', async () => (/Svc agent running!/.test(closed.output) ? true : undefined))
      expect(openSockets(closed.pid)).toEqual(others.sort((a, b) => (a < b ? -1 : 1)))
      expect(closed.output).toContain('(HTTP: -1, HTTPS: -1, gRPC: -1, DNS: -1)')
    },
  )
})
