import { z } from 'zod'
import { compareText } from '../../src/base/bytes.ts'

/** The inputs of a workbook, as digests: a book is current while they are equal to those of the program. */
export interface BookInputs {
  /** SHA-256 of the modules of the program that drew the pictures. */
  readonly build: string
  /** SHA-256 of the text and the page of each lesson, by the name of its folder. */
  readonly lessons: Readonly<Record<string, string>>
}

const inputsSchema = z.strictObject({ build: z.string(), lessons: z.record(z.string(), z.string()) })

const [opening, closing] = ['<!-- svc-lessons ', ' -->']

/** A line of a book that a reader does not see. */
export function inputsMarkup(inputs: BookInputs): string {
  return `${opening}${JSON.stringify(inputs)}${closing}`
}

/** The inputs that a book was made from; undefined if the text is no book. */
export function inputsOfBook(text: string): BookInputs | undefined {
  const from = text.indexOf(opening)
  const to = text.indexOf(closing, from)
  if (from < 0 || to < 0) return undefined
  let value: unknown
  try {
    value = JSON.parse(text.slice(from + opening.length, to))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
  const parsed = inputsSchema.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** Why a book is out of date, one line for each reason; empty: it is current. */
export function outdated(book: BookInputs, now: BookInputs): readonly string[] {
  const names = [...new Set([...Object.keys(book.lessons), ...Object.keys(now.lessons)])].toSorted(compareText)
  const lessons = names.flatMap((name) => {
    if (now.lessons[name] === undefined) return [`${name}: there is no such lesson any more`]
    if (book.lessons[name] === undefined) return [`${name}: is new`]
    return book.lessons[name] === now.lessons[name] ? [] : [`${name}: has changed`]
  })
  return book.build === now.build ? lessons : [...lessons, 'the pictures were drawn by another build of the program']
}
