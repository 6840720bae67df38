/**
 * Registrations per second that one agent takes over PUT /v1/agent/service/register, beside plain Fastify that parses the
 * same body and answers. After a build:
 *
 *     node bench/register.mjs [--rounds=3] [--seconds=2] [--warm=2] [--connections=16] [--no-disk] [--profile]
 *
 * The agent is a server that keeps its data on a disk: it writes each registration there, syncs it, and brings it into the
 * catalog. Each connection registers a hundred instances of its own in turn, each time with other metadata, so that no call
 * finds nothing to do. `--no-disk`: as -dev, nothing is kept beyond the process. Both run at once and are measured in
 * turn, a slice each, after `--warm` seconds. `--profile`: where the agent spends its time.
 */
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { closeConnections, Servers } from './agents.mjs'
import { cpuMs, endAll, pause, scratch, start, stop } from './children.mjs'
import { median, numberOption, options, printLoad } from './figures.mjs'

const rounds = numberOption('rounds', 3)
const sliceMs = numberOption('seconds', 2) * 1000
const connections = numberOption('connections', 16)
const warmMs = numberOption('warm', 2) * 1000
const own = 100
const path = '/v1/agent/service/register'

const fastifyProgram = `
import { fastify } from ${JSON.stringify(import.meta.resolve('fastify'))}
const app = fastify()
app.put('${path}', async (request, reply) => {
  if (typeof request.body.Name !== 'string') return reply.code(400).send('Missing service name')
  return reply.header('X-Svc-Default-Acl-Policy', 'allow').send('')
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
`

async function startFastify() {
  const program = join(scratch(), 'plain.mjs')
  writeFileSync(program, fastifyProgram)
  const child = start([program], { stdout: 'pipe' })
  const line = await new Promise((resolve) => child.stdout.setEncoding('utf8').once('data', resolve))
  return { child, host: '127.0.0.1', port: Number(/:(\d+)/.exec(line.replace('http:', ''))[1]) }
}

function bodyOf(connection, at) {
  return JSON.stringify({
    ID: `web-${connection}-${at % own}`,
    Name: `web-${connection}`,
    Tags: ['v1', 'primary'],
    Port: 8000 + (at % own),
    Meta: { version: '1.2.3', round: String(at) },
    Check: { Name: 'alive', TTL: '60s', Status: 'passing' },
  })
}

/** One connection that registers again and again. Ends when `load.over`. */
function register({ host, port }, connection, load) {
  return new Promise((resolve, reject) => {
    let at = 0
    let head = ''
    const socket = connect({ host, port, noDelay: true })
    const send = () => {
      const body = bodyOf(connection, at++)
      const lines = [`PUT ${path} HTTP/1.1`, 'Host: bench', 'Content-Type: application/json']
      socket.write(`${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', resolve)
    socket.setEncoding('latin1').on('data', (text) => {
      head += text
      if (!head.includes('\r\n\r\n')) return
      if (!head.startsWith('HTTP/1.1 200') || !/content-length: 0\r\n/i.test(head)) return reject(new Error(head))
      head = ''
      load.count++
      if (load.over) socket.end()
      else send()
    })
  })
}

async function slice(target) {
  const load = { over: false, count: 0 }
  const all = Array.from({ length: connections }, (_, at) => register(target, at, load))
  await pause(warmMs)
  const beganMs = performance.now()
  const [cpuBefore, before] = [cpuMs(target.child), load.count]
  await pause(sliceMs)
  const count = load.count - before
  const perSecond = (count * 1000) / (performance.now() - beganMs)
  const cpuUs = ((cpuMs(target.child) - cpuBefore) * 1000) / count
  load.over = true
  await Promise.all(all)
  return { perSecond, cpuUs }
}

const servers = await Servers.create(1, { log_level: 'err' })
try {
  printLoad()
  const noDisk = {
    args: ['-dev'],
    settings: { data_dir: undefined, server: undefined, bootstrap_expect: undefined, retry_join: undefined },
  }
  const nodeArgs = options.has('profile') ? ['--cpu-prof', `--cpu-prof-dir=${process.cwd()}`] : []
  const agent = {
    child: servers.start(0, { nodeArgs, ...(options.has('no-disk') ? noDisk : {}) }),
    host: servers.host(0),
    port: servers.port,
  }
  await servers.leader()
  const plain = await startFastify()
  const results = { plain: [], agent: [] }
  for (let round = 0; round < rounds; round++) {
    results.plain.push(await slice(plain))
    results.agent.push(await slice(agent))
  }
  const of = (who, what) => median(results[who].map((one) => one[what]))
  console.log('| | registrations/s | CPU µs each |')
  console.log('|---|---|---|')
  for (const [name, who] of [
    ['plain Fastify', 'plain'],
    ['one agent', 'agent'],
  ]) {
    console.log(`| ${name} | ${Math.round(of(who, 'perSecond'))} | ${Math.round(of(who, 'cpuUs'))} |`)
  }
  const rate = of('agent', 'perSecond') / of('plain', 'perSecond')
  console.log(
    `share ${Math.round(rate * 100)} %, of CPU ${Math.round((of('plain', 'cpuUs') / of('agent', 'cpuUs')) * 100)} %`,
  )
  printLoad('')
  if (options.has('profile')) await stop(agent.child, 'SIGINT')
} finally {
  closeConnections()
  endAll()
}
