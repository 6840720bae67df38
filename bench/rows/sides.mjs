/**
 * What a row compares: this build, another build where `--with=DIR` names one, and bare `node:http` as the floor of the runtime.
 * All run at once and are measured in turn, A B A B, so that a load from elsewhere meets all of them.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePorts, pause, scratch, start, svc } from '../children.mjs'
import { median, numberOption, options } from '../figures.mjs'
import { Wire } from './wire.mjs'

const host = '127.0.0.1'
export const rounds = numberOption('rounds', 3)

/** Answers what it is asked with a fixed body; `index=` in a target parks the request until the next PUT. */
const floorProgram = `
import { createServer } from 'node:http'
const parked = []
const headers = JSON.parse(process.argv[2])
const body = process.argv[3]
const answer = (response) => response.writeHead(200, headers).end(body)
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    if (request.url.includes('index=')) parked.push(response)
    else answer(response)
    return
  }
  let bytes = ''
  request.on('data', (more) => (bytes += more)).on('end', () => {
    answer(response)
    for (const each of parked.splice(0)) answer(each)
  })
})
server.listen(0, '${host}', 4096, () => console.log(server.address().port))
`

/** What a route of Fastify costs beside it: everything is answered with a fixed body. */
const fastifyProgram = `
import { fastify } from ${JSON.stringify(import.meta.resolve('fastify'))}
const headers = JSON.parse(process.argv[2])
const body = process.argv[3]
const named = Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : [])))
const app = fastify()
app.get('/*', (request, reply) => reply.headers(named).send(body))
await app.listen({ host: '${host}', port: 0 })
console.log(app.server.address().port)
`

/** A server of `node:http` that answers everything with these bytes. */
export function startFloor(body = 'true') {
  return startFixed('node:http', floorProgram, body)
}

export function startFastify(body) {
  return startFixed('Fastify', fastifyProgram, body)
}

async function startFixed(name, text, body) {
  const program = join(scratch(), 'floor.mjs')
  writeFileSync(program, text)
  const headers = [
    'Vary',
    'Accept-Encoding',
    'X-Svc-Index',
    '1',
    'X-Svc-Known-Leader',
    'true',
    'X-Svc-Last-Contact',
    '0',
  ]
  const all = [...headers, 'Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))]
  const child = start([program, JSON.stringify(all), body], { stdout: 'pipe' })
  const port = await new Promise((done) => child.stdout.setEncoding('utf8').once('data', (text) => done(Number(text))))
  return { name, child, at: { host, port } }
}

/** The builds to compare: this one, and what `--with` names. */
export function builds() {
  const other = options.get('with')
  return [
    { name: 'svc', program: svc },
    ...(other === undefined ? [] : [{ name: options.get('name') ?? 'other', program: resolve(other, 'bin/svc.js') }]),
  ]
}

/**
 * An agent of its own, up to its first successful write. Has `startedMs`, from the start of its process. `warmUp`: up to
 * the end of its warm-up, which other agents do not have.
 */
export async function startAgent({ name, program }, { settings = {}, dev = true, nodeArgs = [], warmUp = false } = {}) {
  const [http, server, gossip] = await freePorts(3)
  const folder = scratch()
  const file = join(folder, 'agent.json')
  const kept = dev ? {} : { server: true, bootstrap_expect: 1, data_dir: join(folder, 'data') }
  const ports = { http, server, serf_lan: gossip, serf_wan: -1, dns: -1 }
  // Another build may not know the key.
  const timing = program === svc ? { performance: { warm_up: warmUp } } : {}
  const log_level = warmUp ? 'debug' : 'err'
  writeFileSync(file, JSON.stringify({ ports, bind_addr: host, log_level, ...kept, ...timing, ...settings }))
  const args = [...nodeArgs, program, 'agent', ...(dev ? ['-dev'] : []), `-config-file=${file}`]
  const child = start(args, warmUp ? { stdout: 'pipe' } : {})
  const warm = warmUp ? untilSaid(child, 'warmed up with common requests') : undefined
  const beganMs = performance.now()
  const at = { host, port: http }
  await untilWritten(at)
  const startedMs = performance.now() - beganMs
  await warm
  return { name, child, at, startedMs }
}

function untilSaid(child, words) {
  return new Promise((resolve) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text
      if (said.includes(words)) resolve()
    })
  })
}

async function untilWritten(at) {
  for (let tries = 0; tries < 12_000; tries++) {
    try {
      const wire = await Wire.open(at)
      const { status } = await wire.ask('PUT', '/v1/kv/first', 'x')
      wire.close()
      if (status === 200) return
    } catch (cause) {
      if (cause.code !== 'ECONNREFUSED' && cause.code !== 'ECONNRESET') throw cause
    }
    await pause(5)
  }
  throw new Error('an agent did not take a write within a minute')
}

/** The tables that were printed, with the figures of each round. */
export const printed = []

/** One line for each side: `figures` are objects of numbers, one for each round; printed are medians. */
export function printTable(title, sides) {
  printed.push({ title, sides: sides.map(({ name, figures }) => ({ name, figures })) })
  const columns = Object.keys(sides[0].figures[0])
  console.log(`\n${title}\n\n| | ${columns.join(' | ')} |\n|---|${columns.map(() => '---|').join('')}`)
  for (const { name, figures } of sides) {
    const cells = columns.map((column) => shown(median(figures.map((round) => round[column] ?? Number.NaN))))
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
}

function shown(number) {
  return number >= 100 ? String(Math.round(number)) : String(Number(number.toPrecision(3)))
}
