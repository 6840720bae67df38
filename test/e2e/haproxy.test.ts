import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import { devAgent, eventually, freePorts, leads, makeWorkplace, type RealAgent, type Workplace } from './real-agent.ts'

const haproxyIsThere = spawnSync('haproxy', ['-v']).error === undefined

let workplace: Workplace
let agent: RealAgent
let balancer: ChildProcess | undefined
beforeEach((context) => {
  if (!haproxyIsThere) context.skip('haproxy is not there')
  workplace = makeWorkplace()
})
afterEach(async () => {
  balancer?.kill('SIGKILL')
  await agent?.stop('SIGKILL')
  workplace?.remove()
})

/**
 * A load balancer that finds the servers of `web` by SRV and those of `plain` by A, with the size of packets that its
 * makers recommend.
 */
async function startBalancer(dnsPort: number): Promise<string> {
  const admin = join(workplace.path, 'admin.sock')
  const file = join(workplace.path, 'haproxy.cfg')
  writeFileSync(
    file,
    `global
  stats socket ${admin} mode 600 level admin
defaults
  mode http
  timeout connect 1s
  timeout client 1s
  timeout server 1s
resolvers svc
  nameserver agent 127.0.0.1:${dnsPort}
  accepted_payload_size 8192
  hold valid 100ms
  hold obsolete 100ms
  hold nx 100ms
  timeout resolve 100ms
  timeout retry 500ms
frontend in
  bind 127.0.0.1:${await freePort()}
  default_backend web
backend web
  server-template web 6 _web._tcp.service.svc resolvers svc resolve-opts allow-dup-ip resolve-prefer ipv4 check inter 3600s
backend plain
  server-template app 6 web.service.svc:8080 resolvers svc resolve-prefer ipv4 check inter 3600s
`,
  )
  balancer = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  return admin
}

/** The servers that it balances over, `host:port weight`. */
async function serversOf(admin: string, backend: string): Promise<readonly string[]> {
  const lines = (await command(admin, `show servers state ${backend}`)).split('\n')
  const names =
    lines
      .find((line) => line.startsWith('# '))
      ?.slice(2)
      .split(' ') ?? []
  const rows = lines.filter((line) => /^\d/.test(line)).filter((line) => line.includes(` ${backend} `))
  const found = rows.map((line) => {
    const cells = line.split(' ')
    const cell = (name: string): string => cells[names.indexOf(name)] ?? ''
    return { address: cell('srv_addr'), port: cell('srv_port'), weight: cell('srv_uweight') }
  })
  return found
    .filter(({ address }) => address !== '-')
    .map(({ address, port, weight }) => `${address}:${port} ${weight}`)
    .sort((a, b) => (a < b ? -1 : 1))
}

function command(admin: string, line: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = createConnection(admin)
    socket.setEncoding('utf8').on('data', (data: string) => {
      text += data
    })
    socket.on('error', () => resolve(''))
    socket.on('close', () => resolve(text))
    socket.write(`${line}\n`)
  })
}

const balancesOver = (admin: string, ...expected: readonly string[]): Promise<void> => balances(admin, 'web', expected)

async function balances(admin: string, backend: 'web' | 'plain', expected: readonly string[]): Promise<void> {
  let seen: readonly string[] = []
  await eventually(`${backend} balances over ${expected.join(', ')}`, async () => {
    seen = await serversOf(admin, backend)
    return seen.join() === expected.join() ? true : undefined
  }).catch((cause: unknown) => {
    throw new Error(`it balances over ${seen.join(', ')}`, { cause })
  })
}

async function place(instance: number, weight = 1, status = 'passing'): Promise<void> {
  const body = {
    Node: `n${instance}`,
    Address: `127.0.1.${instance}`,
    Service: { Service: 'web', Port: 9000 + instance, Weights: { Passing: weight, Warning: 1 } },
    Check: { CheckID: 'web-up', Name: 'web-up', ServiceID: 'web', Status: status },
  }
  expect((await agent.request('PUT', '/v1/catalog/register', JSON.stringify(body))).status).toBe(200)
}

describe('haproxy, whose servers are those of our DNS', () => {
  it('follows scale-out, weights, a failing check and scale-in, and keeps what its operator sets', async () => {
    const ports = await freePorts({ dns: true })
    agent = devAgent(ports, '-node=n0')
    await leads(agent)
    for (const instance of [1, 2, 3]) await place(instance)
    const admin = await startBalancer(ports.dns)
    await balancesOver(admin, '127.0.1.1:9001 1', '127.0.1.2:9002 1', '127.0.1.3:9003 1')
    await place(4)
    await place(5)
    const five = [1, 2, 3, 4, 5].map((n) => `127.0.1.${n}:900${n} 1`)
    await balancesOver(admin, ...five)
    await place(2, 1, 'critical')
    await balancesOver(admin, ...five.filter((_, at) => at !== 1))
    await place(2)
    await balancesOver(admin, ...five)
    for (const instance of [3, 4, 5]) {
      const gone = JSON.stringify({ Node: `n${instance}` })
      expect((await agent.request('PUT', '/v1/catalog/deregister', gone)).status).toBe(200)
    }
    await balancesOver(admin, ...five.slice(0, 2))
    // A weight of 16 bits becomes one of 1 to 256.
    await place(1, 1536)
    await balancesOver(admin, '127.0.1.1:9001 6', '127.0.1.2:9002 1')
    // What an operator sets by hand stays until the next answer differs, and the records of all six slots were understood.
    const named = /(web\d+) 127\.0\.1\.2/.exec(await command(admin, 'show servers state web'))?.[1] ?? ''
    await command(admin, `set server web/${named} state drain`)
    const cells = async (): Promise<readonly string[]> =>
      (await command(admin, 'show stat'))
        .split('\n')
        .find((line) => line.startsWith(`web,${named},`))
        ?.split(',') ?? []
    await eventually('it drains', async () => ((await cells()).some((cell) => /DRAIN/.test(cell)) ? true : undefined))
    await place(2, 512)
    await balancesOver(admin, '127.0.1.1:9001 6', '127.0.1.2:9002 2')
    expect((await cells()).some((cell) => /DRAIN/.test(cell))).toBe(true)
    const counted = await command(admin, 'show resolvers svc')
    expect(/^\s*valid:\s*[1-9]/m.test(counted), counted).toBe(true)
    for (const kind of ['cname_error', 'invalid', 'too_big', 'truncated', 'outdated']) {
      expect(counted).toMatch(new RegExp(`^\\s*${kind}:\\s*0$`, 'm'))
    }
  })

  it('follows the same by A records, which have neither ports nor weights', async () => {
    const ports = await freePorts({ dns: true })
    agent = devAgent(ports, '-node=n0')
    await leads(agent)
    for (const instance of [1, 2, 3]) await place(instance)
    const admin = await startBalancer(ports.dns)
    const at = (...instances: readonly number[]) => instances.map((instance) => `127.0.1.${instance}:8080 1`)
    await balances(admin, 'plain', at(1, 2, 3))
    await place(4)
    await place(2, 1, 'critical')
    await balances(admin, 'plain', at(1, 3, 4))
    await place(2)
    await balances(admin, 'plain', at(1, 2, 3, 4))
    for (const instance of [1, 3]) {
      const gone = JSON.stringify({ Node: `n${instance}` })
      expect((await agent.request('PUT', '/v1/catalog/deregister', gone)).status).toBe(200)
    }
    await balances(admin, 'plain', at(2, 4))
  })
})
