/**
 * How far `shrink`, `explain` and `diff` lead with the bugs of docs/twenty-bugs.md. For each bug: the page and its size before
 * and after shrinking, what `explain` blames first, and where `diff` says that the run parts from that of the sound program.
 * After a build:
 *
 *     node bench/twenty-bugs.mjs [--out=twenty-bugs.jsonl] [--budget=60] [--only=tail-kept,a5bda5d4] [--table]
 *
 * A line of JSON is written for each bug as soon as it is measured; a bug that has one there is not measured again, so that the
 * command goes on where it was ended. `--budget`: seconds of CPU time for `shrink`, and as many for `explain`. `--table` measures
 * nothing, and prints the lines as the table of the page. Whether the true cause is among the first three that `explain` names,
 * a person says: put `"isFound": true` or `false` into the line of the bug.
 */
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const options = new Map(process.argv.slice(2).map((text) => text.replace(/^--/, '').split('=')))
const out = options.get('out') ?? 'twenty-bugs.jsonl'
const budget = `${options.get('budget') ?? 60}s`
const only = options.get('only')?.split(',')
const root = fileURLToPath(new URL('..', import.meta.url))
const svcSim = join(root, 'bin/svc-sim.js')

/** The rows of both tables: a planted bug has a seed, a mutant is known by its file. */
function bugs() {
  const rows = readFileSync(join(root, 'docs/twenty-bugs.md'), 'utf8').matchAll(/^\| `([^`]+)` \| (\S+) \| (.+) \|$/gm)
  return [...rows].map(([, name, place, rest]) => {
    const cells = rest.split(' | ')
    const isMutant = /^[0-9a-f]{8}$/.test(name)
    const [cause, page] = isMutant ? cells.slice(-2) : cells.slice(0, 2)
    const plant = isMutant ? ['--mutant', `${place.replace(/:\d+$/, '')}:${name}`] : ['--bug', name]
    return { name, place, cause, plant, page: `scenarios/${page}.yaml`, seed: isMutant ? '1' : cells[2] }
  })
}

function run(args) {
  const startedMs = performance.now()
  return new Promise((resolve) => {
    execFile(process.execPath, [svcSim, ...args], { cwd: root, maxBuffer: 64 << 20 }, (error, said, complained) => {
      resolve({ exit: error?.code ?? 0, out: said, err: complained, seconds: (performance.now() - startedMs) / 1000 })
    })
  })
}

/** What `shrink` prints: sizes before and after, runs and time. */
function shrinking({ exit, out: said, err, seconds }) {
  const line = (pattern) => pattern.exec(said)?.[1]
  if (exit !== 0) return { exit, seconds, error: err.trim().split('\n').at(-1) }
  const before = line(/^ {2}before: (.+)$/m)
  const after = line(/^ {2}after: {2}(.+)$/m)
  const [, runs, cpuSeconds] = /^ {2}(\d+) runs, ([\d.]+) s of CPU time/m.exec(said) ?? []
  return { exit, seconds, before, after, runs: Number(runs), cpuSeconds: Number(cpuSeconds), page: said }
}

/** Of `explain`: the three decisions that are blamed most, and the last links of the chain. */
function explaining({ exit, out: said, err, seconds }) {
  if (exit !== 0) return { exit, seconds, error: err.trim().split('\n').at(-1) }
  const { violation, chain, blame } = JSON.parse(said)
  const blamed = (blame?.decisions ?? []).slice(0, 3).map(({ what, atUs, judgement, unchanged, without }) => {
    return {
      what,
      atUs,
      judgement,
      unchanged: `${unchanged.fails} of ${unchanged.tries}`,
      without: `${without.fails} of ${without.tries}`,
    }
  })
  const last = chain.slice(-4).map(({ node, what, atUs }) => ({ node, what, atUs }))
  return {
    exit,
    seconds,
    violation: violation.text,
    links: chain.length,
    blamed,
    last,
    runs: blame?.runs,
    cpuMs: blame?.cpuMs,
  }
}

/** Of `diff` with the sound program: what either did at the first difference on the chain of causes. */
function comparing({ exit, out: said, err, seconds }) {
  if (exit !== 0) return { exit, seconds, error: err.trim().split('\n').at(-1) }
  const { equal, divergence, chain } = JSON.parse(said)
  const root = chain?.roots[0]
  return {
    exit,
    seconds,
    equal,
    divergence,
    difference: root && { planted: root.event, from: root.from?.a, sound: root.instead },
  }
}

async function measured(bug, folder) {
  const which = [bug.page, '--seed', bug.seed, ...bug.plant]
  const shrunk = join(folder, `${bug.name}.yaml`)
  const shrink = shrinking(await run(['shrink', ...which, '--budget', budget, '-o', shrunk, '--quiet']))
  const page = existsSync(shrunk) ? readFileSync(shrunk, 'utf8') : undefined
  // The small page is explained, as after a shrink by hand; it names its seed.
  const small = page === undefined ? which : [shrunk, ...bug.plant]
  const explain = explaining(await run(['explain', ...small, '--budget', budget, '--json', '--quiet']))
  const diff = comparing(await run(['diff', ...small, '--json']))
  return { ...bug, shrink: { ...shrink, page }, explain, diff, isFound: null }
}

function known() {
  if (!existsSync(out)) return []
  return readFileSync(out, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

function table(rows) {
  const head = [
    '| bug | before | after | runs | CPU s | explained in s | among the first three |',
    '|---|---|---|---|---|---|---|',
  ]
  const cells = rows.map(({ name, shrink, explain, isFound }) => [
    `\`${name}\``,
    shrink.before ?? shrink.error,
    shrink.after ?? '–',
    shrink.runs ?? '–',
    shrink.cpuSeconds ?? '–',
    explain.error ?? explain.seconds.toFixed(0),
    isFound === null ? 'not judged yet' : isFound ? 'yes' : 'no',
  ])
  return [...head, ...cells.map((row) => `| ${row.join(' | ')} |`)].join('\n')
}

if (options.has('table')) {
  process.stdout.write(`${table(known())}\n`)
} else {
  const done = new Set(known().map(({ name }) => name))
  const folder = mkdtempSync(join(tmpdir(), 'svc-twenty-bugs-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const bug of bugs()) {
    if (done.has(bug.name) || only?.includes(bug.name) === false) continue
    const row = await measured(bug, folder)
    appendFileSync(out, `${JSON.stringify(row)}\n`)
    const { shrink, explain } = row
    process.stdout.write(`${bug.name}: ${shrink.after ?? shrink.error}; explained in ${explain.seconds.toFixed(0)} s\n`)
    for (const { what, without } of explain.blamed ?? []) process.stdout.write(`    ${without} without ${what}\n`)
  }
}
