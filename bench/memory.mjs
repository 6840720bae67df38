/**
 * By how much the resident memory of one server grows for each registered instance (50,000 on 1,000 nodes) and for each key
 * with a value of 100 bytes (100,000), after a forced collection, in a real process with its data on a disk. After a build:
 *
 *     node bench/memory.mjs [--only=instances|keys] [--checks] [--snapshot=<file>] [--scale=1]
 *         [--details] [--control]
 *
 * `--checks`: each instance has a check of its own. `--snapshot`: a heap snapshot of the full server, for the tools of
 * Chrome. `--scale=0.1`: a tenth of everything. `--details`: all that Node tells of its memory.
 * `--control`: as many writes, but over what is there already: what grows then is not due to what is kept.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { closeConnections, Servers } from './agents.mjs'
import { endAll, pause, scratch } from './children.mjs'
import { numberOption, options, printLoad } from './figures.mjs'

const scale = numberOption('scale', 1)
const only = options.get('only')
const together = 64
const nodes = 1000
const services = 500
/** Things there before the first look, and how often each is written: code is compiled, and the log is as long as it gets. */
const warmUp = 2000
const warmUpRounds = 15

const place = scratch()
const told = join(place, 'told.json')
const preload = join(place, 'collect.mjs')
writeFileSync(
  preload,
  `
import { renameSync, writeFileSync } from 'node:fs'
import { getHeapSpaceStatistics, writeHeapSnapshot } from 'node:v8'
process.on('SIGUSR2', async () => {
  // The engine gives memory back in the background: looked at a while after.
  for (let i = 0; i < 3; i++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 1500))
  }
  const rss = () => Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))[1]) * 1024
  const snapshot = process.env.SVC_BENCH_SNAPSHOT
  if (snapshot && ++asked === 4) writeHeapSnapshot(snapshot)
  writeFileSync(${JSON.stringify(`${told}.new`)}, JSON.stringify({
    ...process.memoryUsage(),
    rss: rss(),
    spaces: getHeapSpaceStatistics().map((of) => [of.space_name, of.space_size, of.space_used_size]),
  }))
  renameSync(${JSON.stringify(`${told}.new`)}, ${JSON.stringify(told)})
})
import { readFileSync } from 'node:fs'
let asked = 0
`,
)

/**
 * The engine grows its young generation with the work, and shrinks it gradually at collections: up to 32 MiB that hold
 * no object. Asked again until it has shrunk, at most so many times.
 */
const youngBytesMax = 4 << 20
const roundsMax = 8

/** What the process takes once everything that is no longer needed has been collected. */
async function memoryOf(child) {
  // Idle first: what is under way, what timers still hold, and a log that waits for its snapshot are no part of what is kept.
  await pause(20_000)
  let memory
  for (let round = 0; round < roundsMax && (round < 2 || youngBytes(memory) > youngBytesMax); round++) {
    rmSync(told, { force: true })
    child.kill('SIGUSR2')
    for (let tries = 0; !existsSync(told); tries++) {
      if (tries > 1200) throw new Error('the server did not tell its memory within two minutes')
      await pause(100)
    }
    memory = JSON.parse(readFileSync(told, 'utf8'))
  }
  return memory
}

function youngBytes({ spaces }) {
  return spaces.find(([name]) => name === 'new_space')[1]
}

const instance = (at) => {
  const node = at % nodes
  const service = `service-${at % services}`
  const id = `${service}-${Math.floor(at / services)}`
  const body = {
    Node: `node-${node}`,
    Address: `10.${node >> 8}.${node & 255}.1`,
    Service: {
      ID: id,
      Service: service,
      Tags: ['v1', 'primary'],
      Port: 8000 + (at % 1000),
      Meta: { version: '1.2.3' },
    },
  }
  if (options.has('checks')) {
    body.Check = {
      CheckID: `service:${id}`,
      Name: 'alive',
      Status: 'passing',
      ServiceID: id,
      Output: 'HTTP GET: 200 OK',
    }
  }
  return ['/v1/catalog/register', JSON.stringify(body)]
}
const key = (at) => [`/v1/kv/memory/${String(at).padStart(8, '0')}`, 'v'.repeat(100)]

async function put(servers, make, from, to) {
  let next = from
  const client = async () => {
    while (next < to) {
      const [path, body] = make(next++)
      const { status, text } = await servers.ask(0, 'PUT', path, body)
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: together }, client))
}

async function measure(what, make, count, goal) {
  const servers = await Servers.create(1, { log_level: 'err', raft_snapshot_interval: '5s' })
  try {
    const child = servers.start(0, {
      nodeArgs: ['--expose-gc', `--import=${pathToFileURL(preload).href}`],
      env: { SVC_BENCH_SNAPSHOT: options.get('snapshot') ?? '' },
    })
    await servers.leader()
    // What the code, the young generation and the log take, once there was some traffic, is no part of an instance.
    for (let round = 0; round < warmUpRounds; round++) await put(servers, make, 0, warmUp)
    const before = await memoryOf(child)
    if (options.has('control')) await put(servers, (at) => make(at % warmUp), warmUp, warmUp + count)
    else await put(servers, make, warmUp, warmUp + count)
    const after = await memoryOf(child)
    const each = (name) => Math.round((after[name] - before[name]) / count)
    const whole = `${Math.round(before.rss / 1e6)} to ${Math.round(after.rss / 1e6)} MB`
    if (options.has('details')) console.log(JSON.stringify({ before, after }))
    console.log(
      `| ${what} | ${count} | ${whole} | ${each('rss')} B | ${each('heapUsed')} B | ${each('arrayBuffers')} B | ${goal} B |`,
    )
  } finally {
    await servers.killAll()
  }
}

try {
  printLoad()
  console.log('| each | how many | resident | growth | of it heap | array buffers | goal |')
  console.log('|---|---|---|---|---|---|---|')
  const withChecks = options.has('checks') ? 'instance with a check' : 'instance'
  if (only !== 'keys') await measure(withChecks, instance, Math.round(50_000 * scale), 5120)
  if (only !== 'instances') await measure('key of 100 bytes', key, Math.round(100_000 * scale), 600)
  printLoad('')
} finally {
  closeConnections()
  endAll()
}
