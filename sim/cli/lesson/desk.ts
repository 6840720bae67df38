import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Progress } from '../../lessons/progress.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { lessonNamed, type ShelvedLesson, shelvedLessons } from './shelf.ts'
import { usualFolder, WorkFolder } from './work-folder.ts'

export interface LessonFlags {
  /** The student's folder. */
  readonly dir?: string
}

/** The student's workplace: the lessons, the student's folder, and the progress so far. */
export interface Desk {
  readonly lessons: readonly ShelvedLesson[]
  readonly folder: WorkFolder
  readonly progress: Progress
}

/** `instead`: the progress in place of a file that cannot be read; absent: that file is an error. */
export async function deskOf(
  { dir = usualFolder }: LessonFlags,
  terminal: SimTerminal,
  instead?: Progress,
): Promise<Result<Desk, readonly string[]>> {
  const lessons = await shelvedLessons(terminal)
  if (!lessons.ok) return lessons
  const folder = new WorkFolder(terminal, dir)
  const read = await folder.progress()
  const progress = read.ok || instead === undefined ? read : ok(instead)
  return progress.ok ? ok({ lessons: lessons.value, folder, progress: progress.value }) : err([progress.error])
}

/** The lesson with this name or number; without one, the lesson that was started last. */
export function lessonAt(
  { lessons, progress, folder }: Desk,
  named: string | undefined,
): Result<ShelvedLesson, string> {
  const name = named ?? progress.current
  if (name === undefined) return err(`no lesson is started: svc-sim lesson start 1${folder.flag}`)
  return lessonNamed(lessons, name)
}

/** Prints what is wrong, one line for each problem; returns the exit code. */
export function refused(lines: readonly string[], { error }: Pick<SimTerminal, 'error'>): number {
  for (const line of lines) error(`${line}\n`)
  return exits.usage
}
