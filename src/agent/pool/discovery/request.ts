import { goEscapeAt } from '../../../base/go-escapes.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'

/** The parts of the environment that a provider uses. */
export type DiscoveryEnv = Pick<Env, 'names' | 'disk' | 'processes' | 'http' | 'tcp'>

/** An entry of `retry_join` that names a provider to ask for addresses, and what to ask for. */
export type DiscoveryRequest = ReadonlyMap<string, string>

/**
 * Parses `provider=aws tag_key=role tag_value="a b"`. Keys and values are taken literally. A value with a space, a
 * backslash or a quote stands in double quotes, where a backslash escapes the next character as in Go. The error names
 * the key and never a value, which may be a secret. Reference: configuration.md#discovery-strings.
 */
export function parseDiscovery(text: string): Result<DiscoveryRequest, string> {
  const found = new Map<string, string>()
  for (let at = skipSpaces(text, 0); at < text.length; at = skipSpaces(text, at)) {
    const key = readWord(text, at)
    if (!key.ok) return err(key.error)
    if (key.value.text === '') return err("a key is missing before '='")
    const name = key.value.text
    if (found.has(name)) return err(`${name}: duplicate key`)
    at = skipSpaces(text, key.value.end)
    if (text[at] !== '=') return err(`${name}: missing '='`)
    at = skipSpaces(text, at + 1)
    if (at >= text.length || text[at] === '=') return err(`${name}: missing value`)
    const value = readWord(text, at)
    if (!value.ok) return err(`${name}: ${value.error}`)
    found.set(name, value.value.text)
    at = value.value.end
  }
  return ok(found)
}

interface Read {
  readonly text: string
  /** Position after the value. */
  readonly end: number
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (/\s/.test(text[at] ?? '')) at++
  return at
}

function readWord(text: string, from: number): Result<Read, string> {
  if (text[from] === '"') return readQuoted(text, from + 1)
  let at = from
  while (at < text.length && !/[\s=]/.test(text.charAt(at))) at++
  const word = text.slice(from, at)
  if (word.includes('"')) return err('unbalanced quotes')
  return ok({ text: word, end: at })
}

function readQuoted(text: string, from: number): Result<Read, string> {
  let out = ''
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') return ok({ text: out, end: at + 1 })
    if (character !== '\\') {
      out += character
      continue
    }
    if (at + 1 === text.length) return err('unterminated escape sequence')
    const meant = goEscapeAt(text, at)
    if (meant === undefined) return err('invalid escape sequence')
    out += meant.text
    at += meant.length - 1
  }
  return err('unbalanced quotes')
}

/** Whether an entry of `retry_join` is a request to a provider and not an address: addresses contain no equals sign. */
export function isDiscovery(entry: string): boolean {
  return entry.includes('=')
}
