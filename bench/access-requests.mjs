/**
 * What a request costs with access control beside the same request without. Two `-dev` agents run at once, one of them with
 * default policy deny and a token that has 100 policies of ten rules; they are asked in turn, in short slices, so that a load
 * from elsewhere meets both. After a build:
 *
 *     node bench/access-requests.mjs [--rounds=9] [--seconds=0.6] [--policies=100] [--connections=8]
 *
 * CPU is that of the agent's process, all threads, divided by the requests; `more` is the median of what the rounds gave.
 */
import { Agent, request } from 'node:http'
import { cpuMs, endAll, pause, startDevAgent, until } from './children.mjs'
import { median, numberOption, printLoad } from './figures.mjs'
import { teamRules } from './team-rules.mjs'

const rounds = numberOption('rounds', 9)
const sliceMs = numberOption('seconds', 0.6) * 1000
const policies = numberOption('policies', 100)
const connections = numberOption('connections', 8)
const warmMs = 300
const host = '127.0.0.1'
const master = 'b5d2a3d8-0000-4000-8000-000000000001'

function startAgent(name, port, more) {
  const ports = { http: port, server: port + 1, serf_lan: port + 2, serf_wan: -1, dns: -1 }
  const child = startDevAgent(name, { ports, bind_addr: host, ...more })
  return { name, port, child, token: '', agent: new Agent({ keepAlive: true, maxSockets: connections }) }
}

function ask({ port, token, agent }, method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token === '' ? {} : { 'X-Svc-Token': token }),
      'Content-Length': Buffer.byteLength(body ?? ''),
    }
    const sent = request({ host, port, method, path, agent, headers }, (response) => {
      const pieces = []
      response.on('data', (piece) => pieces.push(piece))
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString() }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function must(server, method, path, body) {
  const { status, text } = await ask(server, method, path, body)
  if (status !== 200) throw new Error(`${server.name}: ${method} ${path}: ${status} ${text}`)
  return text
}

/** Of team 0 all that is asked for here; the others are there to be looked through. */
function rulesOf(team) {
  const name = team === 0 ? 'bench' : `team-${team}`
  return teamRules({ keys: name, name, team })
}

async function fill(server) {
  await must(server, 'PUT', '/v1/kv/bench/key', 'x'.repeat(100))
  for (const [service, count] of [
    ['bench-ten', 10],
    ['bench-thousand', 1000],
  ]) {
    for (let at = 0; at < count; at++) {
      const body = {
        Node: `bench-${at}`,
        Address: `10.0.${at >> 8}.${at & 255}`,
        Service: { Service: service, Port: 8000 },
        Check: { CheckID: `alive-${service}`, Name: 'alive', Status: 'passing', ServiceID: service, Output: 'ok' },
      }
      await must(server, 'PUT', '/v1/catalog/register', JSON.stringify(body))
    }
  }
}

async function tokenOf(server) {
  const links = []
  for (let team = 0; team < policies; team++) {
    const policy = { Name: `team-${team}`, Rules: rulesOf(team) }
    const { ID } = JSON.parse(await must(server, 'PUT', '/v1/acl/policy', JSON.stringify(policy)))
    links.push({ ID })
  }
  const token = await must(server, 'PUT', '/v1/acl/token', JSON.stringify({ Policies: links }))
  return JSON.parse(token).SecretID
}

/** CPU that the process has used so far, user and system, all threads. */
/** Microseconds of CPU for one request. */
async function slice(server, [, method, path, body]) {
  let count = 0
  let over = false
  const client = async () => {
    for (; !over; count++) await must(server, method, path, body)
  }
  const clients = Array.from({ length: connections }, client)
  await pause(warmMs)
  const before = [count, cpuMs(server.child)]
  await pause(sliceMs)
  const after = [count, cpuMs(server.child)]
  over = true
  await Promise.all(clients)
  return ((after[1] - before[1]) * 1000) / (after[0] - before[0])
}

const requests = [
  ['a key', 'GET', '/v1/kv/bench/key'],
  ['a key, stale', 'GET', '/v1/kv/bench/key?stale'],
  ['health of 10', 'GET', '/v1/health/service/bench-ten?passing'],
  ['health of 1,000', 'GET', '/v1/health/service/bench-thousand?passing'],
  ['all nodes', 'GET', '/v1/catalog/nodes'],
  ['writing a key', 'PUT', '/v1/kv/bench/key', 'y'.repeat(100)],
]

try {
  printLoad(`, Node ${process.version}; ${policies} policies`)
  const access = { enabled: true, default_policy: 'deny', tokens: { master, agent: master } }
  const off = startAgent('off', 28_720)
  const on = { ...startAgent('on', 28_740, { primary_datacenter: 'dc1', acl: access }), token: master }
  for (const server of [off, on]) await until(async () => (await ask(server, 'PUT', '/v1/kv/bench/up')).status === 200)
  await until(async () => (await ask(on, 'GET', '/v1/acl/tokens')).status === 200)
  for (const server of [off, on]) await fill(server)
  on.token = await tokenOf(on)
  console.log('| request | off, CPU µs | on, CPU µs | more |')
  console.log('|---|---|---|---|')
  for (const one of requests) {
    const pairs = []
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? [off, on] : [on, off]
      const costs = new Map()
      for (const server of order) costs.set(server, await slice(server, one))
      pairs.push([costs.get(off), costs.get(on)])
    }
    const [without, within] = [0, 1].map((which) => median(pairs.map((pair) => pair[which])))
    const more = (median(pairs.map(([before, after]) => after / before - 1)) * 100).toFixed(0)
    console.log(`| ${one[0]} | ${without.toFixed(0)} | ${within.toFixed(0)} | ${more} % |`)
  }
  printLoad('')
} finally {
  endAll()
}
