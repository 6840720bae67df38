/** One change that many reads wait for: ms until the first watcher and the last have their answers, and the writer its own. */
import { cpuMs, pause } from '../children.mjs'
import { numberOption } from '../figures.mjs'
import { builds, printTable, rounds, startAgent, startFloor } from './sides.mjs'
import { indexOf, Wire, wires } from './wire.mjs'

const register = (round) =>
  JSON.stringify({
    Node: 'node-1',
    Address: '10.0.0.1',
    Service: { Service: 'web', Port: 80 },
    Check: { CheckID: 'alive', Name: 'alive', Status: 'passing', ServiceID: 'web', Output: `round ${round}` },
  })

const kinds = [
  {
    name: 'KV',
    count: numberOption('keys', 1000),
    target: '/v1/kv/first?',
    put: (round) => ['/v1/kv/first', `${round}`],
  },
  {
    name: 'service',
    count: numberOption('watchers', 5000),
    target: '/v1/health/service/web?passing&',
    put: (round) => ['/v1/catalog/register', register(round)],
  },
]

async function released({ at, child }, { count, target, put }, round) {
  const writer = await Wire.open(at)
  const written = await writer.ask('PUT', ...put(`${round} before`))
  if (written.status !== 200) throw new Error(written.body)
  const index = indexOf(await writer.ask('GET', target))
  const watching = await wires(at, count)
  const answeredMs = []
  const all = watching.map(async (wire) => {
    const { status } = await wire.ask('GET', `${target}index=${index}&wait=5m`)
    if (status !== 200) throw new Error(`a watcher got ${status}`)
    answeredMs.push(performance.now())
  })
  await pause(1500)
  if (answeredMs.length > 0) throw new Error('answered before the change')
  const [beganMs, cpuBefore] = [performance.now(), cpuMs(child)]
  await writer.ask('PUT', ...put(`${round} after`))
  const writerMs = performance.now() - beganMs
  await Promise.all(all)
  const cpu = cpuMs(child) - cpuBefore
  for (const wire of [writer, ...watching]) wire.close()
  await pause(300)
  return {
    'first ms': answeredMs[0] - beganMs,
    'all ms': answeredMs.at(-1) - beganMs,
    'writer ms': writerMs,
    'CPU ms': cpu,
  }
}

export async function watchers() {
  const sides = [...(await Promise.all(builds().map((build) => startAgent(build)))), await startFloor('x'.repeat(150))]
  for (const kind of kinds) {
    for (const side of sides) side.figures = []
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) side.figures.push(await released(side, kind, round))
    }
    printTable(`${kind.count} ${kind.name} watchers`, sides)
  }
}
