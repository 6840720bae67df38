import { z } from 'zod'
import { compareText } from '../base/bytes.ts'
import type { TextPairs } from '../model/catalog.ts'

/** Schemas of fields that travel as MessagePack between agents, in the log and in snapshots. */

/** A byte string (base/bytes): one character for each byte. */
export const byteText = z.string().regex(/^[\0-\xff]*$/, 'not a byte string')

/** Bytes. They alias the message that they came in: what keeps them copies them. */
export const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'not bytes')

/** An index of the log, or a count. */
export const count = z.number().int().nonnegative()

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
