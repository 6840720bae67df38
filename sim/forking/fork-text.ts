import { countedText, percentages } from '../report/interval.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import { type ForkPoint, steepest } from './tally.ts'

/** The run that is forked. */
export interface Forked {
  /** The record of the unforked run. */
  readonly record: SeedRecord
  /** `FILE --seed N` with what is planted: the common part of commands about the run. */
  readonly about: string
}

/** Width of a bar for all tries. */
const barWidth = 20

/** The line about the unforked run. */
export function headText({ record }: Forked): string {
  const { scenario, seed, failures, virtualUs } = record
  const [first] = failures
  const head = `${scenario}, seed ${seed}`
  if (first === undefined) return `${head}: passes, ${seconds(virtualUs / 1_000)}; every failing fork counts`
  return `${head}: fails at ${seconds(first.atUs / 1_000)}: ${first.place}: ${first.message}`
}

/** The results of the forks at one time. */
export function pointLines(point: ForkPoint, forked: Forked): readonly string[] {
  const { same, others, open, atMs, firstSame, firstPassed } = point
  const passed = same.tries - same.fails - others - open
  const counts = [
    ...(others === 0 ? [] : [`${others} in another way`]),
    ...(open === 0 ? [] : [`${open} without a verdict`]),
    `${passed} pass`,
  ]
  const how = forked.record.failures.length === 0 ? 'fail' : 'fail in the same way'
  const example = (what: string, chance: number | undefined): readonly string[] =>
    chance === undefined ? [] : [`  one that ${what}: svc-sim run ${forked.about} --fork ${atMs}ms:${chance}`]
  return [
    `different random numbers from ${seconds(atMs)} on: ${countedText(same)} ${how}, ${counts.join(', ')}`,
    ...example('fails', firstSame),
    ...example('passes', firstPassed),
  ]
}

/** The curve as a table with bars, and where it rises. */
export function curveLines(points: readonly ForkPoint[], forked: Forked): readonly string[] {
  const rows = points.map(({ atMs, same, others, open }) => {
    const full = same.tries === 0 ? 0 : Math.round((barWidth * same.fails) / same.tries)
    const bar = '#'.repeat(full).padEnd(barWidth, '.')
    const beside = [...(others === 0 ? [] : [`${others} otherwise`]), ...(open === 0 ? [] : [`${open} no verdict`])]
    const count = `${same.fails} of ${same.tries}`.padStart(9)
    const range = `${percentages(same)} %`.padStart(10)
    return `${seconds(atMs).padStart(10)} ${bar} ${count} ${range}${beside.length === 0 ? '' : `  ${beside.join(', ')}`}`
  })
  return [
    `${'fork at'.padStart(10)} ${'runs that fail'.padEnd(barWidth + 10)} 95 % interval`,
    ...rows,
    ...riseLines(points, forked),
  ]
}

/** Where to look, and how to look closer. */
function riseLines(points: readonly ForkPoint[], { about }: Forked): readonly string[] {
  const rise = steepest(points)
  if (rise === undefined) return ['the failure becomes much more likely at none of these times']
  const [from, to] = [seconds(rise.before.atMs), seconds(rise.after.atMs)]
  return [
    `the failure becomes likely between ${from} and ${to}: ` +
      `${rise.before.same.fails} of ${rise.before.same.tries} forks fail before, ` +
      `${rise.after.same.fails} of ${rise.after.same.tries} after`,
    `  closer:   svc-sim fork ${about} --curve --from ${from} --to ${to}`,
    `  state:    svc-sim inspect ${about} --at ${from} --diff ${to}`,
  ]
}

/** `9.4s`, in whole milliseconds. */
export function seconds(ms: number): string {
  return `${Math.round(ms) / 1_000}s`
}
