// Makes test/fixtures/previous-build anew, of another checkout that has been built:
//
//   git worktree add /tmp/previous <commit> && (cd /tmp/previous && npm ci && npm run build)
//   node test/tools/previous-build.mjs /tmp/previous
//
// It starts agents of that build on addresses of the loopback that nothing else uses: a server, a second server that
// joins and leaves again, and a client. Every agent announces the address of a relay, which writes down what passes: RPC
// frames, packets of gossip and its streams. Clients write keys, sessions, services, tokens, an intention and a query
// over HTTP; the answers are kept, and so are the data directories after the agents have stopped.
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'

const checkout = process.argv[2]
if (checkout === undefined) throw new Error('usage: node test/tools/previous-build.mjs FOLDER_OF_A_BUILT_CHECKOUT')
const target = fileURLToPath(new URL('../fixtures/previous-build/', import.meta.url))
const ports = { http: 28_500, server: 28_300, serf_lan: 28_301, serf_wan: -1, dns: -1 }
const work = mkdtempSync(join(tmpdir(), 'svc-previous-'))
/** Of each stream and of all packets together no more is kept. */
const streamBytesMax = 48 << 10
const packetsMax = 150

const recorded = { rpc: [], streams: [], packets: [] }

/** Passes everything on between an announced address and the one where the agent listens. */
function relay(front, back) {
  for (const [port, into] of [
    [ports.server, recorded.rpc],
    [ports.serf_lan, recorded.streams],
  ]) {
    createServer((socket) => {
      const on = connect(port, back)
      const kept = { to: front, asked: [], answered: [] }
      into.push(kept)
      const pass = (from, to, list) => {
        from.on('data', (piece) => {
          list.push(piece)
          to.write(piece)
        })
        from.on('error', () => to.destroy())
        from.on('close', () => to.end())
      }
      pass(socket, on, kept.asked)
      pass(on, socket, kept.answered)
    }).listen(port, front)
  }
  const packets = createSocket('udp4').bind(ports.serf_lan, front)
  let last
  packets.on('message', (bytes, { address, port }) => {
    if (recorded.packets.length < packetsMax) recorded.packets.push(bytes.toString('base64'))
    if (address === back) {
      if (last !== undefined) packets.send(bytes, last.port, last.address)
      return
    }
    last = { address, port }
    packets.send(bytes, ports.serf_lan, back)
  })
}

function start(name, at, more) {
  const front = `127.0.77.${at}`
  const back = `127.0.77.${100 + at}`
  relay(front, back)
  const config = {
    node_name: name,
    data_dir: join(work, name),
    bind_addr: back,
    advertise_addr: front,
    client_addr: back,
    ports,
    retry_join: [`127.0.77.1:${ports.serf_lan}`],
    retry_interval: '300ms',
    raft_snapshot_threshold: 24,
    raft_snapshot_interval: '2s',
    autopilot: { server_stabilization_time: '1s' },
    performance: { raft_multiplier: 1 },
    connect: { enabled: true },
    primary_datacenter: 'dc1',
    acl: { enabled: true, default_policy: 'allow', tokens: { master: '11111111-2222-3333-4444-555555555555' } },
    ...more,
  }
  const file = join(work, `${name}.json`)
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(process.execPath, [join(checkout, 'bin/svc.js'), 'agent', `-config-file=${file}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.on('data', (text) => process.stderr.write(`${name}: ${text}`))
  const ended = new Promise((resolve) => child.on('close', resolve))
  return { name, child, ended, http: `http://${back}:${ports.http}` }
}

const token = { 'X-Svc-Token': '11111111-2222-3333-4444-555555555555' }

async function ask(agent, method, path, body) {
  const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${agent.http}${path}`, { method, headers: token, body: content })
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response
}

async function until(what, isSo) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const found = await isSo().catch(() => false)
    if (found) return
    await pause(300)
  }
  throw new Error(`in vain: ${what}`)
}

const json = async (agent, path) => (await ask(agent, 'GET', path)).json()
const ready = (agent) => until(`${agent.name} is ready`, async () => (await fetch(`${agent.http}/v1/agent/ready`)).ok)

const s1 = start('s1', 1, { server: true, bootstrap_expect: 1 })
await ready(s1)
const [s2, c1] = [start('s2', 2, { server: true }), start('c1', 3, {})]
await ready(s2)
await ready(c1)
await until('s2 has its vote', async () => {
  const { Servers } = await json(s1, '/v1/operator/raft/configuration')
  return Servers.filter(({ Voter }) => Voter).length === 2
})

for (let at = 0; at < 40; at++) await ask(c1, 'PUT', `/v1/kv/app/${at}?flags=${at}`, `value ${at}`)
await ask(c1, 'DELETE', '/v1/kv/app/39')
const { ID: session } = await (
  await ask(c1, 'PUT', '/v1/session/create', { Name: 'lock', TTL: '3600s', LockDelay: '7s' })
).json()
await ask(c1, 'PUT', `/v1/kv/lock?acquire=${session}`, 'held')
await ask(c1, 'PUT', '/v1/agent/service/register', {
  Name: 'web',
  Port: 80,
  Tags: ['a'],
  Check: { TTL: '3600s' },
  Connect: { SidecarService: {} },
})
await ask(c1, 'PUT', '/v1/agent/check/pass/service:web')
await ask(s1, 'PUT', '/v1/acl/policy', { Name: 'readers', Rules: 'key_prefix "" { policy = "read" }' })
await ask(s1, 'PUT', '/v1/acl/token', { Description: 'a reader', Policies: [{ Name: 'readers' }] })
await ask(s1, 'POST', '/v1/connect/intentions', {
  SourceName: 'web',
  DestinationName: 'db',
  SourceType: 'consul',
  Action: 'deny',
})
await ask(s1, 'POST', '/v1/query', { Name: 'near-web', Service: { Service: 'web' } })
await ask(c1, 'PUT', '/v1/event/fire/deploy', 'now')
await ask(c1, 'PUT', '/v1/txn', [{ KV: { Verb: 'set', Key: 'txn', Value: 'eA==' } }])
await until('the catalog has the service', async () => (await json(s1, '/v1/health/service/web?passing')).length === 1)
await json(c1, '/v1/agent/connect/ca/leaf/web')
await json(c1, '/v1/coordinate/nodes')
await pause(4_000)
await ask(s2, 'PUT', '/v1/agent/leave')
await s2.ended
await until('s1 is alone', async () => (await json(s1, '/v1/operator/raft/configuration')).Servers.length === 1)

/** What the state says and no start changes. */
const paths = [
  '/v1/kv/?recurse',
  '/v1/session/list',
  '/v1/catalog/service/web',
  '/v1/acl/policies',
  '/v1/acl/tokens',
  '/v1/connect/intentions',
  '/v1/connect/ca/roots',
  '/v1/query',
  '/v1/operator/autopilot/configuration',
]
const answers = {}
for (const path of paths) answers[path] = await json(s1, path)
const archive = Buffer.from(await (await ask(s1, 'GET', '/v1/snapshot')).arrayBuffer())
c1.child.kill('SIGKILL')
await c1.ended
s1.child.kill('SIGTERM')
await s1.ended

function filesIn(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String).sort()
  const files = names.filter((name) => statSync(join(folder, name)).isFile() && name !== 'lock')
  return Object.fromEntries(
    files.map((name) => [relative(folder, join(folder, name)), readFileSync(join(folder, name)).toString('base64')]),
  )
}

/** Segments of the log are mostly zeros. */
function packed(name, value) {
  const bytes = brotliCompressSync(JSON.stringify(value))
  writeFileSync(join(target, name), bytes)
  process.stderr.write(`${name}: ${bytes.length} bytes\n`)
}

const streamsOf = (list) =>
  list.map(({ asked, answered }) => {
    const text = (pieces) => Buffer.concat(pieces).subarray(0, streamBytesMax).toString('base64')
    return { asked: text(asked), answered: text(answered) }
  })
mkdirSync(target, { recursive: true })
packed('server.json.br', filesIn(join(work, 's1')))
packed('client.json.br', filesIn(join(work, 'c1')))
packed('answers.json.br', answers)
packed('frames.json.br', {
  rpc: streamsOf(recorded.rpc),
  streams: streamsOf(recorded.streams),
  packets: recorded.packets,
})
writeFileSync(join(target, 'state.snap'), archive)
rmSync(work, { recursive: true })
process.exit(0)
