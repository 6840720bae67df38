import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, freePort, freePorts, makeWorkplace, RealAgent, type Workplace } from './real-agent.ts'

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
const isLong = process.env['SVC_TEST_LONG'] === '1'
/** New connections in a second, all the while. */
const visitsPerSecond = isLong ? 200 : 20

/** `svc connect proxy`, in a process of its own. */
class RunningProxy {
  readonly #child: ChildProcess
  readonly exited: Promise<number | null>
  output = ''

  constructor(agent: RealAgent, flags: readonly string[]) {
    const args = [svc, 'connect', 'proxy', `-http-addr=${agent.address}`, ...flags]
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text
      })
    }
    this.exited = new Promise((resolve) => this.#child.on('close', resolve))
  }

  /** How many leaves it has had. */
  get leaves(): number {
    return this.output.split('There is a new leaf certificate').length - 1
  }

  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<number | null> {
    this.#child.kill(signal)
    return this.exited
  }
}

let workplace: Workplace
let agent: RealAgent
let web: RunningProxy
let db: RunningProxy
let service: Server
let upstreamPort: number

/** What the service says to `hello`, or why nothing came. */
function visit(port = upstreamPort): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }, () => socket.end('hello'))
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard += text
    })
    socket.on('error', (cause) => resolve(cause.message))
    socket.on('end', () => resolve(heard === '' ? 'nothing' : heard))
  })
}

async function put(path: string, body: unknown): Promise<void> {
  const answer = await agent.request('PUT', path, JSON.stringify(body))
  expect(answer.status, await answer.text()).toBe(200)
}

const activeRoot = async () =>
  (await agent.json<{ readonly ActiveRootID: string }>('/v1/connect/ca/roots'))?.ActiveRootID

/** Under load it may go on after it was answered for. */
async function rotate(kind: object): Promise<void> {
  const before = await activeRoot()
  const body = JSON.stringify({ Provider: 'svc', Config: { LeafCertTTL: '72h', ...kind } })
  const answer = await agent.request('PUT', '/v1/connect/ca/configuration', body)
  if (answer.status !== 200) expect(await answer.text()).toMatch(/goes on$/)
  await eventually('another root', async () => ((await activeRoot()) === before ? undefined : true))
}

beforeAll(async () => {
  workplace = makeWorkplace()
  const ports = await freePorts()
  const file = join(workplace.path, 'agent.json')
  const config = {
    server: true,
    bootstrap_expect: 1,
    bind_addr: '127.0.0.1',
    data_dir: join(workplace.path, 'data'),
    ports,
    performance: { raft_multiplier: 1 },
    connect: { enabled: true },
  }
  writeFileSync(file, JSON.stringify(config))
  agent = new RealAgent(`127.0.0.1:${ports.http}`, [`-config-file=${file}`])
  await eventually('an authority', async () => {
    const roots = await agent.json<{ readonly Roots: readonly unknown[] }>('/v1/connect/ca/roots')
    return roots !== undefined && roots.Roots.length > 0 ? true : undefined
  })
  service = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => service.listen(port, '127.0.0.1', resolve))
  upstreamPort = await freePort()
  await put('/v1/agent/service/register', {
    Name: 'db',
    Port: port,
    Connect: { SidecarService: { Port: await freePort() } },
  })
  db = new RunningProxy(agent, ['-sidecar-for=db'])
  web = new RunningProxy(agent, ['-service=web', `-upstream=db:${upstreamPort}`])
  await eventually('a connection', async () => ((await visit()) === 'hello' ? true : undefined), 20_000)
}, 60_000)

afterAll(async () => {
  await Promise.all([web?.stop('SIGKILL'), db?.stop('SIGKILL'), agent?.stop('SIGKILL')])
  service?.close()
  workplace.remove()
})

describe('svc connect proxy', () => {
  it('says what it does, and brings connections from service to service, as long as intentions allow them', async () => {
    expect(db.output).toMatch(/^==> Svc Connect proxy starting\.\.\.\n {4}Configuration mode: Agent API\n/)
    expect(web.output).toContain(`Upstream: db => 127.0.0.1:${upstreamPort} (service)`)
    const made = await agent.request(
      'POST',
      '/v1/connect/intentions',
      JSON.stringify({ SourceName: 'web', DestinationName: 'db', Action: 'deny' }),
    )
    const { ID } = (await made.json()) as { ID: string }
    await eventually('a refusal', async () => ((await visit()) === 'hello' ? undefined : true))
    expect(await visit()).not.toBe('hello')
    expect((await agent.request('DELETE', `/v1/connect/intentions/${ID}`)).status).toBe(200)
    await eventually('a connection', async () => ((await visit()) === 'hello' ? true : undefined))
  })

  it('goes on through rotations, EC to EC to RSA, and not one connection fails', async () => {
    const said = new Map<string, number>()
    let goes = true
    const going = (async () => {
      const under: Promise<void>[] = []
      while (goes) {
        under.push(visit().then((word) => void said.set(word, (said.get(word) ?? 0) + 1)))
        await delay(1_000 / visitsPerSecond)
      }
      await Promise.all(under)
    })()
    const before = [web.leaves, db.leaves]
    await rotate({ PrivateKeyType: 'ec', PrivateKeyBits: 384 })
    await rotate({ PrivateKeyType: 'rsa', PrivateKeyBits: 2048 })
    await eventually(
      'new leaves',
      async () => (web.leaves > (before[0] ?? 0) && db.leaves > (before[1] ?? 0) ? true : undefined),
      45_000,
    )
    await delay(500)
    goes = false
    await going
    expect([...said.keys()]).toEqual(['hello'])
    expect(said.get('hello')).toBeGreaterThan(20)
  }, 90_000)

  it('ends in order when it is interrupted', async () => {
    const port = await freePort()
    const flags = ['-service=api', `-listen=127.0.0.1:${port}`, '-service-addr=127.0.0.1:1', '-register']
    const api = new RunningProxy(agent, flags)
    const isThere = async () =>
      (await agent.json<Record<string, { readonly Port: number }>>('/v1/agent/services'))?.['api-proxy']?.Port
    expect(await eventually('the registration', isThere)).toBe(port)
    expect(await api.stop('SIGINT')).toBe(0)
    expect(await isThere()).toBeUndefined()
  })
})
