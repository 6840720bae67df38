import { parseDuration } from '../../src/base/duration.ts'
import type { Json } from '../../src/base/json.ts'

/** The body of a request: an object of JSON. */
export type Body = Readonly<Record<string, Json>>

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text of it; empty where it is none. */
export function textIn(body: Body, name: string): string {
  const value = body[name]
  return typeof value === 'string' ? value : ''
}

/** Names that are URIs, apart by commas. */
export function urisOf(body: Body): readonly string[] {
  const text = textIn(body, 'uri_sans')
  return text === '' ? [] : text.split(',')
}

/** `"72h"`, `"90m"`, `3600` and `"3600"` in seconds; undefined where it is none of these, or negative. Absent: 0. */
export function secondsOf(value: Json | undefined): number | undefined {
  if (value === undefined || value === '') return 0
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined
  if (typeof value !== 'string') return undefined
  if (/^\d{1,15}$/.test(value)) return Number(value)
  const parsed = parseDuration(value)
  return parsed.ok && parsed.value >= 0 ? Math.floor(parsed.value / 1000) : undefined
}

/** What is said of a duration that is none. */
export function notANumber(value: Json | undefined): string {
  return `strconv.ParseInt: parsing "${String(value)}": invalid syntax`
}

/** What is said of a field whose duration is none. */
export function notConverted(value: Json | undefined, field: string): string {
  return `error converting input ${String(value)} for field "${field}": ${notANumber(value)}`
}

/** As warnings write it: `2h0m0s`. */
export function durationText(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  return `${hours === 0 ? '' : `${hours}h`}${Math.floor(seconds / 60) % 60}m${seconds % 60}s`
}

/** 768 h. */
export const systemLeaseSeconds = 2_764_800
