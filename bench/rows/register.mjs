/**
 * Registrations at a `-dev` agent, each of an instance of its own: the first 500 of a new process over one connection and
 * over 16, CPU of each, and the ms from an answer until the catalog has the service. `--persistent`: with the data on disk.
 */
import { cpuMs, endAll, pause } from '../children.mjs'
import { numberOption, options } from '../figures.mjs'
import { builds, printTable, rounds, startAgent, startFloor } from './sides.mjs'
import { askAll, quantile, wires } from './wire.mjs'

const count = numberOption('count', 500)
const dev = !options.has('persistent')

function registration(connection, at) {
  const body = {
    ID: `web-${connection}-${at}`,
    Name: `web-${connection}`,
    Tags: ['v1', 'primary'],
    Port: 8000 + (at % 1000),
    Meta: { version: '1.2.3', round: String(at) },
    Check: { Name: 'alive', TTL: '60s', Status: 'passing' },
  }
  return ['PUT', '/v1/agent/service/register', JSON.stringify(body)]
}

async function registered(side, connections) {
  const all = await wires(side.at, connections)
  const [beganMs, cpuBefore] = [performance.now(), cpuMs(side.child)]
  const tookMs = await askAll(all, Math.ceil(count / connections), registration)
  const perSecond = (tookMs.length * 1000) / (performance.now() - beganMs)
  const cpuUs = ((cpuMs(side.child) - cpuBefore) * 1000) / tookMs.length
  for (const wire of all) wire.close()
  return { 'per s': perSecond, 'CPU µs': cpuUs, 'p50 ms': quantile(tookMs, 0.5), 'p99 ms': quantile(tookMs, 0.99) }
}

async function lagMs({ at }) {
  const [writer, reader] = await wires(at, 2)
  const lags = []
  for (let each = 0; each < 20; each++) {
    const service = `late-${each}`
    const beganMs = performance.now()
    const done = writer.ask('PUT', '/v1/agent/service/register', JSON.stringify({ Name: service, Port: 1 }))
    while ((await reader.ask('GET', `/v1/catalog/service/${service}`)).body === '[]') await pause(0)
    lags.push(performance.now() - beganMs)
    await done
  }
  for (const wire of [writer, reader]) wire.close()
  return quantile(lags, 0.5)
}

export async function register() {
  for (const connections of [1, 16]) {
    const sides = [...builds().map((build) => ({ ...build, figures: [] })), { name: 'node:http', figures: [] }]
    for (let round = 0; round < rounds; round++) {
      for (const { program, name, figures } of sides) {
        // A new process each time: the row is about the first registrations of an agent.
        const side = program === undefined ? await startFloor('') : await startAgent({ name, program }, { dev })
        const figure = await registered(side, connections)
        figures.push(program === undefined ? figure : { ...figure, 'catalog has it, ms': await lagMs(side) })
        endAll()
      }
    }
    printTable(`the first ${count} registrations, ${connections} connections`, sides)
  }
}
