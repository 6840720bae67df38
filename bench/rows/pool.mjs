/**
 * Many real agents on one machine: three servers, the rest clients, each a process with a data directory of its own.
 * Services with TTL checks are registered at the clients and kept alive there, while further ones come and go and reads
 * wait for them: what that costs the leader and each agent, and how late the catalog is.
 */
import { readFileSync } from 'node:fs'
import { closeConnections, Servers } from '../agents.mjs'
import { cpuMs, freePorts, pause } from '../children.mjs'
import { median, numberOption } from '../figures.mjs'
import { quantile, Wire } from './wire.mjs'

const agents = numberOption('agents', 200)
const services = numberOption('services', 20_000)
const steadyS = numberOption('seconds', 60)
const servers = 3
const clients = agents - servers
/** A check is told to pass this often; half of its time to live. */
const passEveryMs = 30_000
/** Pause between two registrations of services that come and go. */
const changeEveryMs = 200
const watched = 20

const each = Math.ceil(services / clients)
const nameOf = (client, number) => `service-${(client * each + number) % 1000}`

/** Starts all agents, some at a time. Returns the seconds until every one of them knew all. */
async function begin(cluster) {
  const beganMs = performance.now()
  const join = [0, 1, 2].map((at) => cluster.host(at))
  for (let at = 0; at < agents; at++) {
    const kind = at < servers ? {} : { server: false, bootstrap_expect: undefined }
    cluster.start(at, { settings: { ...kind, retry_join: join, log_level: 'err' } })
    if (at % 8 === 7) await cluster.untilOk(at, '/v1/status/leader', 50)
  }
  for (let at = 0; at < agents; at++) {
    while (true) {
      const members = JSON.parse(await cluster.untilOk(at, '/v1/agent/members', 50))
      if (members.filter(({ Status }) => Status === 1).length === agents) break
      await pause(100)
    }
  }
  return (performance.now() - beganMs) / 1000
}

function registration(client, number) {
  const id = `${client}-${number}`
  return JSON.stringify({
    ID: id,
    Name: nameOf(client, number),
    Port: 8000 + number,
    Check: { TTL: '60s', Status: 'passing' },
  })
}

async function must(wire, ...request) {
  const answer = await wire.ask(...request)
  if (answer.status !== 200) throw new Error(`${request.slice(0, 2).join(' ')}: ${answer.status} ${answer.body}`)
  return answer
}

/** Registers all services. Returns the seconds until the catalog of the leader had them. */
async function registerAll(cluster, leader, wires) {
  const beganMs = performance.now()
  await Promise.all(
    wires.map(async (wire, client) => {
      for (let number = 0; number < each; number++)
        await must(wire, 'PUT', '/v1/agent/service/register', registration(client, number))
    }),
  )
  const last = async (client) =>
    Object.keys(JSON.parse(await cluster.untilOk(leader, `/v1/catalog/node/s${client + servers + 1}`))?.Services ?? {})
      .length
  for (let client = 0; client < clients; client++) while ((await last(client)) < each) await pause(50)
  return (performance.now() - beganMs) / 1000
}

/** Until `isOver`: every check passes again and again, spread evenly over its interval. */
async function keepAlive(wires, isOver) {
  await Promise.all(
    wires.map(async (wire, client) => {
      await pause((client / clients) * (passEveryMs / each))
      for (let number = 0; !isOver(); number = (number + 1) % each) {
        await must(wire, 'PUT', `/v1/agent/check/pass/service:${client}-${number}`)
        await pause(passEveryMs / each)
      }
    }),
  )
}

/** Until `isOver`: a service comes at one agent and goes at its next turn. Adds to `lagsMs` when the leader had it. */
async function change(cluster, leader, isOver, lagsMs) {
  const atLeader = await Wire.open({ host: cluster.host(leader), port: cluster.port })
  for (let nth = 0; !isOver(); nth++) {
    const at = servers + ((nth * 37) % clients)
    const wire = await Wire.open({ host: cluster.host(at), port: cluster.port })
    const name = `guest-${nth}`
    await must(wire, 'PUT', '/v1/agent/service/register', JSON.stringify({ Name: name, Port: 9000 }))
    const beganMs = performance.now()
    while ((await must(atLeader, 'GET', `/v1/catalog/service/${name}`)).body.length < 10) await pause(1)
    lagsMs.push(performance.now() - beganMs)
    await must(wire, 'PUT', `/v1/agent/service/deregister/${name}`)
    wire.close()
    await pause(changeEveryMs)
  }
  atLeader.close()
}

/** Until `isOver`: reads wait at clients for services to change. Returns how many were answered. */
async function watch(cluster, isOver) {
  let answers = 0
  await Promise.all(
    Array.from({ length: watched }, async (_, number) => {
      let index = 0
      const at = servers + ((number * 7) % clients)
      while (!isOver()) {
        const path = `/v1/health/service/service-${number}?index=${index}&wait=5s`
        const { headers } = await cluster.ask(at, 'GET', path)
        index = Number(headers['x-svc-index'] ?? 0)
        answers++
      }
    }),
  )
  return answers
}

function residentMb({ pid }) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kb = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  return { rss: kb('Rss') / 1024, pss: kb('Pss') / 1024 }
}

function printShares(processes, leader, cpuBefore, tookMs) {
  const share = processes.map((child, at) => (100 * (cpuMs(child) - cpuBefore[at])) / tookMs)
  const memory = processes.map(residentMb)
  const groups = [
    ['leader', [leader]],
    ['other servers', [0, 1, 2].filter((at) => at !== leader)],
    ['clients', Array.from({ length: clients }, (_, client) => servers + client)],
  ]
  console.log('\n| agents | CPU of one core, median | most | memory, median | most |\n|---|---|---|---|---|')
  for (const [name, at] of groups) {
    const [cpu, rss] = [at.map((one) => share[one]), at.map((one) => memory[one].rss)]
    const cells = [median(cpu), Math.max(...cpu)].map((number) => `${number.toFixed(2)} %`)
    const megabytes = [median(rss), Math.max(...rss)].map((number) => `${number.toFixed(0)} MB`)
    console.log(`| ${name} | ${[...cells, ...megabytes].join(' | ')} |`)
  }
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0)
  console.log(
    `\nall agents: ${sum(share).toFixed(0)} % of one core, ${(sum(memory.map(({ pss }) => pss)) / 1024).toFixed(1)} GB`,
  )
}

/** `work` goes on meanwhile, and its failure ends the measurement. */
async function measure(cluster, leader, lagsMs, work) {
  const processes = Array.from({ length: agents }, (_, at) => cluster.process(at))
  await Promise.race([pause(5_000), work])
  const [beganMs, cpuBefore, first, own] = [performance.now(), processes.map(cpuMs), lagsMs.length, process.cpuUsage()]
  await Promise.race([pause(steadyS * 1000), work])
  const tookMs = performance.now() - beganMs
  const { user, system } = process.cpuUsage(own)
  printShares(processes, leader, cpuBefore, tookMs)
  console.log(`the work itself: ${((user + system) / tookMs / 10).toFixed(0)} % of one core`)
  const lags = lagsMs.slice(first)
  const [middle, late] = [0.5, 0.99].map((part) => quantile(lags, part).toFixed(1))
  console.log(
    `until the catalog has a service, after the answer: median ${middle} ms, p99 ${late} ms, of ${lags.length}`,
  )
}

export async function pool() {
  const [http, server, gossip] = await freePorts(3)
  const ports = { http, server, serf_lan: gossip, serf_wan: -1, dns: -1 }
  const settings = { performance: { raft_multiplier: 5 } }
  const cluster = new Servers(servers, ports, settings, `127.${64 + (process.pid % 128)}.9`)
  console.log(`${servers} servers and ${clients} clients, ${each} services at each client`)
  console.log(`all know all: ${(await begin(cluster)).toFixed(1)} s`)
  const leader = await cluster.leader(agents)
  const open = (client) => Wire.open({ host: cluster.host(servers + client), port: cluster.port })
  const wires = await Promise.all(Array.from({ length: clients }, (_, client) => open(client)))
  console.log(`the catalog has every service: ${(await registerAll(cluster, leader, wires)).toFixed(1)} s`)
  let over = false
  const isOver = () => over
  const lagsMs = []
  const work = [keepAlive(wires, isOver), change(cluster, leader, isOver, lagsMs), watch(cluster, isOver)]
  const all = Promise.all(work)
  await measure(cluster, leader, lagsMs, all)
  over = true
  const answers = (await all)[2]
  console.log(`reads that waited were answered ${answers} times`)
  for (const wire of wires) wire.close()
  await cluster.killAll()
  closeConnections()
}
