import { type Command, InvalidArgumentError } from 'commander'
import { stillPage } from '../report/still-page.ts'
import { convergenceClosing, convergenceDrawing, convergenceHead, sizeLine } from '../studies/convergence-report.ts'
import { studyConvergence, usualSizes } from '../studies/convergence-study.ts'
import { type Drawing, studyPage, svgDocument } from '../studies/drawing.ts'
import { electionDrawing } from '../studies/election-plot.ts'
import { closingLines, headLines, measuredLine } from '../studies/election-report.ts'
import { studyElections } from '../studies/election-study.ts'
import { lifeguardClosing, lifeguardDrawing, lifeguardHead, variantLine } from '../studies/lifeguard-report.ts'
import {
  fewCells,
  studyLifeguard,
  thinGrid,
  type VariantMeasured,
  variants,
  wholeGrid,
} from '../studies/lifeguard-study.ts'
import { poolMembersMax } from '../studies/member-pool.ts'
import { RandomStreams } from '../studies/random-streams.ts'
import { writeText } from './files.ts'
import { countTo, type Ended, wholeNumber } from './flag-values.ts'
import { oneFileTwice } from './one-file.ts'
import { exits, type SimTerminal } from './terminal.ts'

interface StudyFlags {
  readonly seed: number
  readonly trials?: number
  readonly svg?: string
  readonly html?: string
}

/** With more, a study would take hours. */
const trialsMax = 100_000

export function addStudies(program: Command, terminal: SimTerminal, ended: Ended): void {
  const studies = program
    .command('study')
    .description(
      'Repeat the measurements of a paper with this program, and show its figures beside those of the paper.',
    )
  const study = (name: string, about: string): Command =>
    studies
      .command(name)
      .description(about)
      .option('--trials <n>', "number of trials for each line, instead of the study's own", countTo(trialsMax))
      .option('--seed <n>', 'the seed of all random numbers', wholeNumber, 1)
      .option('--svg <file>', 'draw the graphs into a file')
      .option('--html <file>', 'write a page with the graphs and the table')
  study('election', 'How long a cluster is without leader: figure 16 of the extended Raft paper.').action(
    async (flags: StudyFlags) => ended(await studyElection(flags, terminal)),
  )
  study('lifeguard', 'False positives and detection with each part of Lifeguard, after its paper.')
    .option('--whole', "all cells of the paper's grid; takes hours")
    .option('--few', 'a few cells where plain SWIM goes wrong, in a minute or two')
    .option('--only <names>', `compare only these with SWIM, of ${protocolNames.join(', ')}`, protocols)
    .action(async (flags: LifeguardFlags) => ended(await studyLifeguardParts(flags, terminal)))
  study('convergence', 'How fast news spreads in pools of several sizes, and what it costs each member.')
    .option(
      '--members <sizes>',
      'sizes of the pools; one of 5000 takes minutes and 4 GB of heap',
      poolSizes,
      usualSizes,
    )
    .action(async (flags: ConvergenceFlags) => ended(await studyConvergenceOfPools(flags, terminal)))
}

const protocolNames: readonly string[] = variants.map(({ name }) => name)

function protocols(text: string): readonly string[] {
  const names = text.split(',')
  if (names.every((name) => protocolNames.includes(name))) return names
  throw new InvalidArgumentError(`Write names such as SWIM,Lifeguard, of ${protocolNames.join(', ')}.`)
}

function poolSizes(text: string): readonly number[] {
  const sizes = text.split(',').map(wholeNumber)
  if (sizes.some((size) => size < 2 || size > poolMembersMax)) {
    throw new InvalidArgumentError(`Write sizes from 2 to ${poolMembersMax}, such as 10,100,1000.`)
  }
  return sizes
}

/** Prints lines as they come, and returns what to draw. */
type Study = (streams: RandomStreams, tell: (lines: readonly string[]) => void) => Drawing

/** `svc-sim study …`: the table is printed row by row; a file that cannot be written is detected before the work. */
async function runStudy({ seed, svg, html }: StudyFlags, terminal: SimTerminal, study: Study): Promise<number> {
  const files = [
    { as: '--svg', file: svg },
    { as: '--html', file: html },
  ]
  const misuse = await oneFileTwice(terminal.disk, [], files)
  if (misuse !== undefined) {
    terminal.error(`${misuse}\n`)
    return exits.usage
  }
  for (const { file } of files) if (file !== undefined && !(await writeText(terminal, file, ''))) return exits.usage
  const told: string[] = []
  const tell = (lines: readonly string[]): void => {
    told.push(...lines)
    terminal.out(`${lines.join('\n')}\n`)
  }
  const platform = terminal.createPlatform()
  const streams = new RandomStreams(String(seed), platform.sha256)
  platform.close()
  const drawing = study(streams, tell)
  const page = (): string => stillPage(terminal.pageTemplate('still'), studyPage(drawing, told))
  if (svg !== undefined && !(await writeText(terminal, svg, svgDocument(drawing)))) return exits.usage
  if (html !== undefined && !(await writeText(terminal, html, page()))) return exits.usage
  for (const { file } of files) if (file !== undefined) terminal.out(`\nThe graphs: ${file}\n`)
  return exits.passed
}

function studyElection(flags: StudyFlags, terminal: SimTerminal): Promise<number> {
  return runStudy(flags, terminal, (streams, tell) => {
    const { seed, trials } = flags
    tell(headLines())
    const study = studyElections({ seed, trials, streams, onMeasured: (measured) => tell([measuredLine(measured)]) })
    tell(closingLines(study))
    return electionDrawing(study)
  })
}

interface LifeguardFlags extends StudyFlags {
  /** All cells of the paper's grid, or a few. */
  readonly whole?: boolean
  readonly few?: boolean
  /** Variants beside plain SWIM, with which the others are compared. */
  readonly only?: readonly string[]
}

function studyLifeguardParts(flags: LifeguardFlags, terminal: SimTerminal): Promise<number> {
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
    return lifeguardDrawing(measured)
  })
}

interface ConvergenceFlags extends StudyFlags {
  readonly members: readonly number[]
}

function studyConvergenceOfPools(flags: ConvergenceFlags, terminal: SimTerminal): Promise<number> {
  return runStudy(flags, terminal, (streams, tell) => {
    const { trials = 10, members: sizes } = flags
    tell(convergenceHead())
    const measured = studyConvergence({ streams, sizes, trials, onMeasured: (size) => tell([sizeLine(size)]) })
    tell(convergenceClosing(measured))
    return convergenceDrawing(measured)
  })
}
