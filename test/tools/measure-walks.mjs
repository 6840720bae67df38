import { Session } from 'node:inspector'
import { resolve } from 'node:path'

/**
 * Measures how many files and functions a walk through the code passes: a write (`write`), a service from its registration
 * until DNS answers with it (`registration`), a seed from the command line until its verdict (`seed`). Of the first two
 * these are the functions of `src` that a cluster enters more often with the operation than in the same virtual time of
 * the same seed without it; of a seed all functions of `sim` that are entered.
 */
const usage = 'usage: node test/tools/measure-walks.mjs <built project> write|registration|seed\n'
const [project = '', walk = ''] = process.argv.slice(2)
const built = (path) => import(resolve(project, 'dist', path))
const session = new Session()
session.connect()
session.post('Profiler.enable')

const operations = {
  write: (cluster, node) => cluster.fetch(node, '/v1/kv/color', { method: 'PUT', body: 'blue' }),
  registration: async (cluster, node) => {
    const body = JSON.stringify({ Name: 'web', Port: 80 })
    await cluster.fetch(node, '/v1/agent/service/register', { method: 'PUT', body })
    const { answers } = await cluster.resolve(node, 'web.service.svc')
    if (answers.length !== 1) throw new Error('DNS does not answer with the service')
  },
}

/** How often each function was entered, by file and place, while `operation` and 3 s of virtual time passed. */
async function entered(operation) {
  const { createCluster } = await built('sim/library.js')
  const cluster = await createCluster({ seed: 1, servers: 3, clients: 0 })
  await cluster.advance('20s')
  const follower = cluster.nodes.find((node) => node !== cluster.leader)
  // What is loaded at its first use is no part of the walk.
  await cluster.resolve(follower, 'nothing.service.svc')
  await cluster.fetch(follower, '/v1/kv/nothing')
  await cluster.advance('1s')
  start()
  const endMs = cluster.nowMs + 3_000
  await operation?.(cluster, follower)
  await cluster.advance(endMs - cluster.nowMs)
  const counts = taken('/dist/src/')
  await cluster.close()
  return counts
}

function start() {
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
}

function taken(below) {
  let scripts = []
  session.post('Profiler.takePreciseCoverage', (_, taken) => (scripts = taken.result))
  const functions = scripts.flatMap(({ url, functions }) => {
    const at = url.indexOf(below)
    return at < 0 ? [] : functions.map(({ ranges: [range] }) => [url.slice(at + below.length), range])
  })
  return new Map(functions.map(([file, { startOffset, count }]) => [`${file}:${startOffset}`, count]))
}

function report(places) {
  const rooms = new Map()
  const files = new Set(places.map((place) => place.split(':')[0]))
  for (const file of files) rooms.set(file.split('/')[0], (rooms.get(file.split('/')[0]) ?? 0) + 1)
  const named = [...rooms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([room, count]) => `${room} ${count}`)
  process.stderr.write(`${walk}: ${files.size} files, ${places.length} functions: ${named.join(', ')}\n`)
}

if (walk in operations) {
  const [without, with_] = [await entered(), await entered(operations[walk])]
  report([...with_].filter(([place, count]) => count > (without.get(place) ?? 0)).map(([place]) => place))
} else if (walk === 'seed') {
  const { main } = await built('sim/main.js')
  start()
  process.on('exit', () => {
    const counts = [...taken('/dist/sim/')].filter(([place, count]) => count > 0 && !place.endsWith(':0'))
    report(counts.map(([place]) => place))
  })
  process.argv = [
    process.argv[0],
    'svc-sim',
    'run',
    resolve(project, 'scenarios/crash-and-recover.yaml'),
    '--seed',
    '7',
  ]
  await main(process.argv.slice(2))
} else {
  process.stderr.write(usage)
  process.exitCode = 2
}
