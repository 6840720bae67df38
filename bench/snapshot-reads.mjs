/**
 * A snapshot of many keys over HTTP, and what clients that read meanwhile wait: `node bench/snapshot-reads.mjs [keys]`, after a
 * build. One server; four clients, each asking for a key of the many every 5 ms (default reads), before the snapshot is saved,
 * while it is, and while it is restored. The longest read is told as the client saw it, and less the time for which the
 * agent's main thread and the client's were ready to run and others had the cores (Linux tells it in schedstat): on a machine
 * that others use the first says more of them. Beside it, what the agent's main thread works at one go (bench/loop-delay.mjs):
 * no read that has come waits for longer on its account.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { closeConnections, Servers } from './agents.mjs'
import { cpuMs, pause } from './children.mjs'
import { fill, keyOf } from './prepared-data.mjs'

const keys = Number(process.argv[2] ?? 500_000)
const readers = 4
const everyMs = 5

function waitedMs(pid) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6
}

const connections = new Agent({ keepAlive: true })

function asked(servers, method, path, body) {
  return new Promise((resolve, reject) => {
    const options = { host: servers.host(0), port: servers.port, method, path, agent: connections }
    const sent = request(options, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () => resolve({ status: answer.statusCode, body: Buffer.concat(parts) }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Reads at a steady rate until `work` is done. */
async function readingDuring(servers, child, work) {
  let over = false
  const reads = []
  const reader = async (first) => {
    for (let n = first; !over; n += 7_919) {
      const [startMs, agentMs, ownMs] = [performance.now(), waitedMs(child.pid), waitedMs(process.pid)]
      const { status } = await asked(servers, 'GET', `/v1/kv/${keyOf(n % keys)}`)
      const wallMs = performance.now() - startMs
      const othersMs = waitedMs(child.pid) - agentMs + (waitedMs(process.pid) - ownMs)
      if (status !== 200) throw new Error(`a read was answered with ${status}`)
      reads.push({ wallMs, ownMs: Math.max(0, wallMs - othersMs) })
      await pause(Math.max(0, everyMs - wallMs))
    }
  }
  const all = Array.from({ length: readers }, (_, first) => reader(first))
  child.kill('SIGUSR2')
  const before = { wallMs: performance.now(), cpuMs: cpuMs(child) }
  const result = await work()
  const [tookMs, usedMs] = [performance.now() - before.wallMs, cpuMs(child) - before.cpuMs]
  over = true
  await Promise.all(all)
  child.kill('SIGUSR2')
  await pause(1_000)
  const told = readFileSync(join(servers.home, 'delays'), 'utf8').trim().split('\n').at(-1)
  return { result, tookMs, usedMs, reads, steps: JSON.parse(told).cpu }
}

function show(name, { tookMs, usedMs, reads, steps }) {
  const of = (key) => {
    const sorted = reads.map((read) => read[key]).sort((a, b) => a - b)
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1)
    return `${at(0.5)}, ${at(0.99)}, ${at(0.999)}, **${at(1)}**`
  }
  const step = `${steps.p99.toFixed(1)}, ${steps.p999.toFixed(1)}, **${steps.max.toFixed(1)}**`
  const figures = [(tookMs / 1e3).toFixed(1), (usedMs / 1e3).toFixed(1), reads.length, of('wallMs'), of('ownMs'), step]
  console.log(`| ${name} | ${figures.join(' | ')} | ${loadavg()[0].toFixed(0)} |`)
}

const servers = await Servers.create(1)
try {
  servers.start(0)
  await servers.leader()
  await servers.kill(0)
  const valueFor = () => Buffer.from(randomBytes(75).toString('base64'))
  await fill({ dirs: [servers.dir(0)], keys, valueBytes: 100, snapshot: true, valueFor })
  const env = { SVC_LOOP_DELAY: join(servers.home, 'delays') }
  const child = servers.start(0, { nodeArgs: [`--import=${new URL('loop-delay.mjs', import.meta.url)}`], env })
  await servers.untilOk(0, `/v1/kv/${keyOf(keys - 1)}?consistent`, 100, 300_000)
  const times = 'median, 99 %, 99.9 %, longest'
  console.log(
    `| | s | CPU s of the agent | reads | ms as clients saw them: ${times} | the same less what others took | CPU ms of the agent's main thread at one go: 99 %, 99.9 %, longest | load |`,
  )
  console.log('|---|---|---|---|---|---|---|---|')
  show('nothing else', await readingDuring(servers, child, () => pause(10_000)))
  const saved = await readingDuring(servers, child, () => asked(servers, 'GET', '/v1/snapshot'))
  if (saved.result.status !== 200) throw new Error(`saving was answered with ${saved.result.status}`)
  show(`saving ${(saved.result.body.length / 2 ** 20).toFixed(1)} MiB`, saved)
  const restored = await readingDuring(servers, child, () => asked(servers, 'PUT', '/v1/snapshot', saved.result.body))
  if (restored.result.status !== 200) throw new Error(`restoring was answered with ${restored.result.status}`)
  show('restoring it', restored)
} finally {
  await servers.killAll()
  connections.destroy()
  closeConnections()
}
