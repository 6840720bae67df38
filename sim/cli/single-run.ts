import { historyText } from '../checkers/keys/history-file.ts'
import { type Made, type RunsOptions, SeedRuns, type Turn } from '../pool/seed-runs.ts'
import type { DecisionFile } from '../report/decision-file.ts'
import { DecisionRecord, DecisionReplay } from '../report/decision-list.ts'
import { FullStory } from '../report/full-story.ts'
import { judgedLines } from '../report/judged-lines.ts'
import type { StoryLine } from '../report/run-report.ts'
import { aboutLines, againLines, reasonLines, storyText, verdictLines, verdictWord } from '../report/terminal-report.ts'
import { DecisionsWriter, replayNote, runDecided } from './decisions.ts'
import { writeText } from './files.ts'
import { Outputs } from './outputs.ts'
import { plantedIn } from './plant-flags.ts'
import { runText } from './progress.ts'
import type { RunFlags } from './run-flags.ts'
import { Screen } from './screen.ts'
import { exitOf, exits, graver, type SimTerminal } from './terminal.ts'
import { TraceFiles } from './trace-files.ts'

/** One seed of one scenario, in this process, with its story. */
export async function runOne(
  turn: Turn,
  list: DecisionFile | undefined,
  flags: RunFlags,
  terminal: SimTerminal,
): Promise<number> {
  const outputs = await Outputs.open(flags, terminal)
  if (outputs === undefined) return exits.usage
  const watched = new WatchedRun(terminal)
  const { screen } = watched
  const replay = list === undefined ? undefined : new DecisionReplay(list.decided)
  const runs = new SeedRuns({ ...watched.options, searchStepsMax: flags.steps, replay })
  const traces = await TraceFiles.open(terminal, flags)
  if (traces === undefined) return exits.usage
  const run = runDecided(terminal, turn.page.loaded, turn.seed)
  const file = flags.decisions
  const decisions = file === undefined ? undefined : await DecisionsWriter.open(terminal, file, run)
  if (file !== undefined && decisions === undefined) return exits.usage
  const isTold = flags.quiet !== true && flags.json !== true && flags.story !== 'none'
  const told = (atUs: number, text: string): void => screen.line(storyText({ atUs, kind: 'note', text }))
  const story = isTold && flags.story === 'full' ? new FullStory(told) : undefined
  const trace = traces.optionsFor(run, decisions?.sink, story && ((event) => story.add(event)))
  const book = decisions && new DecisionRecord((decided) => decisions.write(decided), replay)
  if (isTold) for (const line of aboutLines(turn.page.loaded.scenario)) screen.line(line)
  const onLine = (line: StoryLine): void => {
    if (story === undefined || !isOfLeaders(line)) screen.line(storyText(line))
  }
  const keepsHistory = flags.history === undefined ? undefined : true
  const made = await runs.first(turn, { onLine: isTold ? onLine : undefined, trace, book, keepsHistory })
  const isWritten = [await traces.end(), await decisions?.end(), await writeHistory(made, flags, terminal)]
  const planted = plantedIn(flags)
  const judged = await runs.record(turn, made, flags.verify === true, undefined)
  const record = planted === undefined ? judged : { ...judged, planted }
  screen.close()
  if (flags.json !== true) {
    const [verdict = '', ...about] = verdictLines(record)
    const counts = flags.quiet === true || flags.counts === false ? [] : judgedLines(record.counts)
    screen.line(screen.judged(record.verdict, verdictWord(record), verdict))
    // The reason is next to the verdict; the command to repeat the run comes last.
    const lines = [...about, ...reasonLines(record, flags.history), ...counts, ...againLines(record, flags.replay)]
    for (const line of lines) screen.line(line)
  }
  outputs.take(record, screen)
  outputs.endPage(turn.page, [])
  const note = list && replay && replayNote(flags.replay ?? '', list, replay, terminal.build)
  if (note !== undefined) terminal.error(`${note}\n`)
  // The verdict of the run does not depend on whether its files could be written.
  isWritten.push(await outputs.end())
  return !isWritten.includes(false) ? exitOf(record) : graver(exitOf(record), exits.usage)
}

/** The full story reports leaders in its own form, with the term. */
function isOfLeaders({ kind, text }: StoryLine): boolean {
  return kind === 'note' && /^\S+ (?:leads|no longer leads)$/.test(text)
}

/** A run that a person can watch: its virtual time, and its speed. */
class WatchedRun {
  readonly screen: Screen
  readonly options: RunsOptions
  #virtualUs: (() => number) | undefined
  #startedMs = 0

  constructor(terminal: SimTerminal) {
    const { createPlatform, wallMs, cpuMs } = terminal
    this.screen = new Screen(terminal, () =>
      this.#virtualUs === undefined ? undefined : runText(this.#virtualUs(), wallMs() - this.#startedMs),
    )
    const onRun: RunsOptions['onRun'] = (_, virtualUs) => {
      this.#virtualUs = virtualUs
      this.#startedMs = wallMs()
      return () => {
        this.#virtualUs = undefined
      }
    }
    this.options = { createPlatform, wallMs, cpuMs, onRun }
  }
}

/** False: the history was requested, and could not be written. */
async function writeHistory({ result }: Made, { history: file }: RunFlags, terminal: SimTerminal): Promise<boolean> {
  const { history } = result
  return file === undefined || history === undefined || writeText(terminal, file, historyText(history))
}
