import { z } from 'zod'
import { compareText } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { isRecord } from '../../base/shape.ts'
import type { TextPairs } from '../../model/catalog.ts'
import { modifyIndexOf } from '../../model/log-position.ts'
import { directReader, parsedBy } from './direct-reader.ts'
import { type DirectReader, notRead } from './schema-definition.ts'

/** Schemas of MessagePack fields in requests between agents, in the log and in snapshots. */

/** A byte string (base/bytes): one character for each byte. */
const byteTextPattern = /^[\0-\xff]*$/

export const byteText = z.string().regex(byteTextPattern, 'not a byte string')

/** The check of `byteText`. */
export function isByteText(value: unknown): value is string {
  if (typeof value !== 'string') return false
  for (let i = 0; i < value.length; i++) if (value.charCodeAt(i) > 0xff) return false
  return true
}

/** Bytes that share the memory of their message: code that keeps them must copy them. */
export const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'not bytes')

export const count = z.number().int().nonnegative()

/** An index of the state, such as `modifyIndex` of a row. */
export const stateIndex = count.transform(modifyIndexOf)

/** The outcome of commands that create a thing with this ID, or refuse to. */
export const idOrRefusal = z.union([
  z.object({ id: z.string() }).readonly(),
  z.object({ refusal: z.string() }).readonly(),
])

const uint64Max = 0xffff_ffff_ffff_ffffn

/** An unsigned 64-bit integer. MessagePack returns a number if a double can hold the value, hence both types. */
export const uint64 = z
  .union([z.bigint(), z.number().int()])
  .transform((value) => BigInt(value))
  .refine((value) => value >= 0n && value <= uint64Max, 'not an unsigned 64-bit integer')

/** Pairs of text in order of key, so that equal ones have equal bytes. */
export const textPairs = z
  .array(z.tuple([z.string(), z.string()]))
  .transform((pairs): TextPairs => pairs.sort(([a], [b]) => compareText(a, b)))

/** The check of `uint64`; undefined for anything else. */
export function uint64Of(value: unknown): bigint | undefined {
  if (typeof value !== 'bigint' && (typeof value !== 'number' || !Number.isInteger(value))) return undefined
  // Most values are 0: all rows share this one.
  if (value === 0) return 0n
  const whole = BigInt(value)
  return whole >= 0n && whole <= uint64Max ? whole : undefined
}

/** The members of a map, if it has exactly that many. */
export function membersOf(value: unknown, count: number): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) && Object.keys(value).length === count ? value : undefined
}

/** `readDirectly`: what parsing does, without the schema's machinery; undefined where the value is malformed. */
type DirectSchema<T> = z.ZodType<T> & { readonly readDirectly: (value: unknown) => T | undefined }

/**
 * A schema for values that every server parses with every command: `read` returns the value, or undefined if it is
 * malformed. A composed schema would take several times as long.
 */
export function readWith<T>(read: (value: unknown) => T | undefined): DirectSchema<T> {
  const schema = z.unknown().transform((value, context): T => {
    const found = read(value)
    if (found !== undefined) return found
    context.addIssue({ code: 'custom', message: malformed })
    return z.NEVER
  })
  return Object.assign(schema, { readDirectly: read })
}

const malformed = 'malformed'

/** The reader of a schema is kept with the schema. */
const reader = Symbol('direct reader')

/**
 * Parses the value by the schema, or returns its first complaint. A schema of `readWith` is called directly, which
 * takes a tenth of the time; any other is read without its machinery where that is possible (`direct-reader.ts`).
 */
export function readBy<T>(schema: z.ZodType<T>, value: unknown): Result<T, string> {
  const held = schema as DirectSchema<T> & { [reader]?: DirectReader }
  if (held.readDirectly !== undefined) {
    const found = held.readDirectly(value)
    return found === undefined ? err(malformed) : ok(found)
  }
  held[reader] ??= directReader(schema)
  const found = held[reader](value)
  if (found !== notRead) return ok(found as T)
  const parsed = parsedBy(schema, value)
  if (parsed === undefined) return err(malformed)
  return parsed.success ? ok(parsed.data) : err(parsed.error.issues[0]?.message ?? malformed)
}
