import { err, ok, type Result } from '../base/result.ts'
import { pathCharacters, percentDecode, percentEncode } from './percent-encoding.ts'

/** Where a request points. */
export interface Target {
  /** Percent-decoded once, as a byte string; begins with `/`. */
  readonly path: string
  /** What followed the `?`, undecoded. */
  readonly rawQuery: string
}

/** Takes a request target apart: `/path?query`, or the same behind `http://host`. RFC 9112, section 3.2. The error is one clause. */
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

/** The path without empty, `.` and `..` segments; a final slash stays. The same string when there is nothing to clean. */
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

/** A decoded path and an undecoded query as they are written in a `Location`. */
export function encodeTarget(path: string, rawQuery: string): string {
  const query = rawQuery === '' ? '' : `?${percentEncode(rawQuery, /[\x21-\x7e]/)}`
  return percentEncode(path, pathCharacters) + query
}
