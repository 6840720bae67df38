/**
 * DNS questions per second of one agent beside a bare UDP echo of Node, which sends back what it gets: A and SRV of services
 * with 3 and with 50 instances, asked by Debian's dnsperf. After a build:
 *
 *     node bench/dns.mjs [--rounds=3] [--seconds=2] [--outstanding=100] [--only=<of a question's name>]
 *
 * Both servers run at once and are measured in turn, in short slices, so that a load from elsewhere meets both. CPU is that
 * of the server's process, all threads, from the first question of a slice to the last.
 */
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, closeConnections } from './agents.mjs'
import { cpuMs, endAll, pause, scratch, start, startDevAgent, stop, until } from './children.mjs'
import { median, numberOption, options, printLoad } from './figures.mjs'

const rounds = numberOption('rounds', 3)
const seconds = numberOption('seconds', 2)
const outstanding = numberOption('outstanding', 100)
const only = options.get('only') ?? ''
const nodeArgs = options.has('profile') ? ['--cpu-prof', `--cpu-prof-dir=${options.get('profile')}`] : []
const host = '127.0.0.1'
const ports = { http: 28_700, server: 28_701, serf: 28_702, svc: 28_710, echo: 28_711 }
const warmSeconds = 1

const place = scratch()

const questions = [
  ['A, 3 instances', 'three.service.svc A'],
  ['SRV, 3 instances', 'three.service.svc SRV'],
  ['A, 50 instances', 'fifty.service.svc A'],
  ['SRV, 50 instances', 'fifty.service.svc SRV'],
]

/** Says that it is an answer, and is otherwise the question: what the sockets of Node alone cost. */
const echoProgram = `
import { createSocket } from 'node:dgram'
const socket = createSocket('udp4')
socket.on('message', (bytes, from) => {
  bytes[2] |= 0x80
  socket.send(bytes, from.port, from.address)
})
socket.bind(${ports.echo}, '${host}')
`

function startEcho() {
  const program = join(place, 'echo.mjs')
  writeFileSync(program, echoProgram)
  return start([program])
}

function startAgent() {
  const closed = { serf_wan: -1, https: -1, grpc: -1 }
  const own = { http: ports.http, server: ports.server, serf_lan: ports.serf, dns: ports.svc }
  return startDevAgent('agent', { ports: { ...closed, ...own }, bind_addr: host }, nodeArgs)
}

async function register(service, at) {
  const body = {
    Node: `node-${at}`,
    Address: `10.0.0.${at + 1}`,
    Service: { Service: service, Tags: ['v1'], Port: 8000 + at },
    Check: { CheckID: `alive-${service}`, Name: 'alive', Status: 'passing', ServiceID: service },
  }
  const { status, text } = await ask(host, ports.http, 'PUT', '/v1/catalog/register', JSON.stringify(body))
  if (status !== 200) throw new Error(`not registered: ${status} ${text}`)
}

async function leads() {
  const { status, text } = await ask(host, ports.http, 'GET', '/v1/status/leader')
  return status === 200 && text !== '""'
}

/** One run of dnsperf against a port. */
function perf(port, question, forSeconds) {
  const file = join(place, 'questions')
  writeFileSync(file, `${question}\n`)
  const args = [
    '-s',
    host,
    '-p',
    String(port),
    '-d',
    file,
    '-l',
    String(forSeconds),
    '-q',
    String(outstanding),
    '-t',
    '2',
  ]
  const child = spawn('dnsperf', [...args, '-c', '4', '-T', '1'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => {
      const number = (label) => Number(new RegExp(`${label}:\\s+([\\d.]+)`).exec(out)?.[1])
      const [perSecond, completed, lost] = ['Queries per second', 'Queries completed', 'Queries lost'].map(number)
      if (!(completed > 0)) reject(new Error(`dnsperf had no answers\n${out}`))
      else if (!/NOERROR \d+ \(100\.00%\)/.test(out)) reject(new Error(`not every answer was one\n${out}`))
      else resolve({ perSecond, completed, lost, bytes: Number(/response (\d+)/.exec(out)?.[1]) })
    })
  })
}

async function slice(child, port, question) {
  await perf(port, question, warmSeconds)
  const before = cpuMs(child)
  const { perSecond, completed, lost, bytes } = await perf(port, question, seconds)
  return { perSecond, cpuUs: ((cpuMs(child) - before) * 1000) / completed, lost, bytes }
}

async function measure(children) {
  console.log('| question | bytes | echo/s | svc/s | share | echo CPU µs | svc CPU µs | share of CPU | lost |')
  console.log('|---|---|---|---|---|---|---|---|---|')
  for (const [name, question] of questions.filter(([name]) => name.includes(only))) {
    const results = { echo: [], svc: [] }
    for (let round = 0; round < rounds; round++) {
      for (const who of ['echo', 'svc']) results[who].push(await slice(children[who], ports[who], question))
    }
    const of = (who, what) => median(results[who].map((one) => one[what]))
    const percent = (part) => `${Math.round(part * 100)} %`
    const share = percent(of('svc', 'perSecond') / of('echo', 'perSecond'))
    const ofCpu = percent(of('echo', 'cpuUs') / of('svc', 'cpuUs'))
    const rates = `${Math.round(of('echo', 'perSecond'))} | ${Math.round(of('svc', 'perSecond'))} | ${share}`
    const cpus = `${of('echo', 'cpuUs').toFixed(1)} | ${of('svc', 'cpuUs').toFixed(1)} | ${ofCpu}`
    console.log(`| ${name} | ${of('svc', 'bytes')} | ${rates} | ${cpus} | ${of('svc', 'lost')} |`)
  }
}

if (spawnSync('dnsperf', ['-h']).error !== undefined) {
  console.error('the dnsperf command (Debian: dnsperf) is not there: nothing was measured')
  process.exit(1)
}

const children = { svc: startAgent(), echo: startEcho() }
try {
  printLoad()
  await until(leads)
  for (let at = 0; at < 3; at++) await register('three', at)
  for (let at = 0; at < 50; at++) await register('fifty', at)
  await measure(children)
  printLoad('')
} finally {
  closeConnections()
  // Its profile is written when it ends by itself.
  await Promise.race([stop(children.svc, 'SIGTERM'), pause(5000)])
  endAll()
}
