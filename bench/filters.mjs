/**
 * What a filter costs on health entries of a service with 1,000 and 10,000 instances: CPU of one answer of a real agent;
 * and in this process CPU of making the JSON and judging it, and of the longest turn of the event loop. After a build:
 *
 *     node bench/filters.mjs [--sizes=1000,10000] [--rounds=15]
 */

import { healthEntryJson, healthEntryShape } from '../dist/src/features/health/model.js'
import { entryTypeOf } from '../dist/src/features/http/entry-type.js'
import { filterOf, kept } from '../dist/src/features/http/filtering.js'
import { Filter } from '../dist/src/filter/filter.js'
import { closeConnections, Servers } from './agents.mjs'
import { cpuMs } from './children.mjs'

const options = new Map(process.argv.slice(2).map((text) => text.replace(/^--/, '').split('=')))
const sizes = (options.get('sizes') ?? '1000,10000').split(',').map(Number)
const rounds = Number(options.get('rounds') ?? 15)

const filters = [
  ['none', ''],
  ['one comparison, one entry', 'Service.ID == "web-7"'],
  ['one comparison, half of the entries', 'Service.Meta.version == "1"'],
  ['of a list, nothing', 'Checks.Status == critical'],
  ['ten comparisons, nothing', Array.from({ length: 10 }, (_, at) => `Service.Meta.version == "v${at}"`).join(' or ')],
  ['a regular expression, nothing', 'Checks.Output matches "^HTTP (4|5)[0-9]+ .*refused$"'],
]

function definition(at) {
  const check = (id) => ({
    CheckID: `${id}-${at}`,
    Name: id,
    Status: 'passing',
    ServiceID: `web-${at}`,
    Output: 'HTTP GET http://10.1.2.3:8080/health: 200 OK Output: everything is as it should be',
  })
  const Service = {
    ID: `web-${at}`,
    Service: 'web',
    Port: 8080,
    Tags: ['a', 'b'],
    Meta: { version: String(at % 2), zone: 'z' },
  }
  return { Node: `n${at % 500}`, Address: '10.1.2.3', Service, Checks: [check('http'), check('tcp')] }
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)

/** An entry as the agent has it before it becomes JSON. */
function entry(at) {
  const { Node, Address, Service, Checks } = definition(at)
  const indexes = { createIndex: 5, modifyIndex: 9 }
  const node = { id: '', node: Node, address: Address, taggedAddresses: null, meta: null, ...indexes }
  const service = {
    ...{
      kind: '',
      id: Service.ID,
      service: 'web',
      tags: Service.Tags,
      address: '',
      port: 8080,
      enableTagOverride: false,
    },
    ...{ meta: Object.entries(Service.Meta), weights: { passing: 1, warning: 1 }, ...indexes },
  }
  const checks = Checks.map((check) => ({
    ...{ node: Node, checkId: check.CheckID, name: check.Name, status: check.Status, notes: '', output: check.Output },
    ...{ serviceId: Service.ID, serviceName: 'web', serviceTags: Service.Tags, definition: null, ...indexes },
  }))
  return { node, service, checks }
}

/** CPU of this process, so that other work on the machine does not count. */
function nowMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3
}

/** Milliseconds of CPU of one judgement of all, and of its longest turn. */
async function judged(entries, text) {
  const query = { get: () => text }
  const filter = filterOf(query, entryTypeOf(healthEntryShape))
  if (!filter.ok) throw new Error(filter.error.message)
  let longest = 0
  let began = nowMs()
  const turnEnds = () => {
    longest = Math.max(longest, nowMs() - began)
  }
  const env = {
    deferred: () => Promise.withResolvers?.() ?? deferred(),
    timers: {
      after: (_ms, use) => {
        turnEnds()
        setImmediate(() => {
          began = nowMs()
          use()
        })
      },
    },
  }
  const start = nowMs()
  const some = await kept({ env }, filter.value, entries, (each) => healthEntryJson(each, 'dc1'))
  turnEnds()
  return { ms: nowMs() - start, longest, left: some.value.length }
}

function deferred() {
  let resolve
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

async function register(servers, size) {
  let next = 0
  const worker = async () => {
    while (next < size) {
      const at = next++
      const { status, text } = await servers.ask(0, 'PUT', '/v1/catalog/register', JSON.stringify(definition(at)))
      if (status !== 200) throw new Error(text)
    }
  }
  await Promise.all(Array.from({ length: 32 }, worker))
}

/** Milliseconds of the agent's CPU for one answer. */
async function cpuOfRounds(servers, agent, pathOf) {
  const before = cpuMs(agent)
  for (let round = 0; round < rounds; round++) await servers.ask(0, 'GET', pathOf(round))
  return (cpuMs(agent) - before) / rounds
}

console.log(`reading an expression: ${readingUs().toFixed(1)} µs (ten comparisons)`)
for (const size of sizes) {
  const servers = await Servers.create(1)
  const agent = servers.start(0)
  await servers.leader()
  await register(servers, size)
  const entries = Array.from({ length: size }, (_, at) => entry(at))
  console.log(`\n${size} instances`)
  row('filter', 'left', 'agent: CPU ms', 'again: CPU ms', 'here: CPU ms', 'µs for each', 'longest turn, ms')
  row('---', '---', '---', '---', '---', '---', '---')
  for (const [name, text] of filters) {
    // Each round has another expression, which the agent has not been asked for; then one is asked for again and again.
    const asked = (round) =>
      `/v1/health/service/web?stale&filter=${encodeURIComponent(text === '' ? '' : text + ' '.repeat(round))}`
    for (let warm = 0; warm < 3; warm++) await servers.ask(0, 'GET', asked(rounds + warm))
    const anew = await cpuOfRounds(servers, agent, asked)
    await servers.ask(0, 'GET', asked(0))
    const again = await cpuOfRounds(servers, agent, () => asked(0))
    const runs = []
    for (let round = 0; round < rounds; round++) runs.push(await judged(entries, text))
    const ms = median(runs.map((run) => run.ms))
    const longest = median(runs.map((run) => run.longest))
    row(
      name,
      runs[0].left,
      anew.toFixed(1),
      again.toFixed(1),
      ms.toFixed(1),
      ((ms * 1e3) / size).toFixed(2),
      longest.toFixed(1),
    )
  }
  await servers.killAll()
}
closeConnections()

function readingUs() {
  const [, text] = filters[4]
  const type = entryTypeOf(healthEntryShape)
  const start = nowMs()
  for (let round = 0; round < 2_000; round++) Filter.from(text, type)
  return ((nowMs() - start) * 1e3) / 2_000
}
