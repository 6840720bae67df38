import { z } from 'zod'
import type { GivenAct } from '../../play/acts-done.ts'
import { type PlayDeed, rateMax, rateMin } from '../../play/play-api.ts'
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

/** The act of a deed, in the form of scenario pages. */
export function actOf(deed: PlayDeed): GivenAct {
  if ('fault' in deed) return { do: deed.fault }
  if (!('configure' in deed)) return deed
  return configured(deed.configure.node, deed.configure.config)
}
