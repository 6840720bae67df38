import { readScenario } from '../files.ts'
import type { SeedRange } from '../run-flags.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { refused } from './desk.ts'
import { runsOfPage } from './runs-of-page.ts'

/** Maximum number of seeds that are listed, as many as a task may search. */
const seedsMax = 500

/** Prints for each seed of a page its verdict and its marks, which are the rare states that the run was in. */
export async function listMarks(file: string, seeds: SeedRange, terminal: SimTerminal): Promise<number> {
  if (seeds.last - seeds.first >= seedsMax) return refused([`--seeds lists at most ${seedsMax} seeds`], terminal)
  const read = await readScenario(terminal.disk, file)
  if (!read.ok) return refused(read.error, terminal)
  const runs = await runsOfPage({ file, text: read.value.text, seeds, untilFailure: false }, terminal)
  if (!runs.ok) {
    terminal.error(`${runs.error.message}\n`)
    return runs.error.kind === 'worker' ? exits.noVerdict : exits.usage
  }
  for (const { seed, verdict, marks } of runs.value) {
    terminal.out(`seed ${seed}: ${verdict}; marks: ${marks.length === 0 ? 'none' : marks.join(', ')}\n`)
  }
  return exits.passed
}
