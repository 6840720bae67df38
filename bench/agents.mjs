/** Real agents for benchmarks: processes on loopback addresses, each with a data directory of its own. */
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { freePorts, pause, scratch, start, stop, svc } from './children.mjs'

const connections = new Agent({ keepAlive: true })

/** Status, headers and body of the answer; status 0 when there was none, or none within `timeoutMs`. */
export function ask(host, port, method, path, body, { headers = {}, timeoutMs } = {}) {
  return new Promise((resolve) => {
    const lost = (cause) => resolve({ status: 0, text: `${cause?.code ?? cause?.name}`, headers: {} })
    const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
    const asked = request({ host, port, method, path, headers, signal, agent: connections }, (answer) => {
      let text = ''
      answer.on('data', (bytes) => {
        text += bytes
      })
      answer.on('end', () => resolve({ status: answer.statusCode, text, headers: answer.headers }))
      answer.on('error', lost)
    })
    asked.on('error', lost)
    asked.end(body)
  })
}

/** Servers on `<network>.1` and up, that are started and killed one by one. Number 0 is the first. */
export class Servers {
  home = scratch()
  #count
  #ports
  #settings
  #network
  #running = new Map()

  /** `settings`: of the configuration file, beside those that make a cluster of them. */
  static async create(count, settings = {}) {
    const [http, server, gossip] = await freePorts(3)
    return new Servers(count, { http, server, serf_lan: gossip, serf_wan: -1, dns: -1 }, settings)
  }

  /** `network`: the first three bytes of the addresses, all of which belong to this machine. */
  constructor(count, ports, settings, network = '127.0.0') {
    this.#count = count
    this.#ports = ports
    this.#settings = settings
    this.#network = network
  }

  host(at) {
    return `${this.#network}.${at + 1}`
  }

  dir(at) {
    return join(this.home, `s${at + 1}`)
  }

  get port() {
    return this.#ports.http
  }

  /** Writes the configuration of a server, with more settings. Returns the path of the file. */
  configure(at, settings = {}) {
    const all = Array.from({ length: this.#count }, (_, i) => this.host(i))
    const file = join(this.home, `s${at + 1}.json`)
    const config = {
      server: true,
      bootstrap_expect: this.#count,
      node_name: `s${at + 1}`,
      data_dir: this.dir(at),
      bind_addr: this.host(at),
      client_addr: this.host(at),
      ports: this.#ports,
      log_level: 'info',
      performance: { raft_multiplier: 1 },
      retry_join: all,
      retry_interval: '200ms',
      ...this.#settings,
      ...settings,
    }
    writeFileSync(file, JSON.stringify(config))
    return file
  }

  /** Starts a server, with more settings, with arguments of its own and for Node. Its process has `startedMs`, by `performance.now()`. */
  start(at, { settings = {}, nodeArgs = [], args = [], env = {} } = {}) {
    const file = this.configure(at, settings)
    const child = start([...nodeArgs, svc, 'agent', `-config-file=${file}`, ...args], { stdout: 'pipe', env })
    child.startedMs = performance.now()
    child.lines = []
    child.stdout.setEncoding('utf8').on('data', (text) => child.lines.push({ atMs: performance.now(), text }))
    this.#running.set(at, child)
    child.on('close', () => {
      if (this.#running.get(at) === child) this.#running.delete(at)
    })
    return child
  }

  ask(at, method, path, body, options) {
    return ask(this.host(at), this.#ports.http, method, path, body, options)
  }

  /** The answer, as soon as it is a 200. */
  async untilOk(at, path, everyMs = 4, patienceMs = 60_000) {
    const deadlineMs = performance.now() + patienceMs
    while (performance.now() < deadlineMs) {
      const answer = await this.ask(at, 'GET', path)
      if (answer.status === 200) return answer.text
      await pause(everyMs)
    }
    throw new Error(`${path} was not answered within ${patienceMs / 1e3} s`)
  }

  /** The number of the leader, once `count` servers know the same one. */
  async leader(count = this.#count) {
    const deadlineMs = performance.now() + 60_000
    while (performance.now() < deadlineMs) {
      const all = [...this.#running.keys()].map((at) => this.ask(at, 'GET', '/v1/status/leader'))
      const known = (await Promise.all(all)).map(({ text }) => /^"127\.\d+\.\d+\.(\d+):/.exec(text)?.[1])
      const [first] = known
      if (first !== undefined && known.length >= count && known.every((one) => one === first)) return Number(first) - 1
      await pause(20)
    }
    throw new Error('no leader within a minute')
  }

  /** The process of a server that runs. */
  process(at) {
    return this.#running.get(at)
  }

  /** Ends it at once: what it has acknowledged is on its disk. */
  kill(at) {
    const child = this.#running.get(at)
    return child === undefined ? Promise.resolve() : stop(child)
  }

  /** The process stands still, as on a host that is lost: no connection is reset, and nothing is answered. */
  freeze(at) {
    this.#running.get(at)?.kill('SIGSTOP')
  }

  async killAll() {
    await Promise.all([...this.#running.keys()].map((at) => this.kill(at)))
  }
}

/** Lets the process end although connections are kept. */
export function closeConnections() {
  connections.destroy()
}
