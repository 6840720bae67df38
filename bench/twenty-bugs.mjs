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
 *
 *     node bench/twenty-bugs.mjs --code [--pages=FOLDER] [--out=code.jsonl] [--budget=60 | --runs=30] [--jobs=1] [--only=…] [--table]
 *
 * measures only `explain --code`, in one process (with `--runs` the same on any machine and with any number of jobs), and says itself which rank the true cause has among the places of the code and
 * among the blamed decisions. A place counts if it lies within eight lines of the true one; a decision counts if it is NEEDED and
 * has the words that the table of the page names. A bug that has a small page in FOLDER, `NAME.yaml`, is explained by that.
 */
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const options = new Map(process.argv.slice(2).map((text) => text.replace(/^--/, '').split('=')))
const out = options.get('out') ?? 'twenty-bugs.jsonl'
const budget = `${options.get('budget') ?? 60}s`
const limit = options.has('runs') ? ['--runs', options.get('runs')] : ['--budget', budget]
const jobs = options.get('jobs') ?? '1'
const only = options.get('only')?.split(',')
const root = fileURLToPath(new URL('..', import.meta.url))
const svcSim = join(root, 'bin/svc-sim.js')

/** The rows of both tables: a planted bug has a seed, a mutant is known by its file. */
function bugs() {
  const rows = readFileSync(join(root, 'docs/twenty-bugs.md'), 'utf8').matchAll(
    /^\| `([^`]+)`(?: \([^|]*\))? \| (src\/\S+:\d+) \| (.+) \|$/gm,
  )
  return [...rows].map(([, name, place, rest]) => {
    const cells = rest.split(' | ')
    const isMutant = /^[0-9a-f]{8}$/.test(name)
    const [cause, page] = isMutant ? cells.slice(-2) : cells.slice(0, 2)
    const decision = isMutant ? undefined : /^`(.+)`$/.exec(cells[3])?.[1]
    const plant = isMutant ? ['--mutant', `${place.replace(/:\d+$/, '')}:${name}`] : ['--bug', name]
    return { name, place, cause, decision, plant, page: `scenarios/${page}.yaml`, seed: isMutant ? '1' : cells[2] }
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

/** Lines between a place that is named and the true one, at most. */
const nearLines = 8

/** Of `explain --code`: the place in its list at which the true cause stands, and what it cost. */
async function codeMeasured(bug) {
  const small = join(options.get('pages') ?? '', `${bug.name}.yaml`)
  const isSmall = options.has('pages') && existsSync(small)
  const which = isSmall ? [small, ...bug.plant] : [bug.page, '--seed', bug.seed, ...bug.plant]
  // Where no decision can count, none is judged.
  const judged = bug.decision === undefined ? ['--no-blame'] : []
  const budgeted = ['--code', ...judged, ...limit, '--jobs', jobs, '--json', '--quiet']
  const { exit, out: said, err, seconds } = await run(['explain', ...which, ...budgeted])
  const row = { name: bug.name, place: bug.place, isSmall, exit, seconds }
  if (exit !== 0) return { ...row, error: err.trim().split('\n').at(-1) }
  const { violation, changes, blame } = JSON.parse(said)
  const { tried, of, cured, compared } = changes
  const cpuMs = changes.cpuMs + (blame?.cpuMs ?? 0)
  const suspects = changes.suspects.map(({ function: within, reason, places, cures }) => {
    return { function: within, reason, places, cures: cures.map((cure) => cure.place) }
  })
  const rank = suspects.findIndex(({ places }) => places.some((place) => isNear(place, bug.place))) + 1
  const decisions = (blame?.decisions ?? []).map(({ what, judgement }) => ({ what, judgement }))
  const isBlamed = ({ what, judgement }) => judgement === 'needs' && what.includes(bug.decision)
  const decisionRank = decisions.findIndex(isBlamed) + 1
  return {
    ...row,
    violation: violation.text,
    tried,
    of,
    cured,
    compared,
    cpuMs,
    rank,
    decisionRank,
    suspects,
    decisions,
  }
}

function isNear(place, truth) {
  const [file, line] = place.split(':')
  const [trueFile, trueLine] = truth.split(':')
  return file === trueFile && Math.abs(Number(line) - Number(trueLine)) <= nearLines
}

function codeTable(rows) {
  const rankText = (rank) => (rank > 0 ? rank : '–')
  const cells = rows.map(({ name, error, rank, decisionRank, suspects, tried, cured, cpuMs, isSmall }) => {
    const page = isSmall ? 'small' : 'whole'
    if (error !== undefined) return [`\`${name}\``, page, error, '–', '–', '–', '–', '–', '–']
    const reason = rank > 0 ? suspects[rank - 1].reason : '–'
    const isFound = isAmongFirst(rank) || isAmongFirst(decisionRank)
    const found = isFound ? 'yes' : 'no'
    return [
      `\`${name}\``,
      page,
      rankText(rank),
      reason,
      rankText(decisionRank),
      tried,
      cured,
      Math.round(cpuMs / 1000),
      found,
    ]
  })
  const head = [
    '| bug | page | rank of the place | why it is named | rank of the decision | changes tried | of these cure | CPU s | found |',
    '|---|---|---|---|---|---|---|---|---|',
  ]
  return [...head, ...cells.map((row) => `| ${row.join(' | ')} |`)].join('\n')
}

function isAmongFirst(rank) {
  return rank > 0 && rank <= 3
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

if (options.has('help')) {
  const usage = [
    'node bench/twenty-bugs.mjs [--out=FILE] [--budget=SECONDS] [--only=NAME,NAME] [--table]',
    'node bench/twenty-bugs.mjs --code [--pages=FOLDER] [--out=FILE] [--budget=SECONDS | --runs=N] [--jobs=N] [--only=…] [--table]',
    'The comment at the beginning of the file says what each does.',
  ]
  process.stdout.write(`${usage.join('\n')}\n`)
} else if (options.has('table')) {
  process.stdout.write(`${options.has('code') ? codeTable(known()) : table(known())}\n`)
} else if (options.has('code')) {
  const done = new Set(known().map(({ name }) => name))
  for (const bug of bugs()) {
    if (done.has(bug.name) || only?.includes(bug.name) === false) continue
    const row = await codeMeasured(bug)
    appendFileSync(out, `${JSON.stringify(row)}\n`)
    process.stdout.write(
      `${bug.name}: ${row.error ?? `place ${row.rank}, decision ${row.decisionRank}`} in ${row.seconds.toFixed(0)} s\n`,
    )
  }
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
