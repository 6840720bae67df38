import { z } from 'zod'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Answers } from '../../lessons/answers.ts'
import { noProgress, type Progress, progressText, readProgress } from '../../lessons/progress.ts'

/** Maximum number of characters of one text of a student: those of a scenario are at most as long. */
const textMax = 600_000

const keptSchema = z.strictObject({
  version: z.literal(1),
  progress: z.string().max(textMax),
  answers: z.record(
    z.string(),
    z.strictObject({
      prediction: z.string().max(textMax),
      byTask: z.array(
        z.tuple([z.int().min(1), z.strictObject({ line: z.string().max(textMax), event: z.string().max(textMax) })]),
      ),
    }),
  ),
  pages: z.record(z.string(), z.record(z.string(), z.string().max(textMax))),
})

export const noAnswers: Answers = { prediction: '', byTask: new Map() }

/** What a student has done, which a folder has as files. */
export interface Work {
  readonly progress: Progress
  /** By the names of lessons. */
  readonly answers: ReadonlyMap<string, Answers>
  /** The student's texts of pages, by the names of lessons, and by the names that those have for them. */
  readonly pages: ReadonlyMap<string, ReadonlyMap<string, string>>
}

export const noWork: Work = { progress: noProgress, answers: new Map(), pages: new Map() }

export function withAnswers(work: Work, lesson: string, answers: Answers): Work {
  return { ...work, answers: new Map(work.answers).set(lesson, answers) }
}

export function withPage(work: Work, lesson: string, page: string, text: string): Work {
  const pages = new Map(work.pages.get(lesson)).set(page, text)
  return { ...work, pages: new Map(work.pages).set(lesson, pages) }
}

/** The work as a text that a browser keeps. */
export function keptText({ progress, answers, pages }: Work): string {
  const kept: z.infer<typeof keptSchema> = {
    version: 1,
    progress: progressText(progress),
    answers: Object.fromEntries(
      [...answers].map(([name, { prediction, byTask }]) => [name, { prediction, byTask: [...byTask] }]),
    ),
    pages: Object.fromEntries([...pages].map(([name, texts]) => [name, Object.fromEntries(texts)])),
  }
  return JSON.stringify(kept)
}

/** The work of such a text; the error is one line. */
export function keptWork(text: string): Result<Work, string> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return err(unreadable)
  }
  const kept = keptSchema.safeParse(value)
  const progress = kept.success ? readProgress('the work', kept.data.progress) : undefined
  if (!kept.success || progress?.ok !== true) return err(unreadable)
  const { answers, pages } = kept.data
  return ok({
    progress: progress.value,
    answers: new Map(
      Object.entries(answers).map(([name, { prediction, byTask }]) => [name, { prediction, byTask: new Map(byTask) }]),
    ),
    pages: new Map(Object.entries(pages).map(([name, texts]) => [name, new Map(Object.entries(texts))])),
  })
}

const unreadable = 'what this browser has kept of the lessons cannot be read: forget it on the start page'
