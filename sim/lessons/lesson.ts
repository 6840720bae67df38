import { z } from 'zod'
import { parseDuration } from '../../src/base/duration.ts'
import { type InvariantCode, invariants } from '../checkers/checkers.ts'
import { seedRangeOf } from './seed-range.ts'

/** Limits on one lesson, because a person reads it at one sitting. */
const textMax = 20_000
const tasksMax = 8
/** Maximum number of seeds of one task, so that a check answers within a minute. */
const seedsMax = 500

const words = z.string().trim().min(1).max(textMax)
/** A piece of a page, with the spaces around it. */
const piece = z.string().min(1).max(textMax)
const invariantCode = z.enum(Object.keys(invariants) as InvariantCode[])

/** The name of a page: a file of the lesson's folder, or a shipped scenario by its path from there. */
const pageFile = z
  .string()
  .max(200)
  .regex(/^(?:\.\.\/\.\.\/scenarios\/)?[a-z0-9][a-z0-9./-]*\.yaml$/, 'name a file such as outage.yaml')

const seedNumber = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
const seeds = z
  .string()
  .refine((text) => seedRangeOf(text, seedsMax) !== undefined, `write a range of at most ${seedsMax} seeds: 1..5`)

const letters = ['a', 'b', 'c', 'd'] as const
const letter = z.enum(letters)
const choices = z.strictObject({ a: words, b: words, c: words, d: words })

/** A virtual time, in milliseconds. */
const virtualMs = z.string().transform((text, context) => {
  const time = parseDuration(text)
  if (time.ok) return time.value
  context.addIssue({ code: 'custom', message: `${time.error}: write 15.5s` })
  return z.NEVER
})

/** A path of keys in a page: `cluster.dc1.config`. Everything below the path may change, too. */
const pagePath = z.string().regex(/^[^.]+(?:\.[^.]+)*$/, 'write keys with dots between them: cluster.dc1.config')

/** Results that a page must have in addition to its own conditions. */
const demanded = {
  /** Steps, conditions and demands that the check adds to the page. The student does not see them. */
  added: z
    .strictObject({
      steps: z.array(z.unknown()).max(50).optional(),
      always: z.unknown().optional(),
      never: z.unknown().optional(),
      demands: z.unknown().optional(),
    })
    .optional()
    .describe('what the check adds to the page before it runs it'),
  breaks: invariantCode.optional().describe('the invariant that must be broken; absent: the page must pass'),
}

const common = {
  task: words.describe('what is to be done'),
  why: words.describe('what is said to a right answer: why it is right'),
  hint: words.optional().describe('what is said to a wrong answer'),
}

const choiceTask = z.strictObject({
  kind: z.literal('choice'),
  ...common,
  choices,
  right: letter,
})

const pageTask = z.strictObject({
  kind: z.literal('page'),
  ...common,
  page: pageFile.describe('the page that the student edits'),
  'may change': z.array(pagePath).min(1).max(20).describe('parts of the page that may be edited'),
  'at most': z
    .record(pagePath, virtualMs)
    .optional()
    .describe('times of the edited page, by their paths, and the longest that each may be'),
  'too weak': z
    .record(pagePath, z.array(words).min(1).max(20))
    .optional()
    .describe('values that pass because they say too little, by their paths'),
  'must refuse': z
    .array(z.record(pagePath, z.unknown()))
    .min(1)
    .max(5)
    .optional()
    .describe('further changes of the page, by paths and values, with each of which the edited page must fail'),
  seeds: seeds.describe('the seeds over which the edited page runs'),
  ...demanded,
  solution: z
    .array(z.strictObject({ replace: piece, by: piece }))
    .min(1)
    .max(10)
    .describe('for teachers: texts of the page, and by what they are replaced'),
})

const seedTask = z.strictObject({
  kind: z.literal('seed'),
  ...common,
  page: pageFile,
  seeds: seeds.describe('the range in which the seed is to be found'),
  ...demanded,
  solution: seedNumber.describe('for teachers: one of the seeds that are right'),
})

const causeTask = z.strictObject({
  kind: z.literal('cause'),
  ...common,
  bug: words.describe('row or name of the planted bug'),
  page: pageFile,
  seed: seedNumber,
  choices,
  right: letter,
  event: words.describe('which event of the trace is to be named'),
  evidence: z
    .strictObject({
      violation: words.describe(
        'a regular expression that finds the failure of the run; its named groups may be quoted below: ${leader}',
      ),
      node: words.optional().describe('the machine of the event'),
      within: virtualMs.optional().describe('how long before the failure an event is accepted at most: 200ms'),
      says: words.describe('a regular expression that the words of the event match'),
    })
    .describe('events that are accepted'),
})

const task = z.discriminatedUnion('kind', [choiceTask, pageTask, seedTask, causeTask])

/** One lesson, in the form of `lesson.yaml` in its folder. */
export const lessonSchema = z.strictObject({
  lesson: words.describe('the title'),
  minutes: z.int().min(5).max(180).describe('how long the lesson takes'),
  aims: z.array(words).min(1).max(6).describe('what the student will be able to do'),
  reading: words.describe('five minutes of reading, in Markdown'),
  predict: z
    .strictObject({ question: words, answer: words })
    .describe('what the student predicts before the run, and what the run shows'),
  run: z
    .strictObject({ page: pageFile, seed: seedNumber, look: words })
    .describe('the run of the lesson, and where to look in its picture'),
  tasks: z.array(task).min(1).max(tasksMax),
  'read on': z.array(words).min(1).max(8).describe('where to read on'),
  teacher: words.optional().describe('notes for the teacher'),
})

export type Lesson = z.infer<typeof lessonSchema>
export type Task = Lesson['tasks'][number]
export type TaskOf<Kind extends Task['kind']> = Extract<Task, { readonly kind: Kind }>
/** Tasks that are judged by runs of a page. */
export type RunTask = TaskOf<'page'> | TaskOf<'seed'>

/** A lesson of a course. */
export interface NumberedLesson {
  readonly number: number
  /** The name of its folder: `01-elections`. */
  readonly name: string
  readonly lesson: Lesson
}

/** The pages that a lesson names, each once. */
export function pagesOf({ run, tasks }: Lesson): readonly string[] {
  const named = tasks.flatMap((each) => ('page' in each ? [each.page] : []))
  return [...new Set([run.page, ...named])]
}
