import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { opensslIsThere } from '../contract/host/tls-material.ts'
import { freePort } from '../tools/own-ports.ts'
import {
  type AgentPortsInUse,
  commonLeader,
  eventually,
  freePorts,
  makeWorkplace,
  quickGossip,
  RealAgent,
  runSvc,
  trafficPauseMs,
  type Workplace,
} from './real-agent.ts'
import { type CertificateFiles, makeCertificate, putInPlace, tlsCommand } from './tls-files.ts'

const servers = ['s1', 's2', 's3'] as const
const strict = { verify_incoming: true, verify_outgoing: true, verify_server_hostname: true } as const

/** The default timing: no stall of a busy machine costs the leader its office. Then an election takes its time. */
const electedWithinMs = 90_000

let workplace: Workplace
let ports: AgentPortsInUse
let https: number
let key: string
/** The authority of the cluster, and one that takes its place. */
let first: string
let second: string
const agents: RealAgent[] = []
const strangers: RealAgent[] = []

beforeAll(async () => {
  workplace = makeWorkplace()
  ;[ports, https] = [await freePorts(), await freePort()]
  key = (await runSvc(['keygen'])).out.trim()
  ;[first, second] = [join(workplace.path, 'first'), join(workplace.path, 'second')]
  for (const directory of [first, second]) {
    mkdirSync(directory)
    await tlsCommand(directory, 'ca', 'create')
  }
  writeFileSync(caFile(), readFileSync(authorityOf(first)))
  for (const name of servers) putInPlace(await makeCertificate(first, '-server'), filesOf(name))
  for (const [at, name] of servers.entries()) agents.push(startServer(at, name))
  await commonLeader(agents, electedWithinMs)
}, 120_000)

afterAll(async () => {
  await Promise.all([...agents, ...strangers].map((agent) => agent.stop('SIGKILL')))
  workplace.remove()
})

function authorityOf(directory: string): string {
  return join(directory, 'svc-agent-ca.pem')
}

/** Of all servers: what is trusted. */
function caFile(): string {
  return join(workplace.path, 'ca.pem')
}

function filesOf(name: string): CertificateFiles {
  return { cert_file: join(workplace.path, `${name}.pem`), key_file: join(workplace.path, `${name}-key.pem`) }
}

function start(name: string, host: string, config: object): RealAgent {
  const file = join(workplace.path, `${name}.json`)
  const all = {
    node_name: name,
    data_dir: join(workplace.path, name),
    bind_addr: host,
    client_addr: host,
    encrypt: key,
    ports,
    gossip_lan: quickGossip,
    retry_join: ['127.0.0.1', '127.0.0.2', '127.0.0.3'],
    retry_interval: '200ms',
    ...config,
  }
  writeFileSync(file, JSON.stringify(all))
  return new RealAgent(`${host}:${ports.http}`, [`-config-file=${file}`])
}

function startServer(at: number, name: string): RealAgent {
  const tls = { ...strict, ca_file: caFile(), ...filesOf(name) }
  const secured = at === 0 ? { ports: { ...ports, https }, verify_incoming: false, verify_incoming_rpc: true } : {}
  return start(name, `127.0.0.${at + 1}`, { server: true, bootstrap_expect: 3, ...tls, ...secured })
}

/** The issuer of the certificate on the first server's HTTPS port, and the status of its answer. */
function shownByHttps(ca: string): Promise<{ readonly status: number | undefined; readonly issuer: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: https, path: '/v1/status/leader', agent: false, ca: readFileSync(ca) }
    const sent = request(options, (response) => {
      const issuer = (response.socket as TLSSocket).getPeerX509Certificate()?.issuer ?? ''
      response.resume().on('end', () => resolve({ status: response.statusCode, issuer }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

function nameOf(ca: string): string {
  return new X509Certificate(readFileSync(ca)).subject
}

/**
 * Writes and reads through every server, one after the other, until it is ended; every answer that is no success is
 * kept.
 */
function traffic(): { end(): Promise<{ readonly rounds: number; readonly failures: readonly string[] }> } {
  const failures: string[] = []
  let [rounds, goesOn] = [0, true]
  const asked = async (what: Promise<Response>): Promise<void> => {
    const answer = await what
    const body = await answer.text()
    if (answer.status !== 200) failures.push(`${answer.status} ${body}`)
  }
  const round = async (): Promise<void> => {
    for (const [at, agent] of agents.entries()) {
      await asked(agent.request('PUT', `/v1/kv/traffic-${at}`, String(rounds)))
      await asked(agent.request('GET', `/v1/kv/traffic-${at}?consistent`))
    }
    const { status } = await shownByHttps(caFile())
    if (status !== 200) failures.push(`HTTPS ${status}`)
  }
  const running = (async () => {
    for (; goesOn; rounds++) {
      await round().catch((cause: unknown) => failures.push(String(cause)))
      await pause(trafficPauseMs)
    }
  })()
  return {
    end: async () => {
      goesOn = false
      await running
      return { rounds, failures }
    },
  }
}

async function reloadAll(): Promise<void> {
  for (const agent of agents) {
    expect(await runSvc(['reload', `-http-addr=${agent.address}`])).toMatchObject({ code: 0, error: '' })
  }
}

describe.skipIf(!opensslIsThere())('a cluster of three servers with TLS and encrypted gossip', () => {
  it('has certificates that openssl verifies, for the names that were asked for, and keys that only their owner reads', () => {
    const { cert_file, key_file } = filesOf('s1')
    const said = execFileSync('openssl', ['verify', '-x509_strict', '-CAfile', caFile(), cert_file])
    expect(said.toString()).toBe(`${cert_file}: OK\n`)
    const text = execFileSync('openssl', ['x509', '-in', cert_file, '-noout', '-text']).toString()
    expect(text).toContain('DNS:server.dc1.svc, DNS:localhost, IP Address:127.0.0.1')
    for (const file of [key_file, join(first, 'svc-agent-ca-key.pem'), join(first, 'dc1-server-svc-0-key.pem')]) {
      expect(statSync(file).mode & 0o777, file).toBe(0o600)
    }
    for (const file of [cert_file, caFile()]) expect(statSync(file).mode & 0o777, file).toBe(0o644 & ~process.umask())
  })

  it('speaks with itself, and says so', async () => {
    for (const agent of agents) expect(agent.output).toContain('Gossip: true, TLS-Outgoing: true, TLS-Incoming: true')
    const peers = await runSvc(['operator', 'raft', 'list-peers', `-http-addr=${agents[0]?.address}`])
    expect(peers.out.match(/true/g)).toHaveLength(3)
    expect((await runSvc(['members', '-detailed', `-http-addr=${agents[0]?.address}`])).out).toContain('use_tls=1')
    expect(agents.map((agent) => agent.output).join('')).not.toMatch(/no TLS connection|refused a connection/)
  })

  it('svc operator check reads clocks, settings and certificates of the servers that it is given', async () => {
    const others = agents.slice(1).map(({ address }) => `-server=${address}`)
    const check = ['operator', 'check', '-format=json', `-http-addr=${agents[0]?.address}`]
    const { out } = await runSvc([...check, ...others])
    const { Asked, Items } = JSON.parse(out) as {
      Asked: string[]
      Items: { Item: string; Light: string; Says: string }[]
    }
    const lightOf = (item: string) => Items.find(({ Item }) => Item === item)?.Light
    const saysOf = (item: string) => Items.find(({ Item }) => Item === item)?.Says
    expect(Asked).toEqual([...servers])
    // Of the other items a busy machine may make what it likes.
    expect(['versions', 'clocks', 'certificates', 'access-control'].map(lightOf)).toEqual([
      'green',
      'green',
      'green',
      'yellow',
    ])
    expect(saysOf('certificates')).toMatch(/^the first certificate expires at 20\d\d-\d\d-\d\dT[\d:]+Z, that of s\d$/)
    expect(saysOf('configuration')).toContain('VerifyIncoming is false at s1 and true at s2, s3')
    const { Items: alone } = JSON.parse((await runSvc(check)).out) as { Items: { Item: string; Light: string }[] }
    expect(alone.find(({ Item }) => Item === 'certificates')?.Light).toBe('unknown')
  })

  it('moves to another authority under traffic, by reloads, with no failed request; then a server starts anew', async () => {
    const running = traffic()
    expect((await shownByHttps(caFile())).issuer).toContain(nameOf(authorityOf(first)))
    appendFileSync(caFile(), readFileSync(authorityOf(second)))
    await reloadAll()
    for (const name of servers) putInPlace(await makeCertificate(second, '-server'), filesOf(name))
    await reloadAll()
    // A connection that is made now shows the new one: here, and between servers when one of them starts again.
    expect((await shownByHttps(caFile())).issuer).toContain(nameOf(authorityOf(second)))
    writeFileSync(caFile(), readFileSync(authorityOf(second)))
    await reloadAll()
    const { rounds, failures } = await running.end()
    expect(failures).toEqual([])
    expect(rounds).toBeGreaterThan(3)
    for (const agent of agents) expect(agent.output.match(/certificates renewed/g)).toHaveLength(3)

    await agents[2]?.stop('SIGKILL')
    agents[2] = startServer(2, 's3')
    await commonLeader(agents, electedWithinMs)
    expect((await agents[2]?.request('PUT', '/v1/kv/after', 'it'))?.status).toBe(200)
  }, 240_000)

  it('a reload with a file that does not hold is refused with its reason, and nothing changes', async () => {
    const { key_file } = filesOf('s1')
    const before = readFileSync(key_file)
    writeFileSync(key_file, readFileSync(filesOf('s2').key_file))
    const refused = await runSvc(['reload', `-http-addr=${agents[0]?.address}`])
    expect(refused.code).toBe(1)
    expect(refused.error).toMatch(/TLS cannot be used: .*: correct cert_file, key_file and ca_file/)
    writeFileSync(key_file, before)
    expect((await shownByHttps(caFile())).status).toBe(200)
  })

  it('refuses agents without a certificate, of another authority, and a client that pretends to be a server', async () => {
    const other = await makeCertificate(first, '-server')
    const client = await makeCertificate(second, '-client')
    const bare = start('bare', '127.0.0.4', {})
    const foreign = start('foreign', '127.0.0.5', { ca_file: caFile(), verify_outgoing: true, ...other })
    const pretender = start('pretender', '127.0.0.6', { server: true, ca_file: caFile(), ...strict, ...client })
    strangers.push(bare, foreign, pretender)
    /**
     * The strangers are always being asked for something, so that they go to a server as soon as they know one. Each
     * answers only when it has tried for some seconds: nothing waits for that but the next question.
     */
    const statuses: (number | undefined)[] = []
    const askedUntil = new AbortController()
    onTestFinished(() => askedUntil.abort())
    const asking = [bare, foreign].map(async (agent) => {
      while (!askedUntil.signal.aborted) {
        const { signal } = askedUntil
        const answer = await fetch(`http://${agent.address}/v1/kv/after`, { signal }).catch(() => undefined)
        statuses.push(answer?.status)
        await pause(trafficPauseMs)
      }
    })
    const says = (those: readonly RealAgent[], pattern: RegExp): Promise<true> =>
      eventually(
        `${pattern}`,
        async () => (those.some(({ output }) => pattern.test(output)) ? true : undefined),
        electedWithinMs,
      )
    await says(agents, /refused a connection.*it does not speak TLS, and verify_incoming is set here/)
    await says(
      agents,
      /refused a connection.*its certificate is not signed by a certificate authority that this agent trusts/,
    )
    await says(
      agents,
      /no TLS connection with a server.*pretender.*its certificate is for client\.dc1\.svc, localhost, not/,
    )
    await says([pretender], /the certificate of pretender does not make it a server/)
    // What keeps them out is said where it is to be mended, too: to their own supervisors, and in their own logs.
    const closed = /a server refuses connections over TLS.*it closed the connection before it said hello, as servers do/
    await says([bare], closed)
    await says([foreign], /no TLS connection with a server|a server refuses connections over TLS/)
    askedUntil.abort()
    await Promise.all(asking)
    for (const status of statuses) expect([undefined, 500, 503]).toContain(status)
    for (const [stranger, why] of [
      [bare, /^no server can be reached: .*s\d: .*as servers do that accept only TLS/],
      [foreign, /^no server can be reached: .*s\d: /],
    ] as const) {
      const ready = async (): Promise<readonly unknown[]> => {
        const answer = await stranger.request('GET', '/v1/agent/ready')
        return [answer.status, await answer.json()]
      }
      await expect.poll(ready).toEqual([503, { Ready: false, Reasons: [expect.stringMatching(why)] }])
    }
    const peers = await agents[0]?.json<{ Servers: readonly object[] }>('/v1/operator/raft/configuration')
    expect(peers?.Servers).toHaveLength(3)
  }, 240_000)
})
