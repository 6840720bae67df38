import { type Bench, checkTasks } from '../../lessons/checking.ts'
import { ofLesson } from '../../lessons/progress.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { type Desk, deskOf, type LessonFlags, lessonAt, refused } from './desk.ts'
import { eventOfBug } from './event-of-bug.ts'
import { answersOf } from './run.ts'
import { runsOfPage } from './runs-of-page.ts'
import type { ShelvedLesson } from './shelf.ts'

export interface CheckFlags extends LessonFlags {
  readonly jobs?: number
}

/** `svc-sim lesson check`: judges the student's answers. The exit code is 0 when every task is right. */
export async function checkLesson(
  named: string | undefined,
  flags: CheckFlags,
  terminal: SimTerminal,
): Promise<number> {
  const desk = await deskOf(flags, terminal)
  if (!desk.ok) return refused(desk.error, terminal)
  const found = lessonAt(desk.value, named)
  if (!found.ok) return refused([found.error], terminal)
  const shelved = found.value
  const { name, number } = shelved
  if (!ofLesson(desk.value.progress, name).predicted) {
    return refused(
      [
        `write your prediction into answers.yaml and see the run first: svc-sim lesson run ${number}${desk.value.folder.flag}`,
      ],
      terminal,
    )
  }
  const answers = await answersOf(shelved, desk.value)
  if (!('prediction' in answers)) return refused(answers, terminal)
  const bench = benchOf(shelved, desk.value, flags, terminal)
  const { progress, isDone, unjudged } = await checkTasks(shelved, answers.byTask, desk.value.progress, bench, (line) =>
    terminal.out(`${line}\n`),
  )
  if (!(await desk.value.folder.keep(progress))) return exits.usage
  if (isDone) return exits.passed
  return unjudged > 0 ? exits.noVerdict : exits.failed
}

/** The student's folder as the place of work, with the program's processes. */
function benchOf(shelved: ShelvedLesson, { folder }: Desk, { jobs }: CheckFlags, terminal: SimTerminal): Bench {
  const pathOf = (page: string): string => folder.pathOf(shelved, page)
  return {
    pathOf,
    edited: (page) => folder.read(shelved, page),
    original: (page) => folder.original(shelved, page),
    runs: (runs) => runsOfPage({ ...runs, untilFailure: true, jobs }, terminal),
    eventOfBug: (task, n) =>
      eventOfBug({ task, page: pathOf(task.page), trace: pathOf('check.jsonl.gz'), n }, terminal),
  }
}
