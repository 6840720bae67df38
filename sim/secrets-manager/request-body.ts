import { parseDuration } from '../../src/base/duration.ts'
import type { Json } from '../../src/base/json.ts'

/** The body of a request: a JSON object. */
export type Body = Readonly<Record<string, Json>>

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text member; empty if it is not a text. */
export function textIn(body: Body, name: string): string {
  const value = body[name]
  return typeof value === 'string' ? value : ''
}

/** Names that are URIs, separated by commas. */
export function urisOf(body: Body): readonly string[] {
  const text = textIn(body, 'uri_sans')
  return text === '' ? [] : text.split(',')
}

/** `"72h"`, `"90m"`, `3600` and `"3600"` in seconds; undefined for any other value, or a negative one. Absent: 0. */
export function secondsOf(value: Json | undefined): number | undefined {
  if (value === undefined || value === '') return 0
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined
  if (typeof value !== 'string') return undefined
  if (/^\d{1,15}$/.test(value)) return Number(value)
  const parsed = parseDuration(value)
  return parsed.ok && parsed.value >= 0 ? Math.floor(parsed.value / 1000) : undefined
}

/** The message for an invalid duration. */
export function notANumber(value: Json | undefined): string {
  return `strconv.ParseInt: parsing "${String(value)}": invalid syntax`
}

/** The message for a field with an invalid duration. */
export function notConverted(value: Json | undefined, field: string): string {
  return `error converting input ${String(value)} for field "${field}": ${notANumber(value)}`
}

/** In the form of warnings: `2h0m0s`. */
export function durationText(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  return `${hours === 0 ? '' : `${hours}h`}${Math.floor(seconds / 60) % 60}m${seconds % 60}s`
}

/** 768 h. */
export const systemLeaseSeconds = 2_764_800
