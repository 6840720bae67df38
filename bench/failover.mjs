/**
 * How long writes wait when the leader is killed: `node bench/failover.mjs [kills] [raft_multiplier …]`, after a build.
 * Three real servers on 127.0.0.1 to 127.0.0.3, each a process with a data directory of its own; 100 writes a second,
 * sent on time whatever becomes of those before, to the two that are not the leader; then `kill -9` of the leader.
 * Measured is the time from the kill to the first acknowledgement of a write that was sent after it. Prints it for each
 * kill, then median, p99 (of few kills: the worst) and how long any of the writes of two seconds around the kill waited.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const svc = fileURLToPath(new URL('../bin/svc.js', import.meta.url))
const [kills = 20, ...multipliers] = process.argv.slice(2).map(Number)
const writesEachMs = 10
const connections = new Agent({ keepAlive: true })

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function freePort() {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** The body of a 200; undefined for anything else. */
function ask(host, port, method, path, body) {
  return new Promise((resolve) => {
    const asked = request({ host, port, method, path, agent: connections }, (answer) => {
      let text = ''
      answer.on('data', (bytes) => {
        text += bytes
      })
      answer.on('end', () => resolve(answer.statusCode === 200 ? text : undefined))
      answer.on('error', () => resolve(undefined))
    })
    asked.on('error', () => resolve(undefined))
    asked.end(body)
  })
}

class Cluster {
  #home = mkdtempSync(join(tmpdir(), 'svc-failover-'))
  #processes = []
  #multiplier
  #ports

  constructor(multiplier, ports) {
    this.#multiplier = multiplier
    this.#ports = ports
  }

  host(at) {
    return `127.0.0.${at + 1}`
  }

  start(at) {
    const file = join(this.#home, `s${at + 1}.json`)
    const settings = {
      server: true,
      bootstrap_expect: 3,
      node_name: `s${at + 1}`,
      data_dir: join(this.#home, `s${at + 1}`),
      bind_addr: this.host(at),
      client_addr: this.host(at),
      ports: { ...this.#ports, dns: -1 },
      performance: { raft_multiplier: this.#multiplier },
      retry_join: ['127.0.0.1', '127.0.0.2', '127.0.0.3'],
      retry_interval: '200ms',
    }
    writeFileSync(file, JSON.stringify(settings))
    this.#processes[at] = spawn(process.execPath, [svc, 'agent', `-config-file=${file}`], { stdio: 'ignore' })
  }

  put(at, key, value) {
    return ask(this.host(at), this.#ports.http, 'PUT', `/v1/kv/${key}`, value)
  }

  /** The leader that all three know. */
  async leader() {
    const deadlineMs = performance.now() + 90_000
    while (performance.now() < deadlineMs) {
      const all = [0, 1, 2].map((at) => ask(this.host(at), this.#ports.http, 'GET', '/v1/status/leader'))
      const known = await Promise.all(all)
      const [first] = known
      if (first !== undefined && first !== '""' && known.every((leader) => leader === first)) {
        return Number(JSON.parse(first).split(':')[0].split('.')[3]) - 1
      }
      await pause(50)
    }
    throw new Error('no leader that all know within 90 s')
  }

  kill(at) {
    this.#processes[at].kill('SIGKILL')
  }

  close() {
    for (const each of this.#processes) each.kill('SIGKILL')
    rmSync(this.#home, { recursive: true, force: true })
  }
}

/** Writes at a steady pace, at two servers in turn; each write knows when it was sent and acknowledged. */
class Load {
  writes = []
  #timer

  constructor(cluster, hosts, round) {
    let n = 0
    this.#timer = setInterval(() => {
      const write = { sentMs: performance.now(), ackedMs: undefined }
      this.writes.push(write)
      const at = hosts[n % hosts.length]
      void cluster.put(at, `k/${round}/${n++}`, 'some value').then((text) => {
        if (text === 'true') write.ackedMs = performance.now()
      })
    }, writesEachMs)
  }

  stop() {
    clearInterval(this.#timer)
  }
}

/** Milliseconds from the kill to the first acknowledgement of a write sent after it, and the longest wait of any write. */
async function killOnce(cluster, round) {
  const leader = await cluster.leader()
  const hosts = [0, 1, 2].filter((at) => at !== leader)
  const load = new Load(cluster, hosts, round)
  await pause(1000 + Math.random() * 200)
  const killedMs = performance.now()
  cluster.kill(leader)
  const firstAck = () => {
    const acks = load.writes.filter(({ sentMs, ackedMs }) => sentMs > killedMs && ackedMs !== undefined)
    return acks.length === 0 ? undefined : Math.min(...acks.map(({ ackedMs }) => ackedMs))
  }
  const deadlineMs = killedMs + 60_000
  while (firstAck() === undefined && performance.now() < deadlineMs) await pause(5)
  const ackMs = firstAck()
  await pause(1000)
  load.stop()
  await pause(500)
  cluster.start(leader)
  const waits = load.writes.map(({ sentMs, ackedMs }) => (ackedMs ?? Number.POSITIVE_INFINITY) - sentMs)
  const failed = waits.filter((wait) => wait === Number.POSITIVE_INFINITY).length
  const longest = Math.max(...waits.filter((wait) => wait !== Number.POSITIVE_INFINITY))
  await pause(1000)
  return { firstMs: (ackMs ?? Number.POSITIVE_INFINITY) - killedMs, longest, failed, sent: waits.length }
}

function quantile(sorted, share) {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}

console.log(`${kills} kills each; node ${process.version}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}`)
for (const multiplier of multipliers.length > 0 ? multipliers : [1, 5]) {
  const ports = { http: await freePort(), server: await freePort(), serf_lan: await freePort(), serf_wan: -1 }
  const cluster = new Cluster(multiplier, ports)
  try {
    for (const at of [0, 1, 2]) cluster.start(at)
    const outcomes = []
    for (let round = 0; round < kills; round++) {
      const outcome = await killOnce(cluster, round)
      outcomes.push(outcome)
      const { firstMs, longest, failed, sent } = outcome
      console.log(
        `  raft_multiplier ${multiplier}, kill ${round + 1}: ${firstMs.toFixed(0)} ms; longest wait of a write ${longest.toFixed(0)} ms; ${failed} of ${sent} not acknowledged`,
      )
    }
    const sorted = outcomes.map(({ firstMs }) => firstMs).sort((a, b) => a - b)
    const lost = outcomes.reduce((sum, { failed }) => sum + failed, 0)
    const figure = (share) => quantile(sorted, share).toFixed(0)
    console.log(
      `raft_multiplier ${multiplier}: median ${figure(0.5)} ms, p99 ${figure(0.99)} ms, least ${figure(0)} ms, load ${loadavg()[0].toFixed(1)}; ${lost} writes not acknowledged`,
    )
  } finally {
    cluster.close()
  }
}
connections.destroy()
process.exit(0)
