import { hex, utf8 } from '../../../src/base/bytes.ts'
import { ok, type Result } from '../../../src/base/result.ts'
import { type BookInputs, inputsOfBook, outdated } from '../../lessons/book-inputs.ts'
import { readText, type TextKind } from '../files.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { refused } from './desk.ts'
import { type ShelvedLesson, shelvedLessons } from './shelf.ts'

/** A book of all lessons with their pictures has a quarter of a megabyte. */
const bookText: TextKind = {
  bytesMax: 8 << 20,
  instead: 'name the file of the book',
  tooLarge: 'it is no book of lessons',
}

/** `svc-sim lesson book --check`: whether a book is what this program would write, by its inputs, without a run. */
export async function checkBook(file: string, terminal: SimTerminal): Promise<number> {
  const lessons = await shelvedLessons(terminal)
  if (!lessons.ok) return refused(lessons.error, terminal)
  const text = await readText(terminal.disk, file, bookText)
  if (!text.ok) return refused([text.error], terminal)
  const book = inputsOfBook(text.value)
  if (book === undefined) return refused([`${file}: is no book of lessons: svc-sim lesson book writes one`], terminal)
  const now = await inputsNow(lessons.value, terminal)
  if (!now.ok) return refused([now.error], terminal)
  const reasons = outdated(book, now.value)
  for (const reason of reasons) terminal.out(`${reason}\n`)
  terminal.out(`${file}: ${reasons.length === 0 ? 'is current' : 'is out of date: write it anew'}\n`)
  return reasons.length === 0 ? exits.passed : exits.failed
}

/** The inputs of a book that this program writes now. */
export async function inputsNow(
  lessons: readonly ShelvedLesson[],
  terminal: SimTerminal,
): Promise<Result<BookInputs, string>> {
  const platform = terminal.createPlatform()
  platform.close()
  const digests: Record<string, string> = {}
  for (const { folder, name, lesson } of lessons) {
    const texts: string[] = []
    for (const file of ['lesson.yaml', lesson.run.page]) {
      const text = await readText(terminal.disk, `${folder}/${file}`, bookText)
      if (!text.ok) return text
      texts.push(text.value)
    }
    digests[name] = hex(platform.sha256(utf8(texts.join('\n'))))
  }
  return ok({ build: terminal.buildHash(), lessons: digests })
}
