import { textOf, utf8, withinBytes } from '../../base/bytes.ts'
import { utcText } from '../../base/utc-text.ts'
import type { LogLevel, LogParts } from '../../env/observe.ts'

/** Maximum size of a packet with its header. Source: RFC 3164, section 4.1. */
export const packetBytesMax = 1_024
/** Maximum length of a DNS label. */
const hostBytesMax = 63
/** `<191>Nov 23 00:43:36 ` before the host, and `svc: ` after it. */
/** Maximum length of the name of the program. */
const tagBytesMax = 6
const headerBytesMax = 21 + hostBytesMax + 1 + tagBytesMax + 2

/**
 * Severities of RFC 3164 by level, as in the field: informational of syslog is the field's debug. Source: the field's
 * own table for syslog.
 */
const severities: Readonly<Record<LogLevel, number>> = { error: 3, warn: 4, info: 5, debug: 6, trace: 7 }

const cutMark = utf8('…')

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A line to be sent to syslog. */
export interface SyslogLine {
  /** Facility and severity in one number. */
  readonly priority: number
  /** One line of text without control characters, short enough for any header. */
  readonly message: string
  readonly wallMs: number
}

/** `facility` is its number. */
export function syslogLine(facility: number, { level, said, wallMs }: LogParts): SyslogLine {
  return { priority: facility * 8 + severities[level], message: cut(escaped(said.slice(0, packetBytesMax))), wallMs }
}

/**
 * One packet: `<133>Nov 23 00:43:36 host svc: message`. `offsetMs` is the offset of local time from UTC. Source: RFC
 * 3164, 4.1.
 */
export function syslogPacket(
  { priority, message, wallMs }: SyslogLine,
  tag: string,
  hostName: string,
  offsetMs: number,
): Uint8Array {
  return utf8(`<${priority}>${timestamp(wallMs + offsetMs)} ${hostText(hostName)} ${tag}: ${message}`)
}

/** `Nov  3 04:05:06`: a day below ten is padded with a space. */
function timestamp(localMs: number): string {
  const text = utcText(localMs)
  const month = months[Number(text.slice(5, 7)) - 1]
  return `${month} ${String(Number(text.slice(8, 10))).padStart(2)} ${text.slice(11, 19)}`
}

/** The host name without its domain, and without characters that would end the field. */
function hostText(hostName: string): string {
  const label = hostName.split('.')[0] ?? ''
  return label.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, hostBytesMax) || '-'
}

/** A line feed would begin another log line, and other control characters act on the reader's terminal. */
function escaped(text: string): string {
  const unprintable = /[^\x20-\x7e\u00a0-\u2027\u202a-\uffff]/g
  return text.replace(unprintable, (c) => short.get(c) ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const short: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** Cuts the text at the maximum size and marks that with `…`. */
function cut(text: string): string {
  const max = packetBytesMax - headerBytesMax
  return utf8(text).length <= max ? text : withinBytes(text, max - cutMark.length) + textOf(cutMark)
}
