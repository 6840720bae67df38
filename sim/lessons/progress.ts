import { z } from 'zod'
import { err, ok, type Result } from '../../src/base/result.ts'

const lessonProgress = z.strictObject({
  predicted: z.boolean(),
  /** Keyed by the number of the task. */
  tasks: z.record(z.string().regex(/^[1-9]$/), z.strictObject({ tries: z.int().min(0), right: z.boolean() })),
})

const progressSchema = z.strictObject({
  version: z.literal(1),
  /** The lesson that was started last. */
  current: z.string().max(100).optional(),
  lessons: z.record(z.string().max(100), lessonProgress),
})

/** How far a student is. Written to `progress.json` beside the folders of the lessons. */
export type Progress = z.infer<typeof progressSchema>
export type LessonProgress = Progress['lessons'][string]

export const noProgress: Progress = { version: 1, lessons: {} }

/** Reads the progress file. If it cannot be read, `lesson start --reset` creates it anew. */
export function readProgress(file: string, text: string): Result<Progress, string> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return err(`${file}: is not JSON: mend it, or forget all lessons with svc-sim lesson start N --reset`)
  }
  const parsed = progressSchema.safeParse(value)
  return parsed.success
    ? ok(parsed.data)
    : err(`${file}: is no progress of lessons: forget it with svc-sim lesson start N --reset`)
}

export function progressText(progress: Progress): string {
  return `${JSON.stringify(progress, undefined, 2)}\n`
}

/** Makes the lesson the current one. `isAnew` discards its earlier progress. */
export function started(progress: Progress, name: string, isAnew: boolean): Progress {
  const kept = isAnew ? undefined : progress.lessons[name]
  const lesson = kept ?? { predicted: false, tasks: {} }
  return { ...progress, current: name, lessons: { ...progress.lessons, [name]: lesson } }
}

export function predicted(progress: Progress, name: string): Progress {
  return { ...progress, lessons: { ...progress.lessons, [name]: { ...ofLesson(progress, name), predicted: true } } }
}

/** Counts one more attempt at a task. A task that was right once stays right. */
export function tried(progress: Progress, name: string, task: number, isRight: boolean): Progress {
  const lesson = ofLesson(progress, name)
  const before = lesson.tasks[String(task)] ?? { tries: 0, right: false }
  const tasks = { ...lesson.tasks, [task]: { tries: before.tries + 1, right: before.right || isRight } }
  return { ...progress, lessons: { ...progress.lessons, [name]: { ...lesson, tasks } } }
}

export function ofLesson({ lessons }: Progress, name: string): LessonProgress {
  return lessons[name] ?? { predicted: false, tasks: {} }
}

/** Number of tasks that were right at least once. */
export function rightCount({ tasks }: LessonProgress): number {
  return Object.values(tasks).filter(({ right }) => right).length
}
