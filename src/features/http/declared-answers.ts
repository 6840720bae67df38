import { z } from 'zod'
import type { AnswerHeader, DeclaredAnswer } from '../contract/operation.ts'

const json = 'application/json'
const plainText = 'text/plain; charset=utf-8'

/** The index for a later wait, and how far the answer can be relied on. */
export const indexHeaders = ['index', 'knownLeader', 'lastContact'] as const
/** For answers of the catalog; the last two only with `cached`. */
export const discoveryHeaders = [...indexHeaders, 'effectiveConsistency', 'cache?', 'age?'] as const

type Headers = readonly (AnswerHeader | `${AnswerHeader}?`)[]

export function jsonAnswer(about: string, shape: z.ZodType, headers: Headers = [], status = 200): DeclaredAnswer {
  return { status, about, content: { [json]: shape }, headers }
}

export function emptyAnswer(status: number, about: string, headers: Headers = []): DeclaredAnswer {
  return { status, about, headers }
}

/** A line with the reason. */
export function textAnswer(status: number, about: string, headers: Headers = []): DeclaredAnswer {
  return { status, about, content: { [plainText]: z.string() }, headers }
}

export const done = emptyAnswer(200, 'It is done.')
/** The answer to a registration. */
export const registered = emptyAnswer(200, 'It is done; members that were ignored are named.', ['warning?'])
/** The answer to a conditional change, such as one with `cas`. */
export const taken = jsonAnswer('Whether it took effect.', z.boolean())

/** Schemas of values in answers. */

/** An unsigned 64-bit integer. */
export const uint64Value = z.custom<number | bigint>(() => true).meta({ type: 'integer', format: 'uint64', minimum: 0 })
export const indexValue = z.number().int().nonnegative()
export const textMap = z.record(z.string(), z.string())
export const textList = z.array(z.string()).readonly()

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly()
}
