import { z } from 'zod'
import { compareText } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { TextPairs } from '../../model/catalog.ts'

/** Schemas of fields that travel as MessagePack between agents, in the log and in snapshots. */

/** A byte string (base/bytes): one character for each byte. */
const byteTextPattern = /^[\0-\xff]*$/

export const byteText = z.string().regex(byteTextPattern, 'not a byte string')

/** As `byteText` sees it. */
export function isByteText(value: unknown): value is string {
  if (typeof value !== 'string') return false
  for (let i = 0; i < value.length; i++) if (value.charCodeAt(i) > 0xff) return false
  return true
}

/** Bytes. They alias the message that they came in: what keeps them copies them. */
export const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'not bytes')

/** An index of the log, or a count. */
export const count = z.number().int().nonnegative()

/** The outcome of commands that make a thing of this ID, or refuse to. */
export const idOrRefusal = z.union([
  z.object({ id: z.string() }).readonly(),
  z.object({ refusal: z.string() }).readonly(),
])

/** As `count` sees it. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

const uint64Max = 0xffff_ffff_ffff_ffffn

/** 64 bits without sign. MessagePack gives back a number where a double holds the value, hence both. */
export const uint64 = z
  .union([z.bigint(), z.number().int()])
  .transform((value) => BigInt(value))
  .refine((value) => value >= 0n && value <= uint64Max, 'not an unsigned 64-bit integer')

/** Pairs of text, put in order of key: equal ones are then equal in every byte. */
export const textPairs = z
  .array(z.tuple([z.string(), z.string()]))
  .transform((pairs): TextPairs => pairs.sort(([a], [b]) => compareText(a, b)))

/** As `uint64` sees it; undefined for anything else. */
export function uint64Of(value: unknown): bigint | undefined {
  if (typeof value !== 'bigint' && !Number.isInteger(value)) return undefined
  // Most are 0: rows that keep it share this one.
  if (value === 0) return 0n
  const whole = BigInt(value as bigint | number)
  return whole >= 0n && whole <= uint64Max ? whole : undefined
}

/** Names of members to values, if the value has exactly that many. */
export function membersOf(value: unknown, count: number): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.keys(value).length === count ? (value as Readonly<Record<string, unknown>>) : undefined
}

/**
 * A schema for what every server reads with every command: `read` gives the value, or undefined where there is none. A
 * schema made of parts takes several times as long.
 */
export function readWith<T>(read: (value: unknown) => T | undefined): z.ZodType<T> {
  const schema = z.unknown().transform((value, context): T => {
    const found = read(value)
    if (found !== undefined) return found
    context.addIssue({ code: 'custom', message: malformed })
    return z.NEVER
  })
  return Object.assign(schema, { readDirectly: read })
}

const malformed = 'malformed'

/** What the schema makes of the value, or its first complaint. One of `readWith` is asked itself, which takes a tenth of the time. */
export function readBy<T>(schema: z.ZodType<T>, value: unknown): Result<T, string> {
  const { readDirectly } = schema as { readonly readDirectly?: (value: unknown) => T | undefined }
  if (readDirectly !== undefined) {
    const found = readDirectly(value)
    return found === undefined ? err(malformed) : ok(found)
  }
  const parsed = schema.safeParse(value)
  return parsed.success ? ok(parsed.data) : err(parsed.error.issues[0]?.message ?? malformed)
}
