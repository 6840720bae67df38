import { err, ok, type Result } from '../../../src/base/result.ts'
import type { NumberedLesson } from '../../lessons/lesson.ts'
import { loadLesson } from '../../lessons/load.ts'
import { readText, type TextKind } from '../files.ts'
import type { SimTerminal } from '../terminal.ts'

/** A lesson that is shipped with this program. */
export interface ShelvedLesson extends NumberedLesson {
  readonly folder: string
}

/** A lesson is short enough to be read at one sitting. */
const lessonText: TextKind = { bytesMax: 1 << 20, instead: 'name the lesson.yaml in it', tooLarge: 'split it in two' }

/** All lessons in their order, or what is wrong with them, one line for each problem. */
export async function shelvedLessons(
  terminal: Pick<SimTerminal, 'disk' | 'shippedLessons'>,
): Promise<Result<readonly ShelvedLesson[], readonly string[]>> {
  const shelved: ShelvedLesson[] = []
  for (const file of terminal.shippedLessons()) {
    const text = await readText(terminal.disk, file, lessonText)
    if (!text.ok) return err([text.error])
    const loaded = loadLesson(file, text.value)
    if (!loaded.ok) return loaded
    const folder = file.slice(0, file.lastIndexOf('/'))
    const name = folder.split('/').at(-1) ?? folder
    shelved.push({ number: Number.parseInt(name, 10), name, folder, lesson: loaded.value })
  }
  return ok(shelved)
}

/** Finds a lesson by number or name; the error lists the lessons that exist. */
export function lessonNamed(lessons: readonly ShelvedLesson[], text: string): Result<ShelvedLesson, string> {
  const found = lessons.find(({ number, name }) => String(number) === text || name === text)
  if (found !== undefined) return ok(found)
  const last = lessons.at(-1)?.number ?? 0
  return err(`there is no lesson '${text}': lessons have the numbers 1 to ${last}, see svc-sim lesson list`)
}
