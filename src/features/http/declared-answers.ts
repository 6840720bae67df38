import { z } from 'zod'
import type { AnswerHeader, DeclaredAnswer } from '../contract/operation.ts'

const json = 'application/json'
const plainText = 'text/plain; charset=utf-8'

/** Where a caller waits from, and how much its answer can be relied on. */
export const indexHeaders = ['index', 'knownLeader', 'lastContact'] as const
/** Of what the catalog answers; the last two with `cached` alone. */
export const discoveryHeaders = [...indexHeaders, 'effectiveConsistency', 'cache?', 'age?'] as const

type Headers = readonly (AnswerHeader | `${AnswerHeader}?`)[]

export function jsonAnswer(about: string, shape: z.ZodType, headers: Headers = [], status = 200): DeclaredAnswer {
  return { status, about, content: { [json]: shape }, headers }
}

export function emptyAnswer(status: number, about: string, headers: Headers = []): DeclaredAnswer {
  return { status, about, headers }
}

/** A line that says why. */
export function textAnswer(status: number, about: string, headers: Headers = []): DeclaredAnswer {
  return { status, about, content: { [plainText]: z.string() }, headers }
}

export const done = emptyAnswer(200, 'It is done.')
/** Of a definition. */
export const registered = emptyAnswer(200, 'It is done; members that were ignored are named.', ['warning?'])
/** Of a change that may not take place, such as one with `cas`. */
export const taken = jsonAnswer('Whether it took effect.', z.boolean())

/** Shapes of values that answers are made of. */

/** An integer of 64 bits without sign. */
export const uint64Value = z.custom<number | bigint>(() => true).meta({ type: 'integer', format: 'uint64', minimum: 0 })
export const indexValue = z.number().int().nonnegative()
export const textMap = z.record(z.string(), z.string())
export const textList = z.array(z.string()).readonly()

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly()
}
