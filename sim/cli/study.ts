import { electionSvg } from '../studies/election-plot.ts'
import { closingLines, headLines, measuredLine } from '../studies/election-report.ts'
import { studyElections } from '../studies/election-study.ts'
import { RandomStreams } from '../world/random-streams.ts'
import { writeText } from './files.ts'
import { exits, type SimTerminal } from './terminal.ts'

export interface StudyFlags {
  readonly seed: number
  readonly trials?: number
  readonly svg?: string
}

/** `svc-sim study election`: the table goes out row by row; a file that cannot be written is found out before the work. */
export async function studyElection({ seed, trials, svg }: StudyFlags, terminal: SimTerminal): Promise<number> {
  if (svg !== undefined && !(await writeText(terminal, svg, ''))) return exits.usage
  const tell = (lines: readonly string[]): void => terminal.out(`${lines.join('\n')}\n`)
  const platform = terminal.createPlatform()
  const streams = new RandomStreams(String(seed), platform.sha256)
  platform.close()
  tell(headLines())
  const study = studyElections({ seed, trials, streams, onMeasured: (measured) => tell([measuredLine(measured)]) })
  tell(closingLines(study))
  if (svg === undefined) return exits.passed
  if (!(await writeText(terminal, svg, electionSvg(study)))) return exits.usage
  tell(['', `The two graphs: ${svg}`])
  return exits.passed
}
