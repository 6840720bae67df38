/**
 * A cluster of five agents as processes under churn, for hours, with bounds that are judged at its end. After a build:
 *
 *     npm run soak -- --hours 12 [--out FOLDER]      or --minutes 2, to try it
 *     npm run soak -- --report FOLDER                judges and draws what a run has written so far
 *
 * The folder gets `soak.jsonl` (samples, disruptions and failures, one JSON object a line), `soak.svg` and the logs of the
 * agents. Exit code 0: every bound was kept. bench/SOAK.md describes the work, the disruptions and the bounds.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { closeConnections } from './agents.mjs'
import { endAll, pause } from './children.mjs'
import { agents, nameOf, SoakCluster } from './soak/cluster.mjs'
import { Disruptions } from './soak/disruptions.mjs'
import { pictureOf } from './soak/drawing.mjs'
import { KeyWriter } from './soak/keys.mjs'
import { LockHeld, LockWorker } from './soak/locks.mjs'
import { Operations } from './soak/operations.mjs'
import { Names, SmallWork } from './soak/questions.mjs'
import { Record } from './soak/record.mjs'
import { Samples } from './soak/samples.mjs'
import { ExternalNodes, Registrar } from './soak/services.mjs'
import { judge } from './soak/verdicts.mjs'
import { Watching } from './soak/watching.mjs'

const usage = 'usage: npm run soak -- --hours N | --minutes N [--out FOLDER], or --report FOLDER'
const values = asked()
const hours = Number(values.hours ?? (values.minutes === undefined ? Number.NaN : values.minutes / 60))
const progressMs = 60_000
/** How long what was registered may take to be in the catalog at the end. */
const settledS = 30

/** What the command line asks for; `problem`: what is wrong with it. */
function asked() {
  const text = { type: 'string' }
  try {
    const options = { hours: text, minutes: text, out: { ...text, default: 'soak' }, report: text }
    return parseArgs({ options }).values
  } catch (cause) {
    return { problem: cause.message }
  }
}

/** Judges the file of a folder, and draws it. True: every bound was kept. */
function report(folder) {
  const file = join(folder, 'soak.jsonl')
  if (!existsSync(file)) {
    console.log(`${file}: is not there: name the folder of a soak`)
    return false
  }
  const text = readFileSync(file, 'utf8')
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  writeFileSync(join(folder, 'soak.svg'), pictureOf(lines))
  const verdicts = judge(lines)
  for (const { what, isOk, text } of verdicts) console.log(`${isOk ? 'ok  ' : 'FAIL'} ${what}: ${text}`)
  return verdicts.every(({ isOk }) => isOk)
}

/** Everything that works on the cluster, and what can be checked at the end. */
class Load {
  keys
  registrars
  watching
  #loops

  constructor(cluster, operations, record) {
    this.keys = Array.from({ length: 4 }, (_, number) => new KeyWriter(number, operations, record))
    this.registrars = agents.map((at) => new Registrar(at, operations))
    this.watching = new Watching(cluster, operations)
    const held = new LockHeld()
    const steps = [
      ...this.keys.map((each) => [1200, each]),
      ...this.registrars.map((each) => [5000, each]),
      [2000, new ExternalNodes(operations)],
      ...[0, 1].map(() => [2000, new LockWorker(held, operations, record)]),
      [700, new Names(cluster, operations)],
      [2000, new SmallWork(operations)],
    ]
    this.#loops = [
      ...steps.map(([everyMs, each]) => operations.repeat(everyMs, () => each.step())),
      ...this.watching.loops(),
    ]
  }

  over() {
    return Promise.all(this.#loops)
  }

  /** What was acknowledged must be there. */
  async checkAtEnd(record) {
    let known = 0
    for (const writer of this.keys) known += await writer.checkAll()
    for (const registrar of this.registrars) {
      const fromS = record.atS
      let difference = await registrar.difference()
      while (difference !== undefined && record.atS - fromS < settledS) {
        await pause(500)
        difference = await registrar.difference()
      }
      if (difference !== undefined) record.violation(difference)
    }
    return known
  }
}

async function run(folder) {
  mkdirSync(join(folder, 'logs'), { recursive: true })
  const file = join(folder, 'soak.jsonl')
  writeFileSync(file, '')
  const cluster = new SoakCluster(folder)
  await cluster.begin()
  const record = new Record(file)
  record.write('begin', { hours, agents: agents.map(nameOf), node: process.version })
  const operations = new Operations(cluster, record)
  const load = new Load(cluster, operations, record)
  await underLoad(cluster, operations, load, record, folder)
  operations.end()
  await load.over()
  const keys = await load.checkAtEnd(record)
  record.write('end', { keys, operations: record.counts() })
  await cluster.endAll()
}

/** Samples, disruptions and a line of progress, until the time is over. */
async function underLoad(cluster, operations, load, record, folder) {
  const samples = new Samples(cluster, load.watching, record, folder)
  const disruptions = new Disruptions(cluster, operations, record, folder)
  const everyS = Math.min(75, Math.max(8, (hours * 3600) / 12))
  let [disruptedS, toldS] = [0, 0]
  let disrupting = Promise.resolve()
  let isDisrupting = false
  while (record.atS < hours * 3600) {
    await samples.takeAll()
    if (record.atS > hours * 900) disruptions.endFirstQuarter()
    if (!isDisrupting && record.atS - disruptedS > everyS) {
      isDisrupting = true
      disrupting = disruptions.step().then(() => {
        isDisrupting = false
        disruptedS = record.atS
      })
    }
    if (record.atS - toldS > progressMs / 1000) {
      toldS = record.atS
      progress(record)
    }
    await pause(Samples.everyMs)
  }
  await disrupting
}

function progress(record) {
  const done = Object.entries(record.counts()).filter(([kind]) => kind.endsWith(' done'))
  const sum = done.reduce((all, [, count]) => all + count, 0)
  const longest = record.longestFailing.tookS.toFixed(1)
  const minutes = (record.atS / 60).toFixed(0)
  console.log(
    `${minutes} of ${(hours * 60).toFixed(0)} min: ${sum} operations done, the longest failed for ${longest} s, ${record.violations} violations`,
  )
}

if (values.problem !== undefined || (values.report === undefined && !(hours > 0))) {
  if (values.problem !== undefined) console.log(values.problem)
  console.log(usage)
  process.exitCode = 2
} else if (values.report !== undefined) {
  process.exitCode = report(resolve(values.report)) ? 0 : 1
} else {
  try {
    await run(resolve(values.out))
    process.exitCode = report(resolve(values.out)) ? 0 : 1
  } finally {
    closeConnections()
    endAll()
  }
}
