/**
 * Writes of keys per second: one persistent server, three on loopback, and plain Fastify that reads the same bodies and
 * answers `true`; at 1 and 64 connections that each wait for their answer. Beside it how often the disk can sync, and what
 * a write costs the servers in CPU. After a build:
 *
 *     node bench/write-throughput.mjs [--dir=<where the data lies>] [--rounds=3] [--seconds=3] [--profile]
 *
 * `--profile`: prints where one server at 64 connections spends its time, instead.
 */
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { cpuMs, endAll, scratch, start, stop, svc } from './children.mjs'
import { median, numberOption, options } from './figures.mjs'

const rounds = numberOption('rounds', 3)
const measuredMs = numberOption('seconds', 3) * 1000
const warmMs = 2000
const connectionCounts = [1, 64]
const value = Buffer.alloc(100, 'v')
const httpPort = 18_500

const place = scratch(options.get('dir'))

const fastifyProgram = `
import { fastify } from ${JSON.stringify(import.meta.resolve('fastify'))}
const app = fastify()
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body))
app.put('/v1/kv/*', async (request, reply) => reply.type('application/json').send('true'))
app.get('/v1/status/leader', async () => 'plain')
await app.listen({ host: '127.0.0.1', port: ${httpPort} })
`

function startFastify() {
  const file = join(place, 'plain.mjs')
  writeFileSync(file, fastifyProgram)
  return [start([file])]
}

function startServers(count, nodeArgs = []) {
  const hosts = Array.from({ length: count }, (_, at) => `127.0.0.${at + 1}`)
  return hosts.map((host, at) => {
    const name = `${count}-${at}-${Date.now()}`
    const file = join(place, `${name}.json`)
    const ports = { http: httpPort, server: httpPort + 1, serf_lan: httpPort + 2, serf_wan: -1, dns: -1 }
    const config = {
      server: true,
      bootstrap_expect: count,
      node_name: name,
      data_dir: join(place, name),
      bind_addr: host,
      client_addr: host,
      ports,
      log_level: 'warn',
      performance: { raft_multiplier: 1 },
      retry_join: hosts,
      retry_interval: '200ms',
    }
    writeFileSync(file, JSON.stringify(config))
    return start([...nodeArgs, svc, 'agent', `-config-file=${file}`])
  })
}

/** The host of the leader's HTTP API, once there is one. */
async function leaderHost() {
  for (let tries = 0; tries < 600; tries++) {
    try {
      const response = await fetch(`http://127.0.0.1:${httpPort}/v1/status/leader`)
      const leader = await response.text()
      if (leader === 'plain') return '127.0.0.1'
      const host = /^"([\d.]+):/.exec(leader)?.[1]
      if (response.status === 200 && host !== undefined) return host
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('no leader within a minute')
}

/** One connection that writes one key after another. Ends when `load.over`. */
function writeKeys(host, connection, load) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: httpPort, noDelay: true })
    let sentMs = 0
    let n = 0
    const send = () => {
      const head = `PUT /v1/kv/bench/${connection}/${n++ % 100} HTTP/1.1\r\nHost: bench\r\nContent-Length: ${value.length}\r\n`
      sentMs = performance.now()
      socket.write(`${head}Content-Type: application/octet-stream\r\n\r\n${value}`)
    }
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', resolve)
    socket.on('data', (text) => {
      answer += text
      const end = answer.indexOf('\r\n\r\n')
      const length = /content-length: (\d+)/i.exec(answer)?.[1]
      if (end < 0 || length === undefined || answer.length < end + 4 + Number(length)) return
      if (!answer.startsWith('HTTP/1.1 200') || !answer.trimEnd().endsWith('true')) return reject(new Error(answer))
      answer = ''
      if (load.measuring) load.latenciesMs.push(performance.now() - sentMs)
      if (load.over) socket.end()
      else send()
    })
  })
}

/** CPU that these processes have used so far, user and system, all threads. */
function cpuOf(children) {
  return children.reduce((sum, child) => sum + cpuMs(child), 0)
}

async function measure(children, connections) {
  const host = await leaderHost()
  const load = { measuring: false, over: false, latenciesMs: [] }
  const writers = Array.from({ length: connections }, (_, at) => writeKeys(host, at, load))
  await new Promise((resolve) => setTimeout(resolve, warmMs))
  const beganMs = performance.now()
  const cpuBefore = cpuOf(children)
  load.measuring = true
  await new Promise((resolve) => setTimeout(resolve, measuredMs))
  load.measuring = false
  const tookMs = performance.now() - beganMs
  const cpu = cpuOf(children) - cpuBefore
  load.over = true
  await Promise.all(writers)
  const sorted = load.latenciesMs.sort((a, b) => a - b)
  const at = (share) => sorted[Math.floor(sorted.length * share)] ?? 0
  return {
    perSecond: (sorted.length * 1000) / tookMs,
    medianMs: at(0.5),
    p99Ms: at(0.99),
    cpuUs: (cpu * 1000) / sorted.length,
  }
}

/** Syncs per second of a file that grows by 300 bytes before each, as the log does. */
function syncRate() {
  const file = openSync(join(place, 'sync'), 'w')
  const bytes = Buffer.alloc(300, 1)
  const began = performance.now()
  let count = 0
  while (performance.now() - began < 1000) {
    writeSync(file, bytes, 0, bytes.length, count * bytes.length)
    fdatasyncSync(file)
    count++
  }
  closeSync(file)
  return (count * 1000) / (performance.now() - began)
}

const subjects = [
  ['plain Fastify', startFastify],
  ['one server', () => startServers(1)],
  ['three servers', () => startServers(3)],
]

async function compare() {
  const results = new Map()
  const syncs = []
  for (let round = 0; round < rounds; round++) {
    syncs.push({ rate: syncRate(), load: readFileSync('/proc/loadavg', 'utf8').split(' ')[0] })
    for (const [name, begin] of subjects) {
      const children = begin()
      for (const connections of connectionCounts) {
        const key = `${name}, ${connections}`
        results.set(key, [...(results.get(key) ?? []), await measure(children, connections)])
      }
      await Promise.all(children.map((child) => stop(child, 'SIGINT')))
    }
  }
  const shown = syncs.map(({ rate, load }) => `${Math.round(rate)} (load ${load})`).join(', ')
  console.log(`syncs per second of 300 bytes, and the load average then, by round: ${shown}\n`)
  console.log('| | connections | writes/s, median (least to most) | of Fastify | median ms | p99 ms | CPU µs a write |')
  console.log('|---|---|---|---|---|---|---|')
  for (const connections of connectionCounts) {
    const base = median(results.get(`plain Fastify, ${connections}`).map((one) => one.perSecond))
    for (const [name] of subjects) {
      const all = results.get(`${name}, ${connections}`)
      const of = (key, digits) => median(all.map((one) => one[key])).toFixed(digits)
      const rates = all.map((one) => Math.round(one.perSecond)).sort((a, b) => a - b)
      const share = `${Math.round((100 * Number(of('perSecond', 3))) / base)} %`
      const spread = `${of('perSecond', 0)} (${rates[0]} to ${rates.at(-1)})`
      const row = [name, connections, spread, share, of('medianMs', 2), of('p99Ms', 2), of('cpuUs', 0)]
      console.log(`| ${row.join(' | ')} |`)
    }
  }
}

/** Self time by function, most first. */
async function profile() {
  const children = startServers(1, ['--cpu-prof', `--cpu-prof-dir=${join(place, 'profile')}`])
  const measured = await measure(children, 64)
  await Promise.all(children.map((child) => stop(child, 'SIGINT')))
  const [file] = readdirSync(join(place, 'profile'))
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(place, 'profile', file), 'utf8'))
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const selfUs = new Map()
  let totalUs = 0
  for (const [i, id] of samples.entries()) {
    const { functionName, url, lineNumber } = byId.get(id)
    if (functionName === '(idle)') continue
    const where = url.replace(/^.*\/(dist\/|node_modules\/)/, '$1')
    const name = `${functionName || '(anonymous)'}${where === '' ? '' : ` ${where}:${lineNumber + 1}`}`
    selfUs.set(name, (selfUs.get(name) ?? 0) + timeDeltas[i])
    totalUs += timeDeltas[i]
  }
  console.log(`${Math.round(measured.perSecond)} writes/s under the profiler; share of the time that was not idle:\n`)
  for (const [name, us] of [...selfUs].sort((a, b) => b[1] - a[1]).slice(0, 25)) {
    console.log(`${((100 * us) / totalUs).toFixed(1).padStart(5)} %  ${name}`)
  }
}

try {
  await (options.has('profile') ? profile() : compare())
} finally {
  endAll()
}
