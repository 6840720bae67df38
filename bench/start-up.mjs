/**
 * How long servers take until they are of use: `node bench/start-up.mjs [alone|behind|snapshot …]`, after a build.
 *
 * alone: a single server with 100,000 keys of 100 bytes in its data directory, in the log or in a snapshot; from the start
 *   of its process until it has answered a consistent read of the last key. Beside it an empty directory, and bare Node.
 * behind: a follower of three, at raft_multiplier 1, that missed 50,000 writes; from its start until it answers a stale
 *   read of the last of them. The leader has all of them in its log, or all but 10,240 only in a snapshot.
 * snapshot: a server with 500,000 keys takes a snapshot while 20 writes a second come; the delay of its event loop and how
 *   long the writes took, and the same without a snapshot.
 */
import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closeConnections, Servers } from './agents.mjs'
import { cpuMs, pause } from './children.mjs'
import { median } from './figures.mjs'
import { fill, keyOf } from './prepared-data.mjs'

const rounds = Number(process.env.ROUNDS ?? 5)
const chosen = process.argv.slice(2)
/** `KEYS=1000000` for ten times as many. */
const keysAlone = Number(process.env.KEYS ?? 100_000)
const many = keysAlone.toLocaleString('en')
const valueBytes = 100

function show(name, figures) {
  const wall = figures.map(({ wallMs }) => Math.round(wallMs))
  const cpu = figures.map(({ cpuMs }) => cpuMs)
  const spread = `${Math.min(...wall)} to ${Math.max(...wall)}`
  console.log(
    `| ${name} | ${median(wall)} (${spread}) | ${Number.isNaN(cpu[0]) ? '' : median(cpu)} | ${loadavg()[0].toFixed(1)} |`,
  )
}

function bareNode() {
  const startedMs = performance.now()
  return new Promise((resolve) => {
    spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).on('close', () => {
      resolve({ wallMs: performance.now() - startedMs, cpuMs: Number.NaN })
    })
  })
}

/** From the start of a server alone until it has answered a consistent read of `key`. */
async function startAlone(servers, key) {
  const child = servers.start(0)
  await servers.untilOk(0, `/v1/kv/${key}?consistent`)
  const figures = { wallMs: performance.now() - child.startedMs, cpuMs: cpuMs(child) }
  await servers.kill(0)
  return figures
}

async function firstStart(servers) {
  servers.start(0)
  await servers.leader()
  await servers.ask(0, 'PUT', '/v1/kv/empty', 'x')
  await servers.kill(0)
}

function kept(servers, at) {
  const copy = `${servers.dir(at)}-kept`
  cpSync(servers.dir(at), copy, { recursive: true })
  return () => {
    rmSync(servers.dir(at), { recursive: true, force: true })
    cpSync(copy, servers.dir(at), { recursive: true })
  }
}

async function alone() {
  console.log(
    '\n| one server | ms until it answers, median (least to most) | CPU ms until then | load |\n|---|---|---|---|',
  )
  const subjects = [
    ['nothing', 0, false],
    [`${many} keys in the log`, keysAlone, false],
    [`${many} keys in a snapshot`, keysAlone, true],
  ]
  const prepared = []
  try {
    for (const [name, keys, snapshot] of subjects) {
      const servers = await Servers.create(1, { raft_snapshot_threshold: 1 << 30 })
      await firstStart(servers)
      if (keys > 0) await fill({ dirs: [servers.dir(0)], keys, valueBytes, snapshot })
      prepared.push({
        name,
        servers,
        restore: kept(servers, 0),
        key: keys > 0 ? keyOf(keys - 1) : 'empty',
        figures: [],
      })
    }
    const bare = []
    for (let round = 0; round < rounds; round++) {
      bare.push(await bareNode())
      for (const { servers, restore, key, figures } of prepared) {
        restore()
        figures.push(await startAlone(servers, key))
      }
    }
    show('`node -e 0`', bare)
    for (const { name, figures } of prepared) show(name, figures)
  } finally {
    for (const { servers } of prepared) await servers.killAll()
  }
}

async function behindOnce(servers, key) {
  const child = servers.start(2)
  await servers.untilOk(2, `/v1/kv/${key}?stale`)
  const figures = { wallMs: performance.now() - child.startedMs, cpuMs: cpuMs(child) }
  await servers.kill(2)
  return figures
}

async function behind() {
  console.log(
    '\n| a follower that missed 50,000 writes | ms until it has them | CPU ms until then | load |\n|---|---|---|---|',
  )
  for (const [name, snapshot] of [
    ['from the log', false],
    ['from a snapshot and the log', true],
  ]) {
    const servers = await Servers.create(3, { raft_snapshot_threshold: 1 << 30 })
    try {
      for (const at of [0, 1, 2]) servers.start(at)
      await servers.leader()
      await servers.killAll()
      const restore = kept(servers, 2)
      await fill({ dirs: [servers.dir(0), servers.dir(1)], keys: 50_000, valueBytes, snapshot })
      for (const at of [0, 1]) servers.start(at)
      await servers.leader(2)
      const figures = []
      for (let round = 0; round < rounds; round++) {
        restore()
        await pause(500)
        figures.push(await behindOnce(servers, keyOf(49_999)))
      }
      show(name, figures)
    } finally {
      await servers.killAll()
    }
  }
}

/** Loop delay of `child` and how long a write took that came every 50 ms, from now on and until `isOver`. */
async function underTrickle(servers, child, file, isOver) {
  writeFileSync(file, '')
  child.kill('SIGUSR2')
  const waits = []
  const sinceMs = performance.now()
  while (!isOver(performance.now() - sinceMs)) {
    const sentMs = performance.now()
    const put = await servers.ask(0, 'PUT', '/v1/kv/trickle', 'x')
    if (put.status !== 200) throw new Error(put.text)
    waits.push(performance.now() - sentMs)
    await pause(Math.max(0, 50 - (performance.now() - sentMs)))
  }
  child.kill('SIGUSR2')
  while (!readFileSync(file, 'utf8').endsWith('\n')) await pause(20)
  return { ...JSON.parse(readFileSync(file, 'utf8')), seconds: (performance.now() - sinceMs) / 1000, waits }
}

function isWriting(servers) {
  return readdirSync(join(servers.dir(0), 'raft', 'snapshots')).some((name) => name.endsWith('.tmp'))
}

async function takingSnapshots() {
  const preload = fileURLToPath(new URL('./loop-delay.mjs', import.meta.url))
  const servers = await Servers.create(1, { raft_snapshot_threshold: 1, raft_snapshot_interval: '30s' })
  try {
    await firstStart(servers)
    await fill({ dirs: [servers.dir(0)], keys: 500_000, valueBytes, snapshot: true, together: 512 })
    const restore = kept(servers, 0)
    console.log(
      '\n| 500,000 keys | for s | loop delay ms p99, p99.9, max | its own | CPU at once | a write ms median, max | load |',
    )
    console.log('|---|---|---|---|---|---|---|')
    for (let round = 0; round < rounds; round++) {
      restore()
      const file = join(servers.home, 'delay')
      const child = servers.start(0, { nodeArgs: ['--import', preload], env: { SVC_LOOP_DELAY: file } })
      await servers.untilOk(0, `/v1/kv/${keyOf(499_999)}?consistent`)
      await pause(2000)
      const quiet = await underTrickle(servers, child, file, (ms) => ms > 5000)
      await servers.ask(0, 'PUT', '/v1/kv/trickle', 'x')
      while (!isWriting(servers)) await pause(5)
      const busy = await underTrickle(servers, child, file, () => !isWriting(servers))
      for (const [name, { whole, own, cpu, waits, seconds }] of [
        ['no snapshot', quiet],
        ['a snapshot is taken', busy],
      ]) {
        const shown = ({ p99, p999, max }) => [p99, p999, max].map((ms) => ms.toFixed(1)).join(', ')
        const put = `${median(waits).toFixed(1)}, ${Math.max(...waits).toFixed(1)}`
        const load = loadavg()[0].toFixed(1)
        console.log(
          `| ${name} | ${seconds.toFixed(1)} | ${shown(whole)} | ${shown(own)} | ${shown(cpu)} | ${put} | ${load} |`,
        )
      }
      await servers.kill(0)
    }
  } finally {
    await servers.killAll()
  }
}

const parts = { alone, behind, snapshot: takingSnapshots }
console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}, ${rounds} rounds`)
for (const name of chosen.length > 0 ? chosen : Object.keys(parts)) await parts[name]()
closeConnections()
process.exit(0)
