import { convergenceClosing, convergenceHead, convergenceSvg, sizeLine } from '../studies/convergence-report.ts'
import { studyConvergence } from '../studies/convergence-study.ts'
import { electionSvg } from '../studies/election-plot.ts'
import { closingLines, headLines, measuredLine } from '../studies/election-report.ts'
import { studyElections } from '../studies/election-study.ts'
import { lifeguardClosing, lifeguardHead, lifeguardSvg, variantLine } from '../studies/lifeguard-report.ts'
import {
  fewCells,
  studyLifeguard,
  thinGrid,
  type VariantMeasured,
  variants,
  wholeGrid,
} from '../studies/lifeguard-study.ts'
import { RandomStreams } from '../studies/random-streams.ts'
import { writeText } from './files.ts'
import { exits, type SimTerminal } from './terminal.ts'

export interface StudyFlags {
  readonly seed: number
  readonly trials?: number
  readonly svg?: string
}

/** Tells lines as they come to be, and gives what to draw. */
type Study = (streams: RandomStreams, tell: (lines: readonly string[]) => void) => string

/** `svc-sim study …`: the table goes out row by row; a file that cannot be written is found out before the work. */
async function runStudy({ seed, svg }: StudyFlags, terminal: SimTerminal, study: Study): Promise<number> {
  if (svg !== undefined && !(await writeText(terminal, svg, ''))) return exits.usage
  const tell = (lines: readonly string[]): void => terminal.out(`${lines.join('\n')}\n`)
  const platform = terminal.createPlatform()
  const streams = new RandomStreams(String(seed), platform.sha256)
  platform.close()
  const drawing = study(streams, tell)
  if (svg === undefined) return exits.passed
  if (!(await writeText(terminal, svg, drawing))) return exits.usage
  tell(['', `The graphs: ${svg}`])
  return exits.passed
}

export function studyElection(flags: StudyFlags, terminal: SimTerminal): Promise<number> {
  return runStudy(flags, terminal, (streams, tell) => {
    const { seed, trials } = flags
    tell(headLines())
    const study = studyElections({ seed, trials, streams, onMeasured: (measured) => tell([measuredLine(measured)]) })
    tell(closingLines(study))
    return electionSvg(study)
  })
}

export interface LifeguardFlags extends StudyFlags {
  /** All cells of the paper's grid, or a few. */
  readonly whole?: boolean
  readonly few?: boolean
  /** Beside plain SWIM, which the others are compared with. */
  readonly only?: readonly string[]
}

export function studyLifeguardParts(flags: LifeguardFlags, terminal: SimTerminal): Promise<number> {
  return runStudy(flags, terminal, (streams, tell) => {
    const { trials = 1, whole = false, few = false, only } = flags
    const chosen = variants.filter(({ name }) => name === 'SWIM' || only === undefined || only.includes(name))
    const grid = whole ? wholeGrid : few ? fewCells : thinGrid
    tell(lifeguardHead(trials, grid))
    let swim: VariantMeasured | undefined
    const onMeasured = (measured: VariantMeasured): void => {
      swim ??= measured
      tell([variantLine(measured, swim)])
    }
    const measured = studyLifeguard({ streams, trials, grid, variants: chosen, onMeasured })
    tell(lifeguardClosing(measured))
    return lifeguardSvg(measured)
  })
}

export interface ConvergenceFlags extends StudyFlags {
  readonly members: readonly number[]
}

export function studyConvergenceOfPools(flags: ConvergenceFlags, terminal: SimTerminal): Promise<number> {
  return runStudy(flags, terminal, (streams, tell) => {
    const { trials = 10, members: sizes } = flags
    tell(convergenceHead())
    const measured = studyConvergence({ streams, sizes, trials, onMeasured: (size) => tell([sizeLine(size)]) })
    tell(convergenceClosing(measured))
    return convergenceSvg(measured)
  })
}
