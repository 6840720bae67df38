import { z } from 'zod'
import { textOf } from '../../../src/base/bytes.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import type { GivenAct } from '../../play/acts-done.ts'
import { type PlayDeed, rateMax, rateMin } from '../../play/play-api.ts'
import { Refused } from './replies.ts'
import { configured } from './typed-acts.ts'

/** The valid bodies of requests. */

const name = z.string().min(1).max(100)
const given = z.record(z.string(), z.unknown())
/** A year, in milliseconds. */
const stepMaxMs = 365 * 86_400_000
const stepMaxEvents = 1_000_000

const oneOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape).refine((body) => Object.values(body).filter((value) => value !== undefined).length === 1, {
    message: `exactly one of ${Object.keys(shape).join(', ')}`,
  })

export const deedBody = oneOf({
  fault: given.optional(),
  mend: z.literal(true).optional(),
  upgrade: z.strictObject({ node: name, to: name }).optional(),
  configure: z.strictObject({ node: name, config: given }).optional(),
})

export const commandBody = z.strictObject({
  node: name,
  args: z.array(z.string().max(100_000)).min(1).max(100),
  input: z.string().max(600_000).optional(),
})

export const requestBody = z.strictObject({
  node: name,
  method: z.string().regex(/^[A-Z]{1,20}$/, 'a method is in capital letters'),
  target: z
    .string()
    .max(10_000)
    .regex(/^\/\S*$/, 'a target begins with / and has no spaces'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().max(600_000).optional(),
})

export const paceBody = z.strictObject({
  paused: z.boolean().optional(),
  rate: z.number().min(rateMin).max(rateMax).optional(),
})

export const stepBody = oneOf({
  events: z.int().min(1).max(stepMaxEvents).optional(),
  ms: z.number().min(0.001).max(stepMaxMs).optional(),
  toUs: z
    .int()
    .min(1)
    .max(stepMaxMs * 1000)
    .optional(),
})

export const undoBody = oneOf({
  last: z.literal(true).optional(),
  act: z.int().min(1).optional(),
  toUs: z.int().min(0).optional(),
})

const lessonName = z.string().min(1).max(100)
const taskNumber = z.string().regex(/^[1-9]$/, 'tasks have the numbers 1 to 9')
const answerLine = z.string().max(4000)
const pageOfTask = z.string().max(600_000)

export const lessonStartBody = z.strictObject({ name: lessonName })

export const lessonRunBody = z.strictObject({
  name: lessonName,
  prediction: answerLine.min(1).optional(),
  task: z.int().min(1).max(9).optional(),
  page: pageOfTask.optional(),
  seed: z.int().min(0).optional(),
})

export const lessonCheckBody = z.strictObject({
  name: lessonName,
  answers: z.record(taskNumber, z.strictObject({ line: answerLine, event: answerLine })),
  pages: z.record(taskNumber, pageOfTask),
})

/** The act of a deed, in the form of scenario pages. */
export function actOf(deed: PlayDeed): GivenAct {
  if ('fault' in deed) return { do: deed.fault }
  if (!('configure' in deed)) return deed
  return configured(deed.configure.node, deed.configure.config)
}

/** The body of a request, or `Refused` with what is wrong with it. */
export function bodyOf<Schema extends z.ZodType>(schema: Schema, { body }: HttpRequest): z.output<Schema> {
  if (body === 'too-large') throw new Refused(413, 'the body is too large')
  const parsed = schema.safeParse(jsonIn(body))
  if (parsed.success) return parsed.data
  const texts = parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(': '))
  throw new Refused(400, texts.join('; '))
}

function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(body))
  } catch {
    throw new Refused(400, 'the body is not JSON')
  }
}
