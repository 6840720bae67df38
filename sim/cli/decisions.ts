import { err, ok, type Result } from '../../src/base/result.ts'
import { pageOf } from '../pool/seed-runs.ts'
import { type DecisionFile, decisionBytesMax, parseDecisionFile, type RunDecided } from '../report/decision-file.ts'
import type { LoadedScenario } from '../scenario/language/load.ts'
import { readText } from './files.ts'
import type { SimTerminal } from './terminal.ts'

/** Of which run decisions are: its page is known by what it says, so that comments may change. */
export function runDecided(terminal: SimTerminal, loaded: LoadedScenario, seed: number): RunDecided {
  const platform = terminal.createPlatform()
  const { hash: page } = pageOf(loaded, platform)
  platform.close()
  return { scenario: loaded.scenario.scenario, page, seed, program: terminal.version }
}

/** Decisions of a file that are those of a run of this scenario; otherwise what is wrong, in one line each. */
export async function readDecisions(
  terminal: SimTerminal,
  file: string,
  loaded: LoadedScenario,
  seed: number | undefined,
): Promise<Result<DecisionFile, readonly string[]>> {
  const text = await readText(terminal.disk, file, {
    bytesMax: decisionBytesMax,
    instead: 'name a file of decisions in it',
    tooLarge: 'it is no list of one run',
  })
  if (!text.ok) return err([text.error])
  const read = parseDecisionFile(file, text.value)
  if (!read.ok) return read
  const { page, scenario, seed: ofList } = read.value
  if (page !== runDecided(terminal, loaded, 0).page) {
    return err([`${file}: decisions of another page than ${loaded.file} (of '${scenario}'): run that one`])
  }
  if (seed !== undefined && seed !== ofList)
    return err([`${file}: decisions of seed ${ofList}: leave out --seed ${seed}`])
  return ok(read.value)
}
