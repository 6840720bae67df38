import { err, ok, type Result } from '../../../src/base/result.ts'
import type { ToldEvent } from '../../lessons/judge.ts'
import type { TaskOf } from '../../lessons/lesson.ts'
import { recordWords } from '../../report/record-text.ts'
import { plantOf } from '../plant.ts'
import type { SimTerminal } from '../terminal.ts'
import { eventOf, readTrace } from '../trace/events.ts'
import { clean } from '../trace/printing.ts'

/** The number of an event in the run of a task. */
interface NamedEvent {
  readonly task: TaskOf<'cause'>
  readonly page: string
  /** The file to which the trace is written meanwhile. */
  readonly trace: string
  readonly n: number
}

/** Runs the planted program, and finds an event of its trace; undefined if no event has this number. */
export async function eventOfBug(
  { task, page, trace, n }: NamedEvent,
  terminal: SimTerminal,
): Promise<Result<ToldEvent | undefined, string>> {
  let found: ToldEvent | undefined
  const read = await eventsOfBug({ task, page, trace }, terminal, (event) => {
    if (event.n === n) found = event
    return event.n < n
  })
  return read.ok ? ok(found) : read
}

/** Calls the callback with each event of a task's run, until the callback returns false. */
async function eventsOfBug(
  { task, page, trace }: Omit<NamedEvent, 'n'>,
  terminal: SimTerminal,
  onEvent: (event: ToldEvent) => boolean,
): Promise<Result<undefined, string>> {
  const plant = plantOf({ bug: task.bug }, terminal)
  if (!plant.ok) return plant
  if (plant.value === undefined) return err('nothing is planted')
  try {
    const argv = ['run', page, '--seed', String(task.seed), '--no-demands', '--quiet', '--trace', trace]
    const { exit, error } = await plant.value.copy.run(argv, () => {})
    if (exit === undefined || exit > 1) return err(`the run of this task ended with ${exit}: ${error}`)
    return await readTrace(terminal, trace, {
      onHeader: () => true,
      onLine: (line) => {
        const record = eventOf(line)
        if (!record.ok) return record
        return ok(
          onEvent({ n: line.n, atUs: line.t, node: record.value.node, words: clean(recordWords(record.value)) }),
        )
      },
    })
  } finally {
    plant.value.copy.remove()
    await terminal.disk.remove(trace)
  }
}
