/**
 * The cluster of a soak: three servers and two client agents as processes, with gossip that is encrypted, TLS between
 * agents, access control that denies by default, and the mesh. It knows which agents are announced to be away.
 */
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Servers } from '../agents.mjs'
import { pause, stop, svc } from '../children.mjs'

const loopWindows = fileURLToPath(new URL('../loop-windows.mjs', import.meta.url))
const ports = { http: 18_500, dns: 18_600, server: 18_300, serf_lan: 18_301, serf_wan: -1, https: -1, grpc: -1 }
const run = promisify(execFile)
/** How long an answer may take: requests are held for 7 s where there is no leader. */
const timeoutMs = 15_000
const anonymous = '00000000-0000-0000-0000-000000000002'
/** Log entries after which a snapshot is taken: often enough that every quarter of a run has the same saw teeth. */
const snapshotThreshold = 2048

const acl = { enabled: true, default_policy: 'deny', down_policy: 'extend-cache' }

export const agents = [0, 1, 2, 3, 4]
export const nameOf = (at) => (at < 3 ? `s${at + 1}` : `c${at - 2}`)

export class SoakCluster {
  #servers
  #folder
  #master = randomUUID()
  #agentToken
  #pair
  #away = new Set()
  #revision = 1
  gossipKey = randomBytes(16).toString('base64')

  /** `folder`: for the logs of the agents and the windows of their event loops. */
  constructor(folder) {
    this.#folder = folder
    // A network of its own: other agents on this machine meet it nowhere.
    const network = `127.${64 + (process.pid % 128)}.7`
    const settings = {
      bootstrap_expect: 3,
      encrypt: this.gossipKey,
      primary_datacenter: 'dc1',
      connect: { enabled: true },
      // The default: where other work shares the machine, agents wait for a core longer than the shortest timeouts last.
      performance: { raft_multiplier: 5 },
      log_level: 'info',
      log_rotate_bytes: 4 << 20,
      log_rotate_max_files: 4,
      raft_snapshot_threshold: snapshotThreshold,
      raft_snapshot_interval: '10s',
      verify_incoming: true,
      verify_outgoing: true,
      verify_server_hostname: true,
    }
    this.#servers = new Servers(agents.length, ports, settings, network)
  }

  host(at) {
    return this.#servers.host(at)
  }

  dnsAddress(at) {
    return `${this.host(at)}:${ports.dns}`
  }

  dir(at) {
    return this.#servers.dir(at)
  }

  process(at) {
    return this.#servers.process(at)
  }

  loopFile(at) {
    return join(this.#folder, `${nameOf(at)}.loop.jsonl`)
  }

  /** Asks with all rights, or with those of `token`. */
  call(at, method, path, body, { token = this.#master, ...options } = {}) {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    // Node sends no length with the body of a DELETE by itself.
    const length = text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) }
    const headers = { 'X-Svc-Token': token, ...length }
    return this.#servers.ask(at, method, path, text, { headers, timeoutMs, ...options })
  }

  /** Runs a command of `svc` with all rights. Returns why it failed, or undefined. */
  async command(at, ...args) {
    const env = { ...process.env, SVC_HTTP_ADDR: `${this.host(at)}:${ports.http}`, SVC_HTTP_TOKEN: this.#master }
    try {
      await run(process.execPath, [svc, ...args], { env, timeout: 60_000 })
      return undefined
    } catch (cause) {
      return `svc ${args.join(' ')}: ${cause.stderr ?? cause.message}`
    }
  }

  /** Starts all, and makes the tokens. */
  async begin() {
    await this.#makeCertificates()
    for (const at of agents) this.start(at)
    await this.#servers.leader(agents.length)
    // A follower may hear of the first token later than the leader's clients. The agent judges this request itself.
    for (const at of agents)
      await this.#until(
        `the first token at ${nameOf(at)}`,
        async () => (await this.call(at, 'GET', '/v1/agent/self')).status === 200,
      )
    await this.#makeTokens()
    for (const at of agents) await this.ready(at)
  }

  async #makeCertificates() {
    for (const words of [
      ['ca', 'create'],
      ['cert', 'create', '-server'],
      ['cert', 'create', '-client'],
    ])
      await run(process.execPath, [svc, 'tls', ...words], { cwd: this.#servers.home })
    const file = (name) => join(this.#servers.home, name)
    this.#pair = (kind) => ({
      ca_file: file('svc-agent-ca.pem'),
      cert_file: file(`dc1-${kind}-svc-0.pem`),
      key_file: file(`dc1-${kind}-svc-0-key.pem`),
    })
  }

  async #makeTokens() {
    const rules = 'node_prefix "" { policy = "write" } service_prefix "" { policy = "read" }'
    const discovery = 'node_prefix "" { policy = "read" } service_prefix "" { policy = "read" }'
    await this.#must('PUT', '/v1/acl/policy', { Name: 'agents', Rules: rules })
    await this.#must('PUT', '/v1/acl/policy', { Name: 'discovery', Rules: discovery })
    await this.#must('PUT', `/v1/acl/token/${anonymous}`, { Policies: [{ Name: 'discovery' }] })
    const made = await this.#must('PUT', '/v1/acl/token', { Policies: [{ Name: 'agents' }] })
    this.#agentToken = JSON.parse(made).SecretID
    for (const at of agents) {
      await this.#must('PUT', '/v1/agent/token/acl_agent_token', { Token: this.#agentToken }, at)
      this.#servers.configure(at, this.#settingsOf(at))
    }
  }

  async #must(method, path, body, at = 0) {
    const { status, text } = await this.call(at, method, path, body)
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`)
    return text
  }

  #settingsOf(at) {
    const tokens = { master: this.#master, agent: this.#agentToken }
    const name = nameOf(at)
    const http = `http://${this.host(at)}:${ports.http}/v1/agent/live`
    return {
      node_name: name,
      ...(at < 3 ? this.#pair('server') : { server: false, bootstrap_expect: undefined, ...this.#pair('client') }),
      log_file: join(this.#folder, 'logs', `${name}.log`),
      acl: { ...acl, tokens: this.#agentToken === undefined ? { master: this.#master } : tokens },
      services: [
        { name: 'web', port: 80, token: this.#master, checks: [{ name: 'alive', http, interval: '5s' }] },
        { name: 'from-file', port: this.#revision, token: this.#master },
      ],
    }
  }

  start(at) {
    this.#servers.start(at, {
      settings: this.#settingsOf(at),
      nodeArgs: [`--import=${loopWindows}`],
      env: { SVC_LOOP_WINDOWS: this.loopFile(at) },
    })
  }

  kill(at, signal = 'SIGKILL') {
    const child = this.process(at)
    return child === undefined ? Promise.resolve() : stop(child, signal)
  }

  /** Settles when the process has ended by itself. */
  ended(at) {
    const child = this.process(at)
    return child === undefined ? Promise.resolve() : new Promise((resolve) => child.on('close', resolve))
  }

  /** Writes a new configuration. Returns the port that the service `from-file` has in it. */
  reconfigure(at) {
    this.#revision++
    this.#servers.configure(at, this.#settingsOf(at))
    return this.#revision
  }

  /** From here until `back` requests to the agent may fail, because the soak itself stops it. */
  announce(at) {
    this.#away.add(at)
  }

  back(at) {
    this.#away.delete(at)
  }

  isAway(at) {
    return this.#away.has(at)
  }

  /** The agents that must answer now. */
  present() {
    return agents.filter((at) => !this.#away.has(at))
  }

  /** Settles when the agent says that it is ready. */
  ready(at) {
    const isReady = async () => (await this.call(at, 'GET', '/v1/agent/ready')).status === 200
    return this.#until(`${nameOf(at)} to be ready`, isReady)
  }

  async leaderAt() {
    return this.#servers.leader(this.present().length)
  }

  async #until(what, check, patienceMs = 180_000) {
    const deadlineMs = performance.now() + patienceMs
    while (performance.now() < deadlineMs) {
      if (await check()) return
      await pause(250)
    }
    throw new Error(`waited ${patienceMs / 1000} s in vain for ${what}`)
  }

  endAll() {
    return this.#servers.killAll()
  }
}
