import { historyText } from '../checkers/keys/history-file.ts'
import { type Mark, neverReached } from '../checkers/marks.ts'
import { type DecisionFile, decisionFileText } from '../report/decision-file.ts'
import { DecisionRecord, DecisionReplay } from '../report/decision-list.ts'
import { type RunResult, type StoryLine, verdictOf } from '../report/run-report.ts'
import {
  failureLines,
  markLines,
  repeatCommand,
  seedLine,
  seedReport,
  storyText,
  verdictLines,
  verdictText,
} from '../report/terminal-report.ts'
import type { TraceOptions } from '../report/trace.ts'
import type { LoadedScenario } from '../scenario/language/load.ts'
import { ScenarioRun } from '../scenario/run.ts'
import type { Book } from '../world/decisions/book.ts'
import { readDecisions, runDecided } from './decisions.ts'
import { readScenario, writeText } from './files.ts'
import { exits, graver, type SimTerminal } from './terminal.ts'
import { firstDifference } from './verify.ts'

export interface SeedRange {
  readonly first: number
  readonly last: number
}

export interface RunFlags {
  readonly seed?: number
  readonly seeds?: SeedRange
  readonly verify?: boolean
  readonly trace?: string
  readonly history?: string
  /** Where to write what was decided. */
  readonly decisions?: string
  /** A list of decisions: these are made, and every other one is the default one. */
  readonly replay?: string
  readonly quiet?: boolean
  readonly json?: boolean
  readonly untilFailure?: boolean
  /** Bound of the search that decides the history of one key. */
  readonly steps?: number
}

/** The seed of a run for which none is given: always the same, so that the same command gives the same run. */
const defaultSeed = 1

/** `svc-sim run`: every file with every seed; the exit code is that of the worst run. */
export async function runFiles(files: readonly string[], flags: RunFlags, terminal: SimTerminal): Promise<number> {
  const misuse = misuseOf(files, flags)
  if (misuse !== undefined) {
    terminal.error(`${misuse}\n`)
    return exits.usage
  }
  const scenarios: LoadedScenario[] = []
  let unreadable = false
  for (const file of files) {
    const loaded = await readScenario(terminal.disk, file)
    if (loaded.ok) scenarios.push(loaded.value)
    else {
      unreadable = true
      for (const line of loaded.error) terminal.error(`${line}\n`)
    }
  }
  if (unreadable) return exits.usage
  let worst: number = exits.passed
  const [only] = scenarios
  const list =
    flags.replay === undefined || only === undefined
      ? undefined
      : await readDecisions(terminal, flags.replay, only, flags.seed)
  if (list?.ok === false) {
    for (const line of list.error) terminal.error(`${line}\n`)
    return exits.usage
  }
  const runs = new Runs(terminal, flags.steps, list?.value)
  for (const [at, loaded] of scenarios.entries()) {
    worst = graver(worst, await runSeeds(runs, loaded, scenarios[at + 1], flags))
  }
  return worst
}

function misuseOf(files: readonly string[], flags: RunFlags): string | undefined {
  if (flags.seed !== undefined && flags.seeds !== undefined) return 'give either --seed or --seeds'
  const many = flags.seeds !== undefined || files.length > 1
  if (many && flags.trace !== undefined) return '--trace writes one run: give one scenario and one --seed'
  if (many && flags.history !== undefined) return '--history writes one run: give one scenario and one --seed'
  if (many && flags.decisions !== undefined) return '--decisions writes one run: give one scenario and one --seed'
  if (many && flags.replay !== undefined) return '--replay is one run: give its scenario alone'
  if (flags.json === true && flags.verify === true) return 'give either --json or --verify'
  return undefined
}

/** `following`: the scenario whose turn is next. */
async function runSeeds(
  runs: Runs,
  loaded: LoadedScenario,
  following: LoadedScenario | undefined,
  flags: RunFlags,
): Promise<number> {
  const { terminal } = runs
  const single = flags.seed ?? runs.list?.seed ?? defaultSeed
  const { first, last } = flags.seeds ?? { first: single, last: single }
  const many = flags.seeds !== undefined
  let worst: number = exits.passed
  const counts = { failed: 0, undecided: 0 }
  const reached: (readonly Mark[])[] = []
  for (let seed = first; seed <= last; seed++) {
    const next =
      seed === last && following !== undefined ? { loaded: following, seed: first } : { loaded, seed: seed + 1 }
    const exit = await runSeed(runs, { loaded, seed }, next, flags, (marks) => reached.push(marks))
    if (exit === exits.undecided) counts.undecided++
    else if (exit !== exits.passed) counts.failed++
    worst = graver(worst, exit)
    if (flags.untilFailure === true && counts.failed > 0) break
  }
  const missed = missedMarks(loaded, reached)
  if (missed.length > 0) worst = graver(worst, exits.failed)
  if (!many) return worst
  const { sometimes } = loaded.scenario
  for (const line of sometimes === undefined ? [] : markLines(sometimes.reach, reached)) {
    terminal[flags.json === true ? 'error' : 'out'](`${line}\n`)
  }
  if (flags.json !== true) {
    const count = last - first + 1
    const summary = summaryText(counts, count, flags)
    terminal.out(
      `${loaded.scenario.scenario}: ${summary}${missed.map((mark) => `, never reached: ${mark}`).join('')}\n`,
    )
  }
  return worst
}

/** What a campaign that is long enough owed, and no seed has reached. */
function missedMarks({ scenario }: LoadedScenario, reached: readonly (readonly Mark[])[]): readonly Mark[] {
  const { sometimes } = scenario
  return sometimes === undefined || reached.length < sometimes.seeds ? [] : neverReached(sometimes.reach, reached)
}

function summaryText(counts: { readonly failed: number; readonly undecided: number }, count: number, flags: RunFlags) {
  const { failed, undecided } = counts
  const open = undecided === 0 ? [] : [`${undecided} undecided`]
  if (failed > 0 && flags.untilFailure === true) return ['stopped at the first seed that failed', ...open].join(', ')
  if (failed > 0) return [`${failed} of ${count} seeds failed`, ...open].join(', ')
  return undecided > 0 ? `${undecided} of ${count} seeds undecided, none failed` : `all ${count} seeds passed`
}

async function runSeed(
  runs: Runs,
  turn: Turn,
  next: Turn,
  flags: RunFlags,
  onMarks: (marks: readonly Mark[]) => void,
): Promise<number> {
  const { terminal } = runs
  const many = flags.seeds !== undefined
  const tellStory = !many && flags.quiet !== true && flags.json !== true
  const onLine = tellStory ? (line: StoryLine) => terminal.out(`${storyText(line)}\n`) : undefined
  const lines: string[] = []
  const trace = flags.trace === undefined ? undefined : { onLine: (line: string) => void lines.push(line) }
  const record = flags.decisions === undefined ? undefined : new DecisionRecord(runs.replay)
  const { result, wallMs } = await runs.first(turn, onLine, trace, record)
  onMarks(result.marks)
  if (flags.trace !== undefined && !(await writeText(terminal, flags.trace, `${lines.join('\n')}\n`)))
    return exits.usage
  if (flags.decisions !== undefined && record !== undefined) {
    const text = decisionFileText({ ...runDecided(terminal, turn.loaded, turn.seed), decided: record.decided })
    if (!(await writeText(terminal, flags.decisions, text))) return exits.usage
  }
  if (flags.history !== undefined && !(await writeText(terminal, flags.history, historyText(result.history)))) {
    return exits.usage
  }
  if (flags.verify === true) {
    const again = await runs.second(turn, next)
    if (again.trace.hash !== result.trace.hash) {
      terminal.out(`${seedLine(result, wallMs, 'NOT DETERMINISTIC')}\n`)
      const difference = await firstDifference(result.trace, again.trace, (options) => runs.traced(turn, options))
      for (const line of difference) terminal.error(`${line}\n`)
      terminal.error(`repeat with: ${repeatCommand(result, flags.replay)} --verify\n`)
      return exits.notDeterministic
    }
  }
  if (flags.json === true) {
    terminal.out(`${JSON.stringify(seedReport(result, wallMs))}\n`)
    return exits[verdictOf(result)]
  }
  const verified = flags.verify === true
  if (many) terminal.out(`${seedLine(result, wallMs, verdictText(result), verified)}\n`)
  else for (const line of verdictLines(result, wallMs, verified)) terminal.out(`${line}\n`)
  for (const line of failureLines(result, flags.history, flags.replay)) terminal.error(`${line}\n`)
  return exits[verdictOf(result)]
}

interface TimedResult {
  readonly result: RunResult
  readonly wallMs: number
}

/** One seed of one scenario. */
interface Turn {
  readonly loaded: LoadedScenario
  readonly seed: number
}

/** The runs of this process, one after another. */
class Runs {
  readonly terminal: SimTerminal
  readonly #searchStepsMax: number | undefined
  /** The decisions that are made anew; undefined: those of the seeds. */
  readonly list: DecisionFile | undefined
  readonly replay: DecisionReplay | undefined
  /** The run of the next turn that was made to come between two of this one: no need to make it again. */
  #ahead: (TimedResult & Turn) | undefined

  constructor(terminal: SimTerminal, searchStepsMax: number | undefined, list: DecisionFile | undefined) {
    this.terminal = terminal
    this.#searchStepsMax = searchStepsMax
    this.list = list
    this.replay = list === undefined ? undefined : new DecisionReplay(list.decided)
  }

  async first(turn: Turn, onLine?: (line: StoryLine) => void, trace?: TraceOptions, book?: Book): Promise<TimedResult> {
    const ahead = this.#ahead
    this.#ahead = undefined
    if (ahead?.seed === turn.seed && ahead.loaded === turn.loaded && onLine === undefined && trace === undefined) {
      return ahead
    }
    return this.#timed(turn, onLine, trace, book)
  }

  /**
   * The same seed once more, after another run: A-B-A in one process, so that what one run leaves behind for the next (a
   * module's state, a cache) shows, too.
   */
  async second(turn: Turn, next: Turn): Promise<RunResult> {
    this.#ahead = { ...next, ...(await this.#timed(next)) }
    return this.#once(turn)
  }

  traced(turn: Turn, trace: TraceOptions): Promise<RunResult> {
    return this.#once(turn, undefined, trace)
  }

  async #timed(
    turn: Turn,
    onLine?: (line: StoryLine) => void,
    trace?: TraceOptions,
    book?: Book,
  ): Promise<TimedResult> {
    const startedMs = this.terminal.wallMs()
    const result = await this.#once(turn, onLine, trace, book)
    return { result, wallMs: this.terminal.wallMs() - startedMs }
  }

  async #once(
    { loaded, seed }: Turn,
    onLine?: (line: StoryLine) => void,
    trace?: TraceOptions,
    book: Book | undefined = this.replay,
  ): Promise<RunResult> {
    const platform = this.terminal.createPlatform()
    const searchStepsMax = this.#searchStepsMax
    try {
      return await new ScenarioRun({ loaded, seed, platform, onLine, trace, searchStepsMax, book }).run()
    } finally {
      platform.close()
    }
  }
}
