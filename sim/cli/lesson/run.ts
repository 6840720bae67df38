import { type Answers, readAnswers } from '../../lessons/answers.ts'
import { seedsOf } from '../../lessons/judge.ts'
import type { Task } from '../../lessons/lesson.ts'
import { answerLines } from '../../lessons/lesson-text.ts'
import { predicted } from '../../lessons/progress.ts'
import { shellWord } from '../../report/shell-word.ts'
import { inPlantedCopy } from '../plant.ts'
import { runFiles } from '../run.ts'
import type { SeedRange } from '../run-flags.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { type Desk, deskOf, type LessonFlags, lessonAt, refused } from './desk.ts'
import { listMarks } from './marks.ts'
import type { ShelvedLesson } from './shelf.ts'
import { answersFile } from './start.ts'

export interface LessonRunFlags extends LessonFlags {
  /** The task whose run is shown; absent: the run of the lesson. */
  readonly task?: number
  readonly seed?: number
  /** Seeds of the task's page, of which the marks are listed. */
  readonly seeds?: SeedRange
}

/** `svc-sim lesson run`: shows the run of a lesson, or of one of its tasks, with its picture. */
export async function runLesson(
  named: string | undefined,
  flags: LessonRunFlags,
  terminal: SimTerminal,
): Promise<number> {
  const desk = await deskOf(flags, terminal)
  if (!desk.ok) return refused(desk.error, terminal)
  const found = lessonAt(desk.value, named)
  if (!found.ok) return refused([found.error], terminal)
  const shelved = found.value
  if (flags.seeds !== undefined && flags.task === undefined)
    return refused(['--seeds is for a task: add --task'], terminal)
  const answers = await answersOf(shelved, desk.value)
  if (!('prediction' in answers)) return refused(answers, terminal)
  if (answers.prediction === '') {
    const file = desk.value.folder.pathOf(shelved, answersFile)
    const question = shelved.lesson.predict.question.trimEnd().split('\n')
    return refused([`write your prediction into ${file} first, then run again. The question:`, ...question], terminal)
  }
  return flags.task === undefined
    ? runOfLesson(shelved, desk.value, flags, terminal)
    : runOfTask(shelved, flags.task, desk.value, flags, terminal)
}

/** The student's answers, or why the file cannot be read. */
export async function answersOf(shelved: ShelvedLesson, { folder }: Desk): Promise<Answers | readonly string[]> {
  const text = await folder.read(shelved, answersFile)
  if (!text.ok)
    return [text.error, `svc-sim lesson start ${shelved.number}${folder.flag} writes the files of the lesson`]
  const answers = readAnswers(folder.pathOf(shelved, answersFile), text.value, shelved.lesson)
  return answers.ok ? answers.value : answers.error
}

async function runOfLesson(
  shelved: ShelvedLesson,
  { folder, progress }: Desk,
  { seed }: LessonRunFlags,
  terminal: SimTerminal,
): Promise<number> {
  const { lesson, name } = shelved
  const html = folder.pathOf(shelved, 'run.html')
  const page = folder.pathOf(shelved, lesson.run.page)
  const exit = await runFiles([page], { seed: seed ?? lesson.run.seed, html, counts: false }, terminal)
  if (exit === exits.usage) return exit
  if (!(await folder.keep(predicted(progress, name)))) return exits.usage
  for (const line of answerLines(lesson)) terminal.out(`${line}\n`)
  terminal.out(`The picture is ${html}: open it in a browser.\n`)
  terminal.out(
    `Pages of tasks are in ${folder.pathOf(shelved)}: svc-sim lesson run ${shelved.number} --task K${folder.flag} runs one.\n`,
  )
  terminal.out(`When you have answered the tasks: svc-sim lesson check ${shelved.number}${folder.flag}\n`)
  return exit
}

async function runOfTask(
  shelved: ShelvedLesson,
  number: number,
  { folder }: Desk,
  flags: LessonRunFlags,
  terminal: SimTerminal,
): Promise<number> {
  const task = shelved.lesson.tasks[number - 1]
  if (task === undefined || !('page' in task)) {
    return refused([`task ${number} of lesson ${shelved.number} has no run`], terminal)
  }
  const page = folder.pathOf(shelved, task.page)
  if (flags.seeds !== undefined) {
    if (task.kind !== 'cause') return listMarks(page, flags.seeds, terminal)
    return refused(['--seeds is not for a planted program: its task is about one run'], terminal)
  }
  const html = folder.pathOf(shelved, `task-${number}.html`)
  const trace = folder.pathOf(shelved, `task-${number}.jsonl.gz`)
  const seed = flags.seed ?? seedOf(task)
  terminal.out(`picture: ${html}\ntrace: ${trace}: svc-sim trace ${shellWord(trace)} shows events with their numbers\n`)
  if (task.kind !== 'cause') return runFiles([page], { seed, html, trace, counts: false }, terminal)
  const { bug } = task
  const argv = ['run', page, '--seed', String(seed), '--html', html, '--trace', trace, '--no-counts', '--bug', bug]
  return (await inPlantedCopy({ files: [page], argv, bug }, terminal)) ?? exits.usage
}

function seedOf(task: Exclude<Task, { readonly kind: 'choice' }>): number {
  return task.kind === 'cause' ? task.seed : seedsOf(task).first
}
