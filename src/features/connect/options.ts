import { formatDuration, parseDuration } from '../../base/duration.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { optionCharactersMax, optionsMax } from './fields.ts'
import { leafLeftMinMs, type MeshTimes } from './limits.ts'
import type { ProviderOptions } from './model.ts'

/** Options that every provider accepts, and their syntax. Reference: mesh.md#provider-options. */

const hourMs = 3_600_000
const defaultTtlMs = 72 * hourMs
const defaultPeriodMs = 2_160 * hourMs
const ttlMaxMs = 8_760 * hourMs

/** In their spelling over HTTP; configuration files have underscores. */
const names = [
  'LeafCertTTL',
  'RotationPeriod',
  'CSRMaxPerSecond',
  'PrivateKey',
  'RootCert',
  'Address',
  'Token',
  'RootPKIPath',
  'IntermediatePKIPath',
  'CAFile',
  'CertFile',
  'KeyFile',
  'TLSServerName',
  'TLSSkipVerify',
  'PrivateKeyType',
  'PrivateKeyBits',
] as const

/** The options that every provider accepts. */
export const commonOptions = ['LeafCertTTL', 'CSRMaxPerSecond', 'PrivateKeyType', 'PrivateKeyBits'] as const

const spelled: ReadonlyMap<string, string> = new Map(names.map((name) => [lowerAscii(name), name]))

/** Replaces a secret in an answer, and stands for the stored secret when it is written back. */
const hiddenText = 'hidden'

/** Normalizes the spelling of options and checks their types; the error says what is wrong. */
export function readOptions(given: Readonly<Record<string, unknown>>): Result<ProviderOptions, string> {
  const entries = Object.entries(given)
  if (entries.length > optionsMax) return err(`more than ${optionsMax} options`)
  const read = new Map<string, string | number | boolean>()
  for (const [name, input] of entries) {
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) return err('an option has an invalid name')
    const known = spelled.get(lowerAscii(name).replaceAll('_', '')) ?? name
    // A double cannot count beyond 104 days in nanoseconds, which arrive as another type.
    const value = typeof input === 'bigint' ? Number(input) : input
    if (value === null || value === undefined) continue
    const isNumber = typeof value === 'number' && Number.isFinite(value)
    if (typeof value !== 'string' && typeof value !== 'boolean' && !isNumber) {
      return err(decodingError(known, 'expected a text, a number or a boolean'))
    }
    if (typeof value === 'string' && value.length > optionCharactersMax) {
      return err(decodingError(known, `is longer than ${optionCharactersMax} characters`))
    }
    read.set(known, value)
  }
  return ok(Object.freeze(Object.fromEntries(read)))
}

/** Empty if the option is absent. Numbers and booleans are converted to text. */
export function textOption(options: ProviderOptions, name: string): string {
  const value = Object.hasOwn(options, name) ? options[name] : undefined
  return value === undefined || value === null ? '' : String(value)
}

/** What is wrong with the common options; undefined if nothing is. */
export function commonProblem(options: ProviderOptions, times: MeshTimes): string | undefined {
  for (const name of ['LeafCertTTL', 'RotationPeriod'] as const) {
    const read = durationOption(options, name, 0)
    if (!read.ok) return decodingError(name, `time: invalid duration ${JSON.stringify(textOption(options, name))}`)
  }
  const rate = rateProblem(options[rateName])
  if (rate !== undefined) return decodingError(rateName, rate)
  const ttlMs = leafTtlMs(options)
  const { leafTtlMinMs, skewMs } = times
  if (ttlMs < leafTtlMinMs) return `leaf cert TTL must be greater than ${hoursText(leafTtlMinMs)}`
  // Of such a life nothing worth signing would be left. The back-dated moment is rounded to a second.
  const leastMs = skewMs + leafLeftMinMs(times)
  if (ttlMs < leastMs + 1_000) {
    const why = `leaves are back-dated by the clock skew, ${hoursText(skewMs)}`
    return `leaf cert TTL must be greater than ${hoursText(leastMs)}: ${why}`
  }
  if (ttlMs > ttlMaxMs) return 'leaf cert TTL must be less than 1 year'
  return undefined
}

function decodingError(name: string, why: string): string {
  return `error decoding config: 1 error(s) decoding:\n\n* error decoding '${name}': ${why}`
}

/** The lifetime of leaves. The options were checked before; an unreadable value counts as absent. */
export function leafTtlMs(options: ProviderOptions): number {
  const read = durationOption(options, 'LeafCertTTL', defaultTtlMs)
  return read.ok ? read.value : defaultTtlMs
}

/** Number of leaves that the leader signs per second; 0: no limit. The field has this option since 1.4.1. */
const rateName = 'CSRMaxPerSecond'
const rateMax = 100_000

/** What is wrong with a rate of leaves per second; undefined if nothing is. */
export function rateProblem(given: unknown): string | undefined {
  if (given === undefined || given === '') return undefined
  const isBlank = typeof given === 'string' && given.trim() === ''
  const isGiven = typeof given === 'number' || typeof given === 'string'
  const rate = isGiven && !isBlank ? Number(given) : Number.NaN
  if (rate === 0 || (rate >= 1 && rate <= rateMax)) return undefined
  return `${JSON.stringify(given)} is neither 0 nor a number from 1 to ${rateMax}`
}

/** Infinity: no limit. The options were checked before; an unreadable value counts as absent. */
export function leavesPerSecondOf(options: ProviderOptions, absent: number): number {
  const given = Object.hasOwn(options, rateName) ? options[rateName] : undefined
  if (given === undefined || given === '' || rateProblem(given) !== undefined) return absent
  return Number(given) === 0 ? Number.POSITIVE_INFINITY : Number(given)
}

/** A number is in nanoseconds. */
function durationOption(options: ProviderOptions, name: string, absentMs: number): Result<number, string> {
  const value = Object.hasOwn(options, name) ? options[name] : undefined
  if (typeof value === 'number') return ok(value / 1e6)
  const text = textOption(options, name)
  return text === '' ? ok(absentMs) : parseDuration(text)
}

/** The options for display: secrets hidden, and the two that are always shown filled in. Spec: CA-050, CA-051. */
export function shownOptions(options: ProviderOptions, secrets: readonly string[]): ProviderOptions {
  const shown = new Map(Object.entries(options))
  for (const name of secrets) {
    if (textOption(options, name) !== '') shown.set(name, hiddenText)
  }
  shown.set('LeafCertTTL', inHours(options, 'LeafCertTTL', defaultTtlMs))
  shown.set('RotationPeriod', inHours(options, 'RotationPeriod', defaultPeriodMs))
  return Object.fromEntries(shown)
}

function inHours(options: ProviderOptions, name: string, absentMs: number): string {
  const read = durationOption(options, name, absentMs)
  return hoursText(read.ok ? read.value : absentMs)
}

/** A lifetime as operators write it: whole hours as `72h`. */
export function hoursText(ms: number): string {
  return ms % hourMs === 0 ? `${ms / hourMs}h` : formatDuration(ms)
}

export function isHidden(options: ProviderOptions, name: string): boolean {
  return textOption(options, name) === hiddenText
}

/** Restores stored secrets where hidden ones were written back; the error is the name of one without a stored value. */
export function withStoredSecrets(
  given: ProviderOptions,
  stored: ProviderOptions,
  secrets: readonly string[],
): Result<ProviderOptions, string> {
  const merged = new Map(Object.entries(given))
  for (const name of secrets) {
    if (!isHidden(given, name)) continue
    const kept = textOption(stored, name)
    if (kept === '') return err(name)
    merged.set(name, kept)
  }
  return ok(Object.freeze(Object.fromEntries(merged)))
}

/** Whether two sets are equal, in any order. */
export function sameOptions(a: ProviderOptions, b: ProviderOptions): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
}
