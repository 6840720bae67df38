/**
 * Reads and writes of keys over 1, 16 and 64 connections (`get`, `put`), and a load of keys by transactions of 64 (`load`):
 * rate, CPU of each, latencies, beside bare `node:http`, and reads beside a route of Fastify. `put` and `load` keep the data
 * on disk, unless `--no-disk`.
 */
import { cpuMs } from '../children.mjs'
import { numberOption, options } from '../figures.mjs'
import { builds, printTable, rounds, startAgent, startFastify, startFloor } from './sides.mjs'
import { askAll, quantile, wires } from './wire.mjs'

const warm = numberOption('warm', 3000)
const count = numberOption('count', 6000)
const value = 'x'.repeat(100)

async function asked({ at, child }, connections, request) {
  const all = await wires(at, connections)
  await askAll(all, Math.ceil(warm / connections), request)
  const [beganMs, cpuBefore] = [performance.now(), cpuMs(child)]
  const tookMs = await askAll(all, Math.ceil(count / connections), request)
  const perSecond = (tookMs.length * 1000) / (performance.now() - beganMs)
  const cpuUs = ((cpuMs(child) - cpuBefore) * 1000) / tookMs.length
  for (const wire of all) wire.close()
  return { 'per s': perSecond, 'CPU µs': cpuUs, 'p50 ms': quantile(tookMs, 0.5), 'p99 ms': quantile(tookMs, 0.99) }
}

async function rows(title, request, { dev, connections, body, besides = [startFloor] }) {
  const agents = builds().map((build) => startAgent(build, { dev }))
  const sides = await Promise.all([...agents, ...besides.map((beside) => beside(body))])
  for (const each of connections) {
    for (const side of sides) side.figures = []
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) side.figures.push(await asked(side, each, request))
    }
    printTable(`${title}, ${each} connections`, sides)
  }
}

const several = [1, 16, 64]

export async function get() {
  const body = '[{"LockIndex":0,"Key":"first","Flags":0,"Value":"eA==","CreateIndex":9,"ModifyIndex":9}]'
  await rows('KV get', () => ['GET', '/v1/kv/first'], {
    dev: true,
    connections: several,
    body,
    besides: [startFloor, startFastify],
  })
}

export async function put() {
  const request = (connection, at) => ['PUT', `/v1/kv/bench/${connection}/${at % 100}`, value]
  await rows('KV put, one server', request, { dev: options.has('no-disk'), connections: several })
}

export async function load() {
  const text = Buffer.from(value).toString('base64')
  const keys = (connection, at) =>
    Array.from({ length: 64 }, (_, each) => ({
      KV: { Verb: 'set', Key: `load/${connection}/${at}/${each}`, Value: text },
    }))
  const request = (connection, at) => ['PUT', '/v1/txn', JSON.stringify(keys(connection, at))]
  await rows('64 keys in a transaction', request, { dev: options.has('no-disk'), connections: [8] })
}
