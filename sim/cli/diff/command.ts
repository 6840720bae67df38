import { err, ok, type Result } from '../../../src/base/result.ts'
import { type Comparison, comparisonOf, shownOf } from '../../comparison/comparison.ts'
import { comparisonJson } from '../../comparison/comparison-json.ts'
import { comparisonLines, type Told } from '../../comparison/comparison-text.ts'
import { Names } from '../../comparison/event-table.ts'
import type { RunReading } from '../../comparison/reading.ts'
import type { ProgramCopy } from '../../self-test/workshop.ts'
import { type Plant, plantOf } from '../plant.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { type Asked, runsToCompare } from './asked.ts'
import type { DiffFlags } from './flags.ts'
import { type RunToCompare, readRun, recordsAt, titleOf, traceOf } from './runs.ts'

/** `svc-sim diff`: makes the traces of two runs, and shows where they differ. */
export async function runDiff(files: Asked, flags: DiffFlags, terminal: SimTerminal): Promise<number> {
  const plant = plantOf(flags, terminal)
  if (!plant.ok) return refused([plant.error], terminal)
  const copies: ProgramCopy[] = plant.value === undefined ? [] : [plant.value.copy]
  const folder = terminal.workplace.folder()
  try {
    const runs = await runsToCompare(files, flags, withSound(plant.value, copies), terminal)
    if (!runs.ok) return refused(runs.error, terminal)
    const compared = await compare(runs.value, folder, flags, terminal)
    return compared.ok ? exits.passed : refused(compared.error, terminal)
  } finally {
    for (const copy of copies) copy.remove()
    terminal.workplace.remove(folder)
  }
}

/** The sound copy is made when it is needed, and removed with the other one. */
function withSound(plant: Plant | undefined, copies: ProgramCopy[]): Plant | undefined {
  if (plant === undefined) return undefined
  const sound = (): ProgramCopy | undefined => {
    const made = plant.sound()
    if (made !== undefined) copies.push(made)
    return made
  }
  return { ...plant, sound }
}

/** A run, and the file with its trace. */
interface Read {
  readonly run: RunToCompare
  readonly file: string
  readonly reading: RunReading
}

async function compare(
  runs: readonly [RunToCompare, RunToCompare],
  folder: string,
  { json }: DiffFlags,
  terminal: SimTerminal,
): Promise<Result<undefined, readonly string[]>> {
  const names = new Names()
  const read: Read[] = []
  for (const [at, run] of runs.entries()) {
    const file = await traceOf(run, `${folder}/${at + 1}.jsonl`, terminal)
    if (!file.ok) return file
    const reading = await readRun(file.value, names, terminal)
    if (!reading.ok) return err([reading.error])
    read.push({ run, file: file.value, reading: reading.value })
  }
  const [first, second] = read as unknown as readonly [Read, Read]
  const comparison = comparisonOf(first.reading, second.reading)
  const [a, b] = comparison.isTurned ? [second, first] : [first, second]
  return show(comparison, a, b, json === true, terminal)
}

async function show(
  comparison: Comparison,
  a: Read,
  b: Read,
  isJson: boolean,
  terminal: SimTerminal,
): Promise<Result<undefined, readonly string[]>> {
  const { differences, places } = shownOf(comparison)
  const ofA = await recordsAt(a.file, places.a, terminal)
  const ofB = await recordsAt(b.file, places.b, terminal)
  if (!ofA.ok || !ofB.ok) return err([ofA, ofB].flatMap((each) => (each.ok ? [] : [each.error])))
  const told: { readonly a: Told; readonly b: Told } = {
    a: { title: titleOf(a.run), records: ofA.value },
    b: { title: titleOf(b.run), records: ofB.value },
  }
  const lines = isJson
    ? [JSON.stringify(comparisonJson(comparison, differences, told))]
    : comparisonLines(comparison, differences, told)
  for (const line of lines) terminal.out(`${line}\n`)
  return ok(undefined)
}

function refused(lines: readonly string[], { error }: SimTerminal): number {
  for (const line of lines) error(`${line}\n`)
  return exits.usage
}
