/**
 * Writes of keys to the leader of three servers with their data on disk, beside etcd where it is installed: over 1 and 64
 * connections that each wait for their answer, and 100 a second over one.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMs, freePorts, pause, scratch, start, until } from '../children.mjs'
import { numberOption, options } from '../figures.mjs'
import { startEtcd } from './etcd.mjs'
import { builds, printTable, rounds } from './sides.mjs'
import { askAll, quantile, Wire, wires } from './wire.mjs'

const warm = numberOption('warm', 3000)
const count = numberOption('count', 6000)
const steadySeconds = numberOption('steady', 10)
const value = 'x'.repeat(100)
const multiplier = numberOption('multiplier', 5)

async function startServers({ name, program }) {
  const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
  const [http, server, gossip] = await freePorts(3)
  const children = hosts.map((host, at) => {
    const folder = scratch(options.get('dir'))
    const file = join(folder, 'agent.json')
    const config = {
      server: true,
      bootstrap_expect: hosts.length,
      node_name: `s${at}`,
      data_dir: join(folder, 'data'),
      bind_addr: host,
      client_addr: host,
      ports: { http, server, serf_lan: gossip, serf_wan: -1, dns: -1 },
      log_level: 'err',
      performance: { raft_multiplier: multiplier },
      retry_join: hosts,
      retry_interval: '200ms',
    }
    writeFileSync(file, JSON.stringify(config))
    return start([program, 'agent', `-config-file=${file}`])
  })
  const places = hosts.map((host) => ({ host, port: http }))
  return { name: `${name}, 3 servers`, children, places, isLeader, put }
}

async function isLeader({ host, port }) {
  const wire = await Wire.open({ host, port })
  const { status, body } = await wire.ask('GET', '/v1/status/leader')
  wire.close()
  return status === 200 && body.startsWith(`"${host}:`)
}

const put = (connection, at, text) => ['PUT', `/v1/kv/bench/${connection}/${at % 100}`, text]

async function leaderOf({ places, isLeader }) {
  let found
  await until(async () => {
    for (const at of places) if (await isLeader(at)) found = at
    return found !== undefined
  })
  return found
}

const cpuOf = ({ children }) => children.reduce((sum, child) => sum + cpuMs(child), 0)

async function written(side, connections) {
  const all = await wires(side.leader, connections)
  const request = (connection, at) => side.put(connection, at, value)
  await askAll(all, Math.ceil(warm / connections), request)
  const [beganMs, cpuBefore] = [performance.now(), cpuOf(side)]
  const tookMs = await askAll(all, Math.ceil(count / connections), request)
  const perSecond = (tookMs.length * 1000) / (performance.now() - beganMs)
  const cpuUs = ((cpuOf(side) - cpuBefore) * 1000) / tookMs.length
  for (const wire of all) wire.close()
  return {
    'per s': perSecond,
    'CPU µs of all': cpuUs,
    'p50 ms': quantile(tookMs, 0.5),
    'p99 ms': quantile(tookMs, 0.99),
  }
}

/** For writes that are due before those before them are answered. */
const spareConnections = 128

/** 100 writes a second, sent when they are due. */
async function steadily(side) {
  const all = await wires(side.leader, spareConnections)
  const idle = [...all]
  const tookMs = []
  const answers = []
  const beganMs = performance.now()
  for (let at = 0; at < steadySeconds * 100; at++) {
    await pause(Math.max(0, beganMs + at * 10 - performance.now()))
    const wire = idle.pop()
    if (wire === undefined) throw new Error(`${spareConnections} writes are open: none was answered for a second`)
    const sentMs = performance.now()
    answers.push(
      wire.ask(...side.put(0, at, value)).then(({ status, body }) => {
        if (status >= 300) throw new Error(`${status} ${body}`)
        tookMs.push(performance.now() - sentMs)
        idle.push(wire)
      }),
    )
  }
  await Promise.all(answers)
  for (const wire of all) wire.close()
  return { 'p50 ms': quantile(tookMs, 0.5), 'p99 ms': quantile(tookMs, 0.99) }
}

export async function three() {
  const started = [...(await Promise.all(builds().map(startServers))), await startEtcd(3)]
  const sides = started.filter((side) => side !== undefined)
  for (const side of sides) side.leader = await leaderOf(side)
  const measure = async (title, one) => {
    for (const side of sides) side.figures = []
    for (let round = 0; round < rounds; round++) for (const side of sides) side.figures.push(await one(side))
    printTable(title, sides)
  }
  await measure('KV put, 1 connection', (side) => written(side, 1))
  await measure('KV put, 64 connections', (side) => written(side, 64))
  await measure('KV put, 100 a second', steadily)
}
