import type { Fields, LogLevel } from '../env/observe.ts'

/** One entry of a log. */
export interface LogRecord {
  readonly wallMs: number
  readonly level: LogLevel
  readonly topic: string
  readonly text: string
  readonly fields: Fields | undefined
}

/** The least severe first. */
export const logLevels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error']

const tags: Record<LogLevel, string> = { trace: 'TRACE', debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERR' }

/**
 * One line in the field's format, local time, without indent and line feed: `2026/11/21 03:21:21 [INFO] raft: text
 * key=value`. `said`: see `saidText`. Reference: telemetry.md#log-1, telemetry.md#log-2.
 */
export function logLine(wallMs: number, level: LogLevel, said: string): string {
  return `${localTime(wallMs)} [${tags[level]}] ${said}`
}

/** The line without its time and level: `raft: text key=value`. */
export function saidText(topic: string, text: string, fields?: Fields): string {
  let line = `${topic}: ${text}`
  if (fields === undefined) return line
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${key}=${fieldText(value)}`
  }
  return line
}

/** An ambiguous value (with a space, a quote, or a line feed that forges a line) is quoted. */
function fieldText(value: string | number | bigint | boolean): string {
  const text = typeof value === 'number' ? numberText(value) : String(value)
  return /^[\x21\x23-\x3c\x3e-\x7e\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe]+$/.test(text) ? text : escapedJson(text)
}

/** Clocks give milliseconds with the noise of binary fractions: no line needs more than three decimals. */
function numberText(value: number): string {
  return Number.isInteger(value) || !Number.isFinite(value) ? String(value) : String(Number(value.toFixed(3)))
}

/** JSON's escapes do not cover DEL, the second set of control characters and the line separators. */
function escapedJson(value: unknown): string {
  const hard = /[\u007f-\u009f\u2028\u2029]/g
  return JSON.stringify(value).replace(hard, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function localTime(wallMs: number): string {
  const date = new Date(wallMs)
  const day = `${date.getFullYear()}/${twoDigits(date.getMonth() + 1)}/${twoDigits(date.getDate())}`
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}:${twoDigits(date.getSeconds())}`
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}

/**
 * The same record as one line of JSON, with the member names of later releases of the field: `@timestamp` (RFC 3339,
 * UTC), `@level`, `@module`, `@message`, and the fields beside them under their own names.
 */
export function logJson({ wallMs, level, topic, text, fields }: LogRecord): string {
  const line: Record<string, unknown> = {
    '@level': level,
    '@message': text,
    '@module': topic,
    '@timestamp': new Date(wallMs).toISOString(),
  }
  for (const [key, value] of Object.entries(fields ?? {})) {
    // Beyond 2^53, readers of JSON lose digits.
    line[key] = typeof value !== 'bigint' || !Number.isSafeInteger(Number(value)) ? jsonValue(value) : Number(value)
  }
  return escapedJson(line)
}

function jsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
