import { err, ok, type Result } from '../../src/base/result.ts'
import { pageOf } from '../pool/seed-runs.ts'
import {
  type DecisionFile,
  DecisionReading,
  decisionBytesMax,
  decisionHeaderText,
  decisionsMax,
  decisionText,
  type RunDecided,
} from '../report/decision-file.ts'
import type { Decided, DecisionReplay } from '../report/decision-list.ts'
import type { TextSink } from '../report/trace-writer.ts'
import type { LoadedScenario } from '../scenario/language/load.ts'
import { openText, unreadText } from './files.ts'
import type { SimTerminal } from './terminal.ts'
import { LineCutter } from './trace/lines.ts'

/** The run to which decisions belong: its page is identified by its content, so that comments may change. */
export function runDecided(terminal: SimTerminal, loaded: LoadedScenario, seed: number): RunDecided {
  const platform = terminal.createPlatform()
  const { hash: page } = pageOf(loaded, platform)
  platform.close()
  const { version: program, build } = terminal
  return { scenario: loaded.scenario.scenario, page, seed, program, build }
}

/** The file to which a run's decisions are written during the run; compressed if its name ends in `.gz`. */
export class DecisionsWriter {
  readonly sink: TextSink
  readonly #terminal: SimTerminal
  readonly #file: string
  #written = 0

  private constructor(terminal: SimTerminal, file: string, sink: TextSink) {
    this.#terminal = terminal
    this.#file = file
    this.sink = sink
  }

  /** Undefined: the file cannot be written, which was reported. */
  static async open(terminal: SimTerminal, file: string, run: RunDecided): Promise<DecisionsWriter | undefined> {
    const sink = await openText(terminal, file)
    if (sink === undefined) return undefined
    sink.write(decisionHeaderText(run))
    return new DecisionsWriter(terminal, file, sink)
  }

  write(decided: Decided): void {
    this.#written++
    if (this.#written <= decisionsMax) this.sink.write(decisionText(decided))
  }

  /** False: the file is incomplete, which was reported. */
  async end(): Promise<boolean> {
    const problem = await this.sink.end()
    const { error } = this.#terminal
    if (problem !== undefined) error(`${this.#file}: was not written whole (${problem})\n`)
    if (this.#written <= decisionsMax) return problem === undefined
    error(
      `${this.#file}: only the first ${decisionsMax} of ${this.#written} decisions are in it: let the run be shorter\n`,
    )
    return false
  }
}

/** The decisions of a file, if they belong to a run of this scenario; otherwise what is wrong, in one line each. */
export async function readDecisions(
  terminal: SimTerminal,
  file: string,
  loaded: LoadedScenario,
  seed: number | undefined,
): Promise<Result<DecisionFile, readonly string[]>> {
  const read = await readLines(terminal, file)
  if (!read.ok) return read
  const { page, scenario, seed: ofList } = read.value
  if (page !== runDecided(terminal, loaded, 0).page) {
    return err([`${file}: decisions of another page than ${loaded.file} (of '${scenario}'): run that one`])
  }
  if (seed !== undefined && seed !== ofList)
    return err([`${file}: decisions of seed ${ofList}: leave out --seed ${seed}`])
  return ok(read.value)
}

async function readLines(terminal: SimTerminal, file: string): Promise<Result<DecisionFile, readonly string[]>> {
  const reading = new DecisionReading(file)
  const cutter = new LineCutter()
  let bytes = 0
  let tooLarge = false
  let isOver = false
  const read = await terminal.readPieces(file, async (piece) => {
    bytes += piece.length
    const lines = cutter.push(piece)
    tooLarge = bytes > decisionBytesMax || lines === undefined
    isOver = tooLarge || !(lines ?? []).every((line) => reading.line(line))
    return !isOver
  })
  if (!read.ok) return err([`${file}: ${unreadText(read.error, 'name a file of decisions in it')}`])
  if (tooLarge)
    return err([`${file}: larger than ${decisionBytesMax} bytes, or a line of it is: it is no list of one run`])
  if (!isOver && cutter.rest !== undefined) reading.line(cutter.rest)
  return reading.end()
}

/**
 * What a reader should know about a replay: another program made the list; or some decisions never came up, as when the
 * program names its decisions differently now, or acts differently. Undefined: nothing.
 */
export function replayNote(file: string, list: RunDecided, replay: DecisionReplay, build: string): string | undefined {
  const missed = replay.listed - replay.made
  if (missed === 0) return undefined
  const by = list.build === build ? 'this program' : `${list.program}, ${list.build}; this is ${build}`
  return `${file}: ${missed} of ${replay.listed} decisions did not occur (the list was made by ${by})`
}
