/**
 * What the first operations of a process cost: CPU µs of operation 1, and of each up to 10, 100, 1,000 and 10,000, for every
 * kind, over one connection to a new `-dev` agent each. `--svg=FILE` writes the same as a picture. `--v8=FLAGS` starts this
 * build a second time with flags of V8, in turn, to tell what a flag is worth, and `--warm-up` one that has warmed up.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { endAll } from '../children.mjs'
import { median, numberOption, options } from '../figures.mjs'
import { builds, rounds, startAgent, startFloor } from './sides.mjs'
import { Wire } from './wire.mjs'

const most = numberOption('most', 10_000)
const ends = [1, 10, 100, 1_000, 10_000].filter((end) => end <= most)

const kinds = {
  'KV put': (at) => ['PUT', `/v1/kv/cold/${at % 100}`, `value ${at}`],
  'KV get': () => ['GET', '/v1/kv/first'],
  registration: (at) => {
    const body = { ID: `web-${at % 1000}`, Name: 'web', Port: 80, Meta: { at: `${at}` }, Check: { TTL: '60s' } }
    return ['PUT', '/v1/agent/service/register', JSON.stringify(body)]
  },
  'check passes': () => ['PUT', '/v1/agent/check/pass/alive', ''],
  'health of a service': () => ['GET', '/v1/health/service/cold?passing'],
  session: () => ['PUT', '/v1/session/create', '{"TTL":"60s"}'],
  transaction: (at) => [
    'PUT',
    '/v1/txn',
    JSON.stringify([{ KV: { Verb: 'set', Key: `cold/${at % 100}`, Value: 'eA==' } }]),
  ],
}

/** CPU time of all threads in µs, as the scheduler counts it, in ns. */
function cpuUs({ pid }) {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nsOf = (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  return threads.reduce((sum, thread) => sum + nsOf(thread), 0) / 1e3
}

async function prepare(wire) {
  const instance = { ID: 'cold', Name: 'cold', Port: 80, Check: { CheckID: 'alive', TTL: '60s', Status: 'passing' } }
  await wire.ask('PUT', '/v1/agent/service/register', JSON.stringify(instance))
}

/** CPU µs of an operation in each of the ranges that end at `ends`. */
async function costs({ child, at }, request) {
  const wire = await Wire.open(at)
  await prepare(wire)
  const found = []
  let done = 0
  for (const end of ends) {
    const [before, count] = [cpuUs(child), end - done]
    for (; done < end; done++) {
      const { status, body } = await wire.ask(...request(done))
      if (status !== 200) throw new Error(`${status} ${body}`)
    }
    found.push((cpuUs(child) - before) / count)
  }
  wire.close()
  return found
}

function sides() {
  const v8 = options.get('v8')
  const flagged = v8 === undefined ? [] : [{ ...builds()[0], name: v8, nodeArgs: v8.split(' ') }]
  const warmed = options.has('warm-up') ? [{ ...builds()[0], name: 'svc, warmed up', warmUp: true }] : []
  return [...builds(), ...flagged, ...warmed, { name: 'node:http' }]
}

/** One row for each kind and side: the medians of the rounds. */
async function measured() {
  const rows = []
  for (const [kind, request] of Object.entries(kinds)) {
    const all = sides().map((side) => ({ ...side, kind, rounds: [] }))
    for (let round = 0; round < rounds; round++) {
      for (const side of all) {
        const { program, name, nodeArgs, warmUp } = side
        const running =
          program === undefined ? await startFloor() : await startAgent({ name, program }, { nodeArgs, warmUp })
        side.rounds.push(await costs(running, request))
        endAll()
      }
    }
    for (const side of all)
      rows.push({ ...side, us: ends.map((_, at) => median(side.rounds.map((round) => round[at]))) })
  }
  return rows
}

const colours = ['#1f6feb', '#d1242f', '#8250df', '#57606a']

/** Both axes are logarithmic: operations to the right, CPU µs upwards. */
function picture(rows) {
  const [width, height] = [230, 170]
  const x = (at) => 40 + (at * (width - 60)) / Math.max(1, ends.length - 1)
  const y = (us) => height - 30 - ((Math.log10(Math.max(us, 10)) - 1) * (height - 60)) / 4
  const names = [...new Set(rows.map(({ name }) => name))]
  const panels = Object.keys(kinds).map((kind, panel) => {
    const grid = [10, 100, 1_000, 10_000, 100_000].map(
      (us) =>
        `<path d="M40 ${y(us)}H${width - 20}" stroke="#d0d7de"/><text x="36" y="${y(us) + 3}" text-anchor="end">${us}</text>`,
    )
    const lines = rows
      .filter((row) => row.kind === kind)
      .map(({ name, us }) => {
        const points = us.map((cost, at) => `${x(at)},${y(cost)}`).join(' ')
        return `<polyline points="${points}" fill="none" stroke="${colours[names.indexOf(name)]}" stroke-width="2"/>`
      })
    const below = ends.map((end, at) => `<text x="${x(at)}" y="${height - 14}" text-anchor="middle">${end}</text>`)
    const place = `translate(${(panel % 4) * width} ${20 + Math.floor(panel / 4) * height})`
    return `<g transform="${place}"><text x="40" y="14" font-weight="bold">${kind}</text>${[...grid, ...lines, ...below].join('')}</g>`
  })
  const legend = names.map((name, at) => `<text x="${40 + at * 160}" y="14" fill="${colours[at]}">${name}</text>`)
  const style = 'font-family="sans-serif" font-size="9"'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${4 * width} ${2 * height + 30}" ${style}>${legend.join('')}${panels.join('')}</svg>\n`
}

export async function cold() {
  const rows = await measured()
  console.log(`\nCPU µs of an operation, up to the one of that number\n\n| kind | | ${ends.join(' | ')} |`)
  console.log(`|---|---|${ends.map(() => '---|').join('')}`)
  for (const { kind, name, us } of rows) console.log(`| ${kind} | ${name} | ${us.map(Math.round).join(' | ')} |`)
  const svg = options.get('svg')
  if (svg !== undefined) writeFileSync(svg, picture(rows))
}
