import { historyText } from '../checkers/keys/history-file.ts'
import { type Made, SeedRuns, type Turn } from '../pool/seed-runs.ts'
import { type DecisionFile, decisionFileText } from '../report/decision-file.ts'
import { DecisionRecord, DecisionReplay } from '../report/decision-list.ts'
import { judgedLines } from '../report/judged-lines.ts'
import type { StoryLine } from '../report/run-report.ts'
import { failureLines, seedLine, storyText, verdictLines } from '../report/terminal-report.ts'
import { runDecided } from './decisions.ts'
import { writeText } from './files.ts'
import type { RunFlags } from './run-flags.ts'
import { exitOf, exits, type SimTerminal } from './terminal.ts'
import { TraceFiles } from './trace-files.ts'

/** One seed of one scenario, in this process, with its story. */
export async function runOne(
  turn: Turn,
  list: DecisionFile | undefined,
  flags: RunFlags,
  terminal: SimTerminal,
): Promise<number> {
  const { createPlatform, wallMs, cpuMs, out } = terminal
  const replay = list === undefined ? undefined : new DecisionReplay(list.decided)
  const runs = new SeedRuns({ createPlatform, wallMs, cpuMs, searchStepsMax: flags.steps, replay })
  const onLine = (line: StoryLine): void => out(`${storyText(line)}\n`)
  const traces = await TraceFiles.open(terminal, flags)
  if (traces === undefined) return exits.usage
  const trace = traces.optionsFor({ scenario: turn.page.loaded.scenario.scenario, seed: turn.seed })
  const book = flags.decisions === undefined ? undefined : new DecisionRecord(replay)
  const told = flags.quiet === true || flags.json === true ? undefined : onLine
  const made = await runs.first(turn, { onLine: told, trace, book })
  if (!(await traces.end()) || !(await writeAsked(turn, made, book, flags, terminal))) return exits.usage
  const record = await runs.record(turn, made, flags.verify === true, undefined)
  if (flags.json === true) out(`${JSON.stringify(record)}\n`)
  else {
    const head = record.verdict === 'not deterministic' ? [seedLine(record)] : verdictLines(record)
    const judged = flags.quiet === true ? [] : judgedLines(record.counts)
    for (const line of [...head, ...judged, ...failureLines(record, flags.history, flags.replay)]) out(`${line}\n`)
  }
  return exitOf(record)
}

/** Writes the files that were asked for; false: one could not be written. */
async function writeAsked(
  turn: Turn,
  { result }: Made,
  book: DecisionRecord | undefined,
  flags: RunFlags,
  terminal: SimTerminal,
): Promise<boolean> {
  if (flags.decisions !== undefined && book !== undefined) {
    const text = decisionFileText({ ...runDecided(terminal, turn.page.loaded, turn.seed), decided: book.decided })
    if (!(await writeText(terminal, flags.decisions, text))) return false
  }
  return flags.history === undefined || writeText(terminal, flags.history, historyText(result.history))
}
