/**
 * Reads per second of one agent beside plain Fastify that returns the same bytes and headers: a key, a service in the
 * catalog and in health with 10 and with 1,000 instances, default and stale. And how long it takes to release 5,000 watchers
 * of one service, beside plain Fastify that releases 5,000 parked replies of the same bytes. After a build:
 *
 *     node bench/reads.mjs [--rounds=3] [--seconds=2] [--connections=16] [--watchers=5000] [--only=<watchers, or of a read>]
 *
 * Both servers run at once and are measured in turn, in short slices, so that a load from elsewhere meets both. CPU is that
 * of the server's process, all threads.
 */
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { cpuMs, endAll, scratch, start, startDevAgent, until } from './children.mjs'
import { median, numberOption, options, printLoad } from './figures.mjs'

const rounds = numberOption('rounds', 3)
const sliceMs = numberOption('seconds', 2) * 1000
const connections = numberOption('connections', 16)
const watchers = numberOption('watchers', 5000)
const only = options.get('only') ?? ''
const warmMs = 700
/** Watchers of one address: an agent refuses the connections of a source that has more than 4,096. */
const perSource = 2500
const host = '127.0.0.1'
const ports = { svc: 28_600, fastify: 28_610 }

const place = scratch()

const targets = [
  ['key', '/v1/kv/bench/key'],
  ['catalog, 10', '/v1/catalog/service/ten'],
  ['health, 10', '/v1/health/service/ten?passing'],
  ['catalog, 1,000', '/v1/catalog/service/thousand'],
  ['health, 1,000', '/v1/health/service/thousand?passing'],
].flatMap(([name, target]) => [
  [`${name}, default`, target],
  [`${name}, stale`, `${target}${target.includes('?') ? '&' : '?'}stale`],
])
const watched = '/v1/health/service/ten?passing'

const fastifyProgram = `
import { readFileSync } from 'node:fs'
import { fastify } from ${JSON.stringify(import.meta.resolve('fastify'))}
const app = fastify()
const answers = new Map(JSON.parse(readFileSync(process.argv[2], 'utf8'))
  // Whichever is faster: text goes out in one piece with the head.
  .map(([target, { headers, body }]) => [target, { headers, body: body.length > 32_768 ? Buffer.from(body) : body }]))
const parked = []
app.get('/v1/*', (request, reply) => {
  const { headers, body } = answers.get(request.raw.url.replace(/&index.*/, ''))
  if (request.query.index === undefined) return reply.headers(headers).send(body)
  parked.push(() => reply.headers(headers).send(body))
})
app.put('/release', async () => {
  for (const release of parked.splice(0)) release()
  return 'true'
})
await app.listen({ host: '${host}', port: ${ports.fastify} })
`

function startFastify(answers) {
  const program = join(place, 'plain.mjs')
  const given = join(place, 'answers.json')
  writeFileSync(program, fastifyProgram)
  writeFileSync(given, JSON.stringify(answers))
  return start([program, given])
}

function startAgent() {
  const own = { http: ports.svc, server: ports.svc + 1, serf_lan: ports.svc + 2, serf_wan: -1, dns: -1 }
  return startDevAgent('agent', { ports: own, bind_addr: host })
}

async function put(port, target, body) {
  const response = await fetch(`http://${host}:${port}${target}`, { method: 'PUT', body })
  if (response.status !== 200) throw new Error(`${target}: ${response.status} ${await response.text()}`)
}

const register = (service, at, output) =>
  put(
    ports.svc,
    '/v1/catalog/register',
    JSON.stringify({
      Node: `node-${at}`,
      Address: `10.0.${at >> 8}.${at & 255}`,
      Service: { Service: service, Tags: ['v1', 'primary'], Port: 8000, Meta: { version: '1.2.3' } },
      Check: { CheckID: `alive-${service}`, Name: 'alive', Status: 'passing', ServiceID: service, Output: output },
    }),
  )

async function fill() {
  await put(ports.svc, '/v1/kv/bench/key', 'x'.repeat(100))
  for (let at = 0; at < 10; at++) await register('ten', at, 'HTTP GET http://10.0.0.1/: 200 OK')
  for (let at = 0; at < 1000; at++) await register('thousand', at, 'HTTP GET http://10.0.0.1/: 200 OK')
}

/** What the agent answers: headers but for those that the server sets by itself, and the body. */
async function answerOf(target) {
  const response = await fetch(`http://${host}:${ports.svc}${target}`, { headers: { 'accept-encoding': 'identity' } })
  const own = new Set(['connection', 'content-length', 'date', 'keep-alive'])
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.has(name)))
  return [target, { headers, body: await response.text() }]
}

/** CPU that the process has used so far, user and system, all threads. */
/** Calls `use` with each whole answer on the socket. */
function onAnswers(socket, use) {
  let head = Buffer.alloc(0)
  let left = 0
  socket.on('data', (piece) => {
    let at = 0
    while (at < piece.length) {
      if (left === 0) {
        head = Buffer.concat([head, piece.subarray(at)])
        at = piece.length
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        const text = head.subarray(0, end).toString('latin1')
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
        if (!text.startsWith('HTTP/1.1 200') || Number.isNaN(length)) throw new Error(text)
        const have = head.length - end - 4
        left = length - have
        head = Buffer.alloc(0)
        if (left === 0) use()
      } else {
        const taken = Math.min(left, piece.length - at)
        left -= taken
        at += taken
        if (left === 0) use()
      }
    }
  })
}

/** One connection that asks again and again. Ends when `load.over`. */
function read(port, target, load) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    const send = () => socket.write(`GET ${target} HTTP/1.1\r\nHost: bench\r\n\r\n`)
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', resolve)
    onAnswers(socket, () => {
      load.count++
      if (load.over) socket.end()
      else send()
    })
  })
}

async function slice(child, port, target) {
  const load = { over: false, count: 0 }
  const readers = Array.from({ length: connections }, () => read(port, target, load))
  await new Promise((resolve) => setTimeout(resolve, warmMs))
  const beganMs = performance.now()
  const cpuBefore = cpuMs(child)
  const before = load.count
  await new Promise((resolve) => setTimeout(resolve, sliceMs))
  const count = load.count - before
  const perSecond = (count * 1000) / (performance.now() - beganMs)
  const cpuUs = ((cpuMs(child) - cpuBefore) * 1000) / count
  load.over = true
  await Promise.all(readers)
  return { perSecond, cpuUs }
}

async function reads(children) {
  console.log('| read | Fastify/s | svc/s | share | Fastify CPU µs | svc CPU µs | share of CPU |')
  console.log('|---|---|---|---|---|---|---|')
  for (const [name, target] of targets.filter(([name]) => name.includes(only))) {
    const results = { fastify: [], svc: [] }
    for (let round = 0; round < rounds; round++) {
      for (const who of ['fastify', 'svc']) results[who].push(await slice(children[who], ports[who], target))
    }
    const of = (who, what) => median(results[who].map((one) => one[what]))
    const rate = of('svc', 'perSecond') / of('fastify', 'perSecond')
    const cpu = of('fastify', 'cpuUs') / of('svc', 'cpuUs')
    const rates = `${Math.round(of('fastify', 'perSecond'))} | ${Math.round(of('svc', 'perSecond'))}`
    const cpus = `${Math.round(of('fastify', 'cpuUs'))} | ${Math.round(of('svc', 'cpuUs'))}`
    console.log(`| ${name} | ${rates} | ${Math.round(rate * 100)} % | ${cpus} | ${Math.round(cpu * 100)} % |`)
  }
}

async function release(child, port, target, change) {
  let answered = 0
  const sockets = []
  const all = {}
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }))
  const ask = () => {
    const localAddress = `127.0.0.${2 + Math.floor(sockets.length / perSource)}`
    const socket = connect({ host, port, noDelay: true, localAddress })
    sockets.push(socket)
    socket.on('error', all.reject)
    onAnswers(socket, () => {
      answered++
      if (answered === watchers) all.resolve()
    })
    return new Promise((resolve) => {
      socket.on('connect', () => socket.write(`GET ${target} HTTP/1.1\r\nHost: bench\r\n\r\n`, resolve))
    })
  }
  // A few at a time: the system holds back no more than so many connections that were not accepted yet.
  while (sockets.length < watchers) await Promise.all(Array.from({ length: 100 }, ask))
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const beganMs = performance.now()
  const cpuBefore = cpuMs(child)
  if (answered > 0) throw new Error('answered before the change')
  await Promise.all([change(), all.promise])
  const tookMs = performance.now() - beganMs
  const cpu = cpuMs(child) - cpuBefore
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 500))
  return { tookMs, cpu }
}

async function releases(children) {
  const results = { fastify: [], svc: [] }
  for (let round = 0; round < rounds; round++) {
    const now = await fetch(`http://${host}:${ports.svc}${watched}`)
    const index = now.headers.get('x-svc-index')
    await now.text()
    const plain = () => put(ports.fastify, '/release')
    results.fastify.push(await release(children.fastify, ports.fastify, `${watched}&index=${index}`, plain))
    const change = () => register('ten', 1, `round ${round}`)
    results.svc.push(await release(children.svc, ports.svc, `${watched}&index=${index}&wait=5m`, change))
  }
  for (const who of ['fastify', 'svc']) {
    const [took, cpu] = ['tookMs', 'cpu'].map((what) => median(results[who].map((one) => one[what])))
    console.log(`${watchers} watchers, ${who}: ${Math.round(took)} ms, ${Math.round(cpu)} ms of CPU`)
  }
  const ratio = (what) =>
    (median(results.svc.map((one) => one[what])) / median(results.fastify.map((one) => one[what]))).toFixed(2)
  console.log(`ratio ${ratio('tookMs')}, of CPU ${ratio('cpu')}`)
}

try {
  printLoad()
  const children = { svc: startAgent() }
  await until(async () => (await (await fetch(`http://${host}:${ports.svc}/v1/status/leader`)).text()) !== '""')
  await fill()
  children.fastify = startFastify(await Promise.all([...targets.map(([, target]) => target), watched].map(answerOf)))
  await until(async () => (await fetch(`http://${host}:${ports.fastify}/v1/kv/bench/key`)).ok)
  if (only !== 'watchers') await reads(children)
  if (only === '' || only === 'watchers') await releases(children)
  printLoad('')
} finally {
  endAll()
}
