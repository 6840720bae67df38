import { err, ok, type Result } from '../../../src/base/result.ts'
import { type Failure, failureIn, isEvidence, type ToldEvent } from '../../lessons/evidence.ts'
import type { JudgedEvent } from '../../lessons/judge.ts'
import type { TaskOf } from '../../lessons/lesson.ts'
import { recordWords } from '../../report/record-text.ts'
import type { TraceHeader, TraceRecord } from '../../report/trace-record.ts'
import { plantOf } from '../plant.ts'
import type { SimTerminal } from '../terminal.ts'
import { eventOf, readTrace } from '../trace/events.ts'
import { clean } from '../trace/printing.ts'

/** The run of a task that asks for a cause. */
export interface RunOfBug {
  readonly task: TaskOf<'cause'>
  readonly page: string
  /** The file to which the trace is written meanwhile. */
  readonly trace: string
}

export interface BugListener {
  /** A line that the run prints. Absent: it prints nothing. */
  readonly onText?: (line: string) => void
  readonly onHeader?: (header: TraceHeader) => void
  /** False: no further event is wanted. */
  readonly onEvent: (event: ToldEvent, record: TraceRecord, failure: Failure) => boolean
}

/** Runs the planted program, and finds an event of its trace; undefined if no event has this number. */
export async function eventOfBug(
  { n, ...run }: RunOfBug & { readonly n: number },
  terminal: SimTerminal,
): Promise<Result<JudgedEvent | undefined, string>> {
  let found: JudgedEvent | undefined
  const onEvent = (event: ToldEvent, _: TraceRecord, failure: Failure): boolean => {
    if (event.n === n) found = { ...event, isEvidence: isEvidence(run.task.evidence, failure, event) }
    return event.n < n
  }
  const read = await runOfBug(run, terminal, { onEvent })
  return read.ok ? ok(found) : read
}

/** Runs the planted program to its end, and then tells its events. The error is one line. */
export async function runOfBug(
  { task, page, trace }: RunOfBug,
  terminal: SimTerminal,
  { onText, onHeader, onEvent }: BugListener,
): Promise<Result<undefined, string>> {
  const plant = plantOf({ bug: task.bug }, terminal)
  if (!plant.ok) return plant
  if (plant.value === undefined) return err('nothing is planted')
  try {
    const quiet = onText === undefined ? ['--quiet'] : ['--no-counts']
    const argv = ['run', page, '--seed', String(task.seed), '--no-demands', ...quiet, '--trace', trace]
    const { exit, error } = await plant.value.copy.run(argv, onText ?? (() => undefined))
    if (exit === undefined || exit > 1) return err(`the run of this task ended with ${exit}: ${error}`)
    const failure = await failureOf(task, terminal, trace)
    if (!failure.ok) return failure
    return await readTrace(terminal, trace, {
      onHeader: (header) => {
        onHeader?.(header)
        return true
      },
      onLine: (line) => {
        const record = eventOf(line)
        return record.ok ? ok(onEvent(toldIn(line, record.value), record.value, failure.value)) : record
      },
    })
  } finally {
    plant.value.copy.remove()
    await terminal.disk.remove(trace)
  }
}

async function failureOf(
  { evidence }: TaskOf<'cause'>,
  terminal: SimTerminal,
  trace: string,
): Promise<Result<Failure, string>> {
  let found: Failure | undefined
  const read = await readTrace(terminal, trace, {
    onHeader: () => true,
    onLine: (line) => {
      const record = eventOf(line)
      if (!record.ok) return record
      if (record.value.kind === 'violation') found = failureIn(evidence, toldIn(line, record.value))
      return ok(found === undefined)
    },
  })
  if (!read.ok) return read
  return found === undefined ? err('the run of this task does not fail as the lesson says') : ok(found)
}

function toldIn({ n, t }: { readonly n: number; readonly t: number }, record: TraceRecord): ToldEvent {
  return { n, atUs: t, node: record.node, words: clean(recordWords(record)) }
}
