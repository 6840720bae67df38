/**
 * What the HTTP face costs a request, against a handler that does nothing but answer: `node bench/http-face.mjs`, after
 * a build. Prints calls per second, and the ratio that a change is judged by. Reading and writing JSON counts on both sides.
 */
import { defaultAgentConfig } from '../dist/src/agent/settings/default-config.js'
import { writeJson } from '../dist/src/base/json.js'
import { createHttpFace } from '../dist/src/http/face.js'

const rounds = 5
const callsPerRound = 200_000

const value = [
  { LockIndex: 0, Key: 'app/name', Flags: 0, Value: 'aGVsbG8=', Session: undefined, CreateIndex: 12, ModifyIndex: 15 },
]
const meta = { index: 15, knownLeader: true, lastContactMs: 0 }
const answer = { kind: 'json', value, meta }
const routes = [
  { methods: ['GET', 'PUT', 'DELETE'], path: '/v1/kv/', handle: async () => answer },
  { methods: ['GET'], path: '/v1/status/leader', handle: async () => answer },
  { methods: ['GET'], path: '/v1/agent/self', handle: async () => answer },
]
let now = 0
const env = {
  clock: { monoMs: () => now++, wallMs: () => now },
  log: { enabled: () => false, write: () => {} },
  metrics: { count: () => {}, gauge: () => {}, sample: () => {} },
}
const agent = { env, release: { major: 1, minor: 4, patch: 0 } }
const face = createHttpFace({ agent, routes, config: defaultAgentConfig('bench', '127.0.0.1').http })

const bareHeaders = [
  ['Vary', 'Accept-Encoding'],
  ['X-Svc-Index', '15'],
  ['Content-Type', 'application/json'],
]
const bare = async () => ({ status: 200, headers: bareHeaders, body: writeJson((await routes[0].handle()).value) })

const headers = new Map([
  ['host', '127.0.0.1:8500'],
  ['user-agent', 'bench'],
  ['accept', '*/*'],
])
const request = (target) => ({
  method: 'GET',
  target,
  headers,
  body: new Uint8Array(0),
  remote: { host: '127.0.0.1', port: 1 },
  onAbort: () => {},
})

async function callsPerSecond(handler, target) {
  let best = 0
  for (let round = 0; round < rounds; round++) {
    const started = process.hrtime.bigint()
    for (let i = 0; i < callsPerRound; i++) await handler(request(target))
    best = Math.max(best, (callsPerRound * 1e9) / Number(process.hrtime.bigint() - started))
  }
  return best
}

const targets = {
  'plain key': '/v1/kv/app/name',
  'blocking read': '/v1/kv/app/name?index=15&wait=30s&consistent',
  'escaped key': '/v1/kv/app%2Fname%20%C3%BC',
}
const base = await callsPerSecond(bare, targets['plain key'])
console.log(`bare handler   ${Math.round(base)} calls/s`)
for (const [name, target] of Object.entries(targets)) {
  const speed = await callsPerSecond(face, target)
  const cost = (1e6 / speed - 1e6 / base).toFixed(2)
  console.log(`${name.padEnd(14)} ${Math.round(speed)} calls/s, ratio ${(speed / base).toFixed(2)}, ${cost} µs more`)
}
