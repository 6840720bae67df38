/**
 * Leaves of the mesh's authority: signed in a process as Node's environment does it and as the simulator does it, and by a
 * server over HTTP. After a build:
 *
 *     node bench/mesh.mjs [--rounds=3] [--seconds=5] [--no-server]
 *
 * `sign` is the signature alone, of as many bytes as a leaf has: what everything else is a ratio of. `leaf`: a certificate
 * written and signed. `whole`: a key made, a request written, signed, read and verified, and the leaf signed. All kinds take
 * turns, so that each is measured under the same load; CPU counts, not the wall. The server keeps its data on a disk; each
 * leaf is for another service, so that no agent has it already.
 */
import { createPlatform } from '../dist/sim/platform/platform.js'
import { rsaPool } from '../dist/sim/platform/pure/rsa-pool.js'
import { Simulation } from '../dist/sim/simulation/simulation.js'
import { hostCrypto } from '../dist/src/host/crypto.js'
import { readCertificate } from '../dist/src/pki/certificate.js'
import { signLeaf, signRoot } from '../dist/src/pki/mesh-certificates.js'
import { makeRequest, readRequest } from '../dist/src/pki/request.js'
import { Servers } from './agents.mjs'
import { cpuMs } from './children.mjs'
import { numberOption, options, printLoad } from './figures.mjs'

const rounds = numberOption('rounds', 3)
const serverMs = numberOption('seconds', 5) * 1000
const kinds = ['ec-256', 'ec-384', 'ec-521', 'rsa-2048', 'rsa-4096']
const connections = 16
const uri = 'spiffe://11111111-2222-3333-4444-555555555555.svc'
const service = `${uri}/ns/default/dc/dc1/svc/web`
const term = { serial: 7n, notBeforeMs: 1_780_000_000_000, notAfterMs: 1_790_000_000_000 }

/** What makes leaves below a root of that kind, with an Env's keys. */
async function maker(crypto, kind) {
  const key = kind.startsWith('rsa') ? crypto.readSigningKey(rsaPool[kind][0]) : await crypto.generateKey(kind)
  const root = readCertificate(signRoot(crypto, key, { ...term, commonName: 'Svc CA 7', uri })).value
  const issuer = { key, certificate: root }
  const leafKey = await crypto.generateKey('ec-256')
  const leafOf = ({ publicKey, keyKind }) =>
    signLeaf(crypto, issuer, { ...term, publicKey, keyKind, commonName: 'web', uri: service })
  const request = (own) => readRequest(makeRequest(own, { commonName: 'web', uris: [service] }), crypto).value
  const asked = request(leafKey)
  const text = leafOf(asked)
  return {
    sign: () => key.sign(text),
    leaf: () => leafOf(asked),
    whole: async () => leafOf(request(await crypto.generateKey('ec-256'))),
  }
}

/** Microseconds of CPU of one call: at least a fifth of a second of them. */
async function cost(call) {
  for (let at = 0; at < 5; at++) await call()
  let calls = 0
  const before = process.cpuUsage()
  for (;;) {
    for (let at = 0; at < 5; at++) await call()
    calls += 5
    const { user, system } = process.cpuUsage(before)
    if (user + system > 200_000) return (user + system) / calls
  }
}

/** The Env of a machine in a simulation, in a turn of which `use` runs. */
async function inSimulation(keys, use) {
  const platform = createPlatform()
  try {
    const simulation = new Simulation({ seed: 'bench', platform, keys, limits: { turns: Number.POSITIVE_INFINITY } })
    const node = simulation.addNode({ name: 'a', host: '10.0.0.1' })
    return await simulation.play(node, (env) => use(env.crypto), 3_600_000)
  } finally {
    platform.close()
  }
}

/** Within turns the clock of the process may not be read: so many are made, and the time is taken around them. */
async function simulatedCost(keys, kind, part) {
  const timed = (count) => {
    const before = process.cpuUsage()
    return inSimulation(keys, async (crypto) => {
      const calls = await maker(crypto, kind)
      for (let at = 0; at < count; at++) await calls[part]()
    }).then(() => {
      const { user, system } = process.cpuUsage(before)
      return user + system
    })
  }
  const [few, many] = [20, 220]
  const short = await timed(few)
  return ((await timed(many)) - short) / (many - few)
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const microseconds = (value) => value.toFixed(value < 100 ? 1 : 0)
const perSecond = (value) => Math.round(1e6 / value).toLocaleString('en')

async function inProcess() {
  const worlds = [
    ['Node', (kind, part) => maker(hostCrypto, kind).then((calls) => cost(calls[part]))],
    ['simulator', (kind, part) => simulatedCost('real', kind, part)],
    ['simulator, cheap', (kind, part) => simulatedCost('cheap', kind, part)],
  ]
  const seen = new Map()
  for (let round = 0; round <= rounds; round++) {
    for (const kind of kinds) {
      for (const [world, measure] of worlds) {
        // Cheap keys are of one kind, whatever is asked for.
        if (world === 'simulator, cheap' && kind !== 'ec-256') continue
        for (const part of ['sign', 'leaf', 'whole']) {
          const name = `${world} | ${kind} | ${part}`
          const taken = await measure(kind, part)
          // The first round warms up.
          if (round > 0) seen.set(name, [...(seen.get(name) ?? []), taken])
        }
      }
    }
  }
  console.log('| world | root | sign µs | leaf µs | whole µs | leaves/s | leaf / sign |')
  console.log('|---|---|---|---|---|---|---|')
  for (const kind of kinds) {
    for (const [world] of worlds) {
      const of = (part) => seen.get(`${world} | ${kind} | ${part}`)
      if (of('sign') === undefined) continue
      const [sign, leaf, whole] = ['sign', 'leaf', 'whole'].map((part) => median(of(part)))
      const figures = [sign, leaf, whole].map(microseconds).join(' | ')
      console.log(`| ${world} | ${kind} | ${figures} | ${perSecond(leaf)} | ${(leaf / sign).toFixed(1)} |`)
    }
  }
}

async function throughServer() {
  const servers = await Servers.create(1, { connect: { enabled: true } })
  try {
    const child = servers.start(0)
    await servers.leader()
    for (let ready = false; !ready; ) {
      ready = JSON.parse(await servers.untilOk(0, '/v1/connect/ca/roots')).ActiveRootID !== ''
    }
    let next = 0
    console.log('\n| round | leaves/s | CPU of the server for one, µs | refused |')
    console.log('|---|---|---|---|')
    for (let round = 0; round <= rounds; round++) {
      const [beforeCpu, beforeMs] = [cpuMs(child), performance.now()]
      let [given, refused] = [0, 0]
      const one = async () => {
        while (performance.now() - beforeMs < serverMs) {
          const { status } = await servers.ask(0, 'GET', `/v1/agent/connect/ca/leaf/web-${next++}`)
          if (status === 200) given++
          else refused++
        }
      }
      await Promise.all(Array.from({ length: connections }, one))
      const [passedMs, usedMs] = [performance.now() - beforeMs, cpuMs(child) - beforeCpu]
      if (round === 0) continue
      console.log(
        `| ${round} | ${((given / passedMs) * 1000).toFixed(1)} | ${Math.round((usedMs * 1000) / given)} | ${refused} |`,
      )
    }
  } finally {
    await servers.killAll()
  }
}

printLoad(`, Node ${process.version}; medians of ${rounds} rounds, CPU`)
await inProcess()
if (!options.has('no-server')) await throughServer()
printLoad(' at the end')
