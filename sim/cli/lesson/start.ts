import { err, ok, type Result } from '../../../src/base/result.ts'
import { blankAnswers, fileName } from '../../lessons/answers.ts'
import { type Lesson, pagesOf } from '../../lessons/lesson.ts'
import { listLine, startLines } from '../../lessons/lesson-text.ts'
import { noProgress, started } from '../../lessons/progress.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { deskOf, type LessonFlags, lessonAt, refused } from './desk.ts'
import type { ShelvedLesson } from './shelf.ts'
import type { WorkFolder } from './work-folder.ts'

export interface StartFlags extends LessonFlags {
  /** Discards earlier progress, and writes the files anew. */
  readonly reset?: boolean
}

/** The file of a lesson that the student fills in. */
export const answersFile = 'answers.yaml'

/** `svc-sim lesson list`. */
export async function listLessons(flags: LessonFlags, terminal: SimTerminal): Promise<number> {
  const desk = await deskOf(flags, terminal)
  if (!desk.ok) return refused(desk.error, terminal)
  const { lessons, progress } = desk.value
  for (const { number, name, lesson } of lessons) terminal.out(`${listLine(number, lesson, progress.lessons[name])}\n`)
  return exits.passed
}

/** `svc-sim lesson start`: writes the files of a lesson, and shows its text. */
export async function startLesson(named: string, flags: StartFlags, terminal: SimTerminal): Promise<number> {
  const desk = await deskOf(flags, terminal, flags.reset === true ? noProgress : undefined)
  if (!desk.ok) return refused(desk.error, terminal)
  const found = lessonAt(desk.value, named)
  if (!found.ok) return refused([found.error], terminal)
  const shelved = found.value
  const { folder, progress } = desk.value
  const files = await filesOf(shelved, folder)
  const stayed = files.ok ? await folder.fill(shelved, files.value, flags.reset === true) : files
  if (!stayed.ok) return refused([stayed.error], terminal)
  if (!(await folder.keep(started(progress, shelved.name, flags.reset === true)))) return exits.usage
  const { number, lesson } = shelved
  for (const line of startLines(number, lesson, commandsOf(shelved, folder))) terminal.out(`${line}\n`)
  if (stayed.value.length > 0)
    terminal.out(`\nKept as you left them: ${stayed.value.join(', ')}. --reset writes them anew.\n`)
  return exits.passed
}

async function filesOf(
  shelved: ShelvedLesson,
  folder: WorkFolder,
): Promise<Result<ReadonlyMap<string, string>, string>> {
  const { number, lesson } = shelved
  const files = new Map([
    ['reading.md', readingOf(number, lesson)],
    [answersFile, blankAnswers(number, lesson)],
  ])
  for (const page of pagesOf(lesson)) {
    const text = await folder.original(shelved, page)
    if (!text.ok) return err(text.error)
    files.set(fileName(page), text.value)
  }
  return ok(files)
}

function readingOf(number: number, { lesson, aims, reading }: Lesson): string {
  return [`# Lesson ${number}: ${lesson}`, '', ...aims.map((aim) => `- ${aim}`), '', reading].join('\n')
}

function commandsOf(shelved: ShelvedLesson, folder: WorkFolder): readonly string[] {
  return [
    `Write your prediction into ${folder.pathOf(shelved, answersFile)}, then see the run:`,
    `  svc-sim lesson run ${shelved.number}${folder.flag}`,
  ]
}
