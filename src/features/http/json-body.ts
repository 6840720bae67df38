import { compareText, emptyBytes, fromBase64 } from '../../base/bytes.ts'
import { ofNanoseconds, parseDuration } from '../../base/duration.ts'
import { type JsonFault, type JsonInput, parseBoundedJson, plainOf } from '../../base/json-input.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { TextPairs } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { bodyMembersMax, bodyValuesMax } from '../../model/limits.ts'
import { type JsonSchema, orNull } from '../contract/operation.ts'

/**
 * Parses bodies of requests as the field does (HTTP API 1.1): names of members match without case, unknown ones are
 * ignored, an absent member or null is the zero of its type, and a text is never converted to a number.
 *
 * A decoder states what it expects; decoders are composed by `object`, `list` and `nullable`, and `decodeBody` runs
 * one.
 */
export interface Decoder<T> {
  (value: JsonInput | undefined, place: string, report: Report): T
  /** The schema that it accepts, with names of members in the field's spelling. */
  readonly accepts: JsonSchema
}

export type Decode<T> = (value: JsonInput | undefined, place: string, report: Report) => T

/** All decoders accept absent members and null. */
export function decoder<T>(accepts: JsonSchema, decode: Decode<T>): Decoder<T> {
  return Object.assign(decode, { accepts: orNull(accepts) })
}

/** Collects errors. */
export interface Report {
  /** A wrong type: all of them are reported together. */
  mismatch(line: string): void
  /** A malformed text: only the first is reported. */
  malformed(line: string): void
}

const decodeFailed = 'Request decode failed'

/** Limits of every JSON body, whatever it is for. */
const bodyBounds = { values: bodyValuesMax, members: bodyMembersMax }

/** Maximum number of wrong types in one answer; a body can have a great many. */
const mismatchesMax = 64

/** `heading` is the beginning of the error line. */
export function decodeBody<T>(body: Uint8Array, decoder: Decoder<T>, heading = decodeFailed): Result<T, Failure> {
  const parsed = parseBoundedJson(body, bodyBounds)
  if (!parsed.ok) return unread(heading, parsed.error)
  const mismatches: string[] = []
  const malformed: string[] = []
  const value = decoder(parsed.value, '', {
    mismatch: (line) => {
      if (mismatches.length < mismatchesMax) mismatches.push(line)
    },
    malformed: (line) => {
      if (malformed.length === 0) malformed.push(line)
    },
  })
  if (malformed[0] !== undefined) return refused(heading, malformed[0])
  if (mismatches.length === 0) return ok(value)
  const lines = mismatches.sort(compareText).map((line) => `* ${line}`)
  return refused(heading, `${lines.length} error(s) decoding:\n\n${lines.join('\n')}`)
}

/** The body of a request as plain data. */
export function plainBody(body: Uint8Array): Result<unknown, Failure> {
  const parsed = parseBoundedJson(body, bodyBounds)
  return parsed.ok ? ok(plainOf(parsed.value)) : unread(decodeFailed, parsed.error)
}

/** A body with too many values is answered by 413, like one with too many bytes. */
function unread(heading: string, { kind, message }: JsonFault): Result<never, Failure> {
  return kind === 'malformed'
    ? refused(heading, message)
    : err({ kind: 'too-large', message: `${heading}: ${message}` })
}

function refused(heading: string, why: string): Result<never, Failure> {
  return err({ kind: 'bad-request', message: `${heading}: ${why}` })
}

export const text: Decoder<string> = decoder({ type: 'string' }, (value, place, report) => {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : wrongType(value, place, report, 'string', '')
})

export const flag: Decoder<boolean> = decoder({ type: 'boolean' }, (value, place, report) => {
  if (value === undefined || value === null) return false
  return typeof value === 'boolean' ? value : wrongType(value, place, report, 'bool', false)
})

/** A fraction is refused: the caller did not mean the truncated value. */
export const integer: Decoder<number> = decoder({ type: 'integer' }, (value, place, report) => {
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number' && typeof value !== 'bigint') return wrongType(value, place, report, 'int', 0)
  const whole = Number(value)
  if (Number.isSafeInteger(whole)) return whole
  report.mismatch(`'${place}' ${Number.isInteger(whole) ? 'is out of range' : 'is not a whole number'}`)
  return 0
})

export const float: Decoder<number> = decoder({ type: 'number' }, (value, place, report) => {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  return wrongType(value, place, report, 'float64', 0)
})

const uint64Max = 0xffff_ffff_ffff_ffffn

/** An unsigned 64-bit integer. */
export const uint64: Decoder<bigint> = decoder(
  { type: 'integer', format: 'uint64', minimum: 0 },
  (value, place, report) => {
    if (value === undefined || value === null) return 0n
    if (typeof value !== 'number' && typeof value !== 'bigint') return wrongType(value, place, report, 'uint64', 0n)
    const whole = Number.isInteger(value) || typeof value === 'bigint' ? BigInt(value) : -1n
    if (whole >= 0n && whole <= uint64Max) return whole
    report.mismatch(`'${place}' is not an unsigned 64-bit integer`)
    return 0n
  },
)

/** Bytes, as padded base64. */
export const base64Bytes: Decoder<Uint8Array> = decoder(
  { type: 'string', contentEncoding: 'base64' },
  (value, place, report) => {
    if (value === undefined || value === null) return emptyBytes
    if (typeof value !== 'string') return wrongType(value, place, report, 'string', emptyBytes)
    const bytes = fromBase64(value)
    if (bytes === undefined) report.malformed('failed to decode value: illegal base64 data')
    return bytes ?? emptyBytes
  },
)

export const durationSchema: JsonSchema = {
  type: ['string', 'number'],
  description: 'A duration with its unit (`10s`, `1h30m`), or a number of nanoseconds.',
}

/** A text with a unit, or a number of nanoseconds; decoded to milliseconds. */
export const duration: Decoder<number> = decoder(durationSchema, (value, place, report) => {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number' || typeof value === 'bigint') {
    const milliseconds = ofNanoseconds(value)
    if (milliseconds === undefined) report.mismatch(`'${place}' is out of range`)
    return milliseconds ?? 0
  }
  if (typeof value !== 'string') return wrongType(value, place, report, 'time.Duration', 0)
  if (value === '') return 0
  const parsed = parseDuration(value)
  if (parsed.ok) return parsed.value
  const name = place.slice(place.lastIndexOf('.') + 1)
  report.malformed(`invalid ${JSON.stringify(name)}: time: invalid duration ${JSON.stringify(value)}`)
  return 0
})

export function list<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return decoder({ type: 'array', items: item.accepts }, (value, place, report) => {
    if (value === undefined || value === null) return []
    if (!isList(value)) {
      report.mismatch(`'${place}': source data must be an array or slice, got ${kindOf(value)}`)
      return []
    }
    return value.map((one, at) => item(one, `${place}[${at}]`, report))
  })
}

/** Members with arbitrary names, in order of name. */
export function members<T>(item: Decoder<T>): Decoder<readonly (readonly [name: string, value: T])[]> {
  return decoder({ type: 'object', additionalProperties: item.accepts }, (value, place, report) => {
    if (value === undefined || value === null) return []
    if (!isObject(value)) return notAnObject(value, place, report, [])
    return [...value]
      .sort(([a], [b]) => compareText(a, b))
      .map(([name, one]) => [name, item(one, `${place}[${name}]`, report)] as const)
  })
}

/** `null` if nothing was given. */
export const textPairs: Decoder<TextPairs | null> = nullable(members(text))

export function nullable<T>(inner: Decoder<T>): Decoder<T | null> {
  return decoder<T | null>(inner.accepts, (value, place, report) => {
    return value === undefined || value === null ? null : inner(value, place, report)
  })
}

/** An object with these members, under the field's names. `otherNames` maps further spellings to these names. */
export function object<Shape extends Readonly<Record<string, Decoder<unknown>>>>(
  shape: Shape,
  otherNames: Readonly<Record<string, keyof Shape & string>> = {},
): Decoder<{ readonly [Name in keyof Shape]: ReturnType<Shape[Name]> }> {
  const names = new Map(Object.keys(shape).map((name) => [lowerAscii(name), name]))
  for (const [other, name] of Object.entries(otherNames)) names.set(lowerAscii(other), name)
  const properties = Object.fromEntries(Object.entries(shape).map(([name, { accepts }]) => [name, accepts]))
  return decoder({ type: 'object', properties }, (value, place, report) => {
    const given = new Map<string, JsonInput>()
    if (value !== undefined && value !== null) {
      if (!isObject(value)) notAnObject(value, place, report, undefined)
      else for (const [name, member] of value) takeMember(given, names.get(lowerAscii(name)), name, member)
    }
    const inside = place === '' ? '' : `${place}.`
    const out = Object.entries(shape).map(([name, member]) => [
      name,
      member(given.get(name), `${inside}${name}`, report),
    ])
    return Object.fromEntries(out)
  })
}

/** Of several spellings of one name the exact one counts, otherwise the first. */
function takeMember(given: Map<string, JsonInput>, name: string | undefined, spelled: string, value: JsonInput): void {
  if (name !== undefined && (spelled === name || !given.has(name))) given.set(name, value)
}

function wrongType<T>(value: JsonInput, place: string, report: Report, wanted: string, instead: T): T {
  report.mismatch(`'${place}' expected type '${wanted}', got unconvertible type '${typeOf(value)}'`)
  return instead
}

function notAnObject<T>(value: JsonInput, place: string, report: Report, instead: T): T {
  report.mismatch(`'${place}' expected a map, got '${kindOf(value)}'`)
  return instead
}

function isList(value: JsonInput): value is readonly JsonInput[] {
  return Array.isArray(value)
}

function isObject(value: JsonInput): value is ReadonlyMap<string, JsonInput> {
  return value instanceof Map
}

/** The names of JSON types in the field's error texts. */
function kindOf(value: JsonInput): string {
  if (isList(value)) return 'slice'
  if (isObject(value)) return 'map'
  return typeOf(value)
}

function typeOf(value: JsonInput): string {
  if (isList(value)) return 'array'
  if (isObject(value)) return 'object'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'bool' : 'float64'
}
