import { textOfByteString } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { HttpResponse } from '../env/http.ts'

/**
 * Invisible code points beyond ASCII: controls, format characters, spaces other than the plain one, line and paragraph
 * separators, private use, non-characters (Unicode categories Cc, Cf, Zs, Zl, Zp, Co, and those that are never
 * assigned). A fixed table rather than `\p{…}`: the engine's Unicode version must not change an answer. Unassigned code
 * points count as printable for the same reason.
 */
const unprintable: readonly (readonly [first: number, last: number])[] = [
  [0x80, 0xa0],
  [0xad, 0xad],
  [0x600, 0x605],
  [0x61c, 0x61c],
  [0x6dd, 0x6dd],
  [0x70f, 0x70f],
  [0x8e2, 0x8e2],
  [0x1680, 0x1680],
  [0x180e, 0x180e],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0xe000, 0xf8ff],
  [0xfdd0, 0xfdef],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xfffe, 0xffff],
  [0x110bd, 0x110bd],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0001, 0xe007f],
  [0xf0000, 0x10ffff],
]

/** Whether every character of the decoded path is visible. Bytes that are not UTF-8 count as U+FFFD, which is. */
export function isPrintable(byteText: string): boolean {
  let ascii = true
  for (let i = 0; i < byteText.length; i++) {
    const code = byteText.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) return false
    if (code > 0x7f) ascii = false
  }
  return ascii || isPrintableText(textOfByteString(byteText))
}

function isPrintableText(text: string): boolean {
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    if (code < 0x80) continue
    for (const [first, last] of unprintable) if (code >= first && code <= last) return false
  }
  return true
}

const upperHex = '0123456789ABCDEF'

/**
 * Decodes `%XX` once, as bytes: text and result are byte strings (base/bytes). `plusIsSpace` as in a query. `undefined`
 * if a `%` is not followed by two hex digits.
 */
export function percentDecode(text: string, plusIsSpace: boolean): string | undefined {
  const spaced = plusIsSpace && text.includes('+') ? text.replaceAll('+', ' ') : text
  let at = spaced.indexOf('%')
  if (at < 0) return spaced
  let out = ''
  let from = 0
  while (at >= 0) {
    const high = hexDigit(spaced.charCodeAt(at + 1))
    const low = hexDigit(spaced.charCodeAt(at + 2))
    if (high < 0 || low < 0) return undefined
    out += spaced.slice(from, at) + String.fromCharCode(high * 16 + low)
    from = at + 3
    at = spaced.indexOf('%', from)
  }
  return out + spaced.slice(from)
}

/** By byte: 1 if it is kept unchanged. */
type KeptBytes = Uint8Array

function keptBytes(one: RegExp): KeptBytes {
  return Uint8Array.from({ length: 256 }, (_, byte) => (one.test(String.fromCharCode(byte)) ? 1 : 0))
}

/** Encodes each byte that is not kept; with `spaceAsPlus`, a space becomes `+`. */
export function percentEncode(byteText: string, kept: KeptBytes, spaceAsPlus = false): string {
  let plain = 0
  while (plain < byteText.length && kept[byteText.charCodeAt(plain)] === 1) plain++
  if (plain === byteText.length) return byteText
  let out = byteText.slice(0, plain)
  for (let i = plain; i < byteText.length; i++) {
    const char = byteText.charAt(i)
    if (kept[byteText.charCodeAt(i)] === 1) out += char
    else if (char === ' ' && spaceAsPlus) out += '+'
    else out += encodedByte(byteText.charCodeAt(i))
  }
  return out
}

/** Characters that need no encoding in a query's names and values. */
export const unreserved = keptBytes(/[A-Za-z0-9\-_.~]/)
/**
 * Characters that need no encoding in a path. RFC 3986, section 3.3, without those that some readers treat as
 * delimiters.
 */
export const pathCharacters = keptBytes(/[A-Za-z0-9\-_.~$&+,/:;=@]/)
/** Characters that a query keeps unchanged. */
const visible = keptBytes(/[\x21-\x7e]/)

function encodedByte(byte: number): string {
  return `%${upperHex.charAt(byte >> 4)}${upperHex.charAt(byte & 15)}`
}

/** -1 for anything that is not a hex digit, including NaN. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** The parsed target of a request. */
interface Target {
  /** Percent-decoded once, as a byte string; begins with `/`. */
  readonly path: string
  /** The part after the `?`, undecoded. */
  readonly rawQuery: string
}

/**
 * Splits a request target: `/path?query`, or the same after `http://host`. RFC 9112, section 3.2. The error is one
 * clause.
 */
export function parseTarget(target: string): Result<Target, string> {
  if (/[\u0100-\uffff]/.test(target)) return err('Request target is not made of bytes')
  const local = target.charCodeAt(0) === 0x2f ? target : withoutAuthority(target)
  if (local === undefined) return err('Request target must begin with /')
  const mark = local.indexOf('?')
  const path = percentDecode(mark < 0 ? local : local.slice(0, mark), false)
  if (path === undefined) return err('Malformed percent-encoding in path')
  return ok({ path, rawQuery: mark < 0 ? '' : local.slice(mark + 1) })
}

function withoutAuthority(target: string): string | undefined {
  const authority = /^https?:\/\/[^/?]+/i.exec(target)
  if (authority === null) return undefined
  const local = target.slice(authority[0].length)
  return local.startsWith('/') ? local : `/${local}`
}

/** The path without empty, `.` and `..` segments; a final slash stays. The same string if there is nothing to clean. */
export function cleanPath(path: string): string {
  if (!/\/(?:\/|\.\.?(?:\/|$))/.test(path)) return path
  const segments: string[] = []
  const parts = path.split('/')
  for (const part of parts) {
    if (part === '..') segments.pop()
    else if (part !== '' && part !== '.') segments.push(part)
  }
  const last = parts.at(-1)
  const slash = segments.length > 0 && last === '' ? '/' : ''
  return `/${segments.join('/')}${slash}`
}

/** A decoded path and an undecoded query in the form of a `Location`. */
export function encodeTarget(path: string, rawQuery: string): string {
  const query = rawQuery === '' ? '' : `?${percentEncode(rawQuery, visible)}`
  return percentEncode(path, pathCharacters) + query
}

/** 301 to a decoded path, with the small page that the field's servers send in answer to a GET. */
export function redirect(
  method: string,
  path: string,
  rawQuery: string,
  common: readonly (readonly [string, string])[],
): HttpResponse {
  const location = encodeTarget(path, rawQuery)
  const headers: (readonly [string, string])[] = [...common, ['Location', location]]
  if (method === 'GET' || method === 'HEAD') headers.push(['Content-Type', 'text/html; charset=utf-8'])
  const body = method === 'GET' ? `<a href="${htmlEscaped(location)}">Moved Permanently</a>.\n\n` : ''
  return { status: 301, headers, body }
}

function htmlEscaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&#39;')
}

/** Maximum number of remembered targets, and maximum length of one. When there are more, all are forgotten. */
const targetsMax = 1_024
const lengthMax = 512

/** Targets that may contain a token, which must not be kept, or name an index, which clients do not repeat. */
const notKept = /token|%|\/acl\/|[?&](?:index|cas)=/i

/** Caches the meaning of targets, because clients repeat them. */
export class KnownTargets<Meaning> {
  readonly #meaningOf: (target: string) => Meaning
  readonly #known = new Map<string, Meaning>()

  /** `meaningOf` must depend only on the target. */
  constructor(meaningOf: (target: string) => Meaning) {
    this.#meaningOf = meaningOf
  }

  of(target: string): Meaning {
    const known = this.#known.get(target)
    if (known !== undefined) return known
    const meaning = this.#meaningOf(target)
    if (target.length > lengthMax || notKept.test(target)) return meaning
    if (this.#known.size >= targetsMax) this.#known.clear()
    this.#known.set(target, meaning)
    return meaning
  }
}
