import { goEscapeAt } from '../base/go-escapes.ts'
import { HclError } from './problem.ts'

/** The content between the quotes; `${…}` is kept literally, as in the field, because it has no meaning here. */
export function stringValue(inside: string, offset: number): string {
  if (!inside.includes('\\')) return inside
  let value = ''
  for (let at = 0; at < inside.length; ) {
    const character = inside.charAt(at)
    if (character === '$' && inside[at + 1] === '{') {
      const end = interpolationEnd(inside, at)
      value += inside.slice(at, end)
      at = end
    } else if (character === '\\') {
      const meant = goEscapeAt(inside, at)
      if (meant === undefined) throw new HclError(offset + at, 'illegal char escape')
      value += meant.text
      at += meant.length
    } else {
      value += character
      at++
    }
  }
  return value
}

function interpolationEnd(inside: string, from: number): number {
  let depth = 1
  let at = from + 2
  for (; at < inside.length && depth > 0; at++) {
    if (inside[at] === '{') depth++
    else if (inside[at] === '}') depth--
  }
  return at
}

/** Decimal, `0x1F`, `017`; whole numbers beyond 2^53 and too large fractions cannot be represented and are refused. */
export function numberValue(text: string, isWhole: boolean, offset: number): number {
  const digits = text.replace('-', '')
  if (isWhole && /^0\d*[89]/.test(digits)) throw new HclError(offset, `illegal octal number ${shown(text)}`)
  const isOctal = isWhole && /^0\d+$/.test(digits)
  const size = isOctal ? Number.parseInt(digits, 8) : Number(digits)
  const canBeHeld = isWhole ? Number.isSafeInteger(size) : Number.isFinite(size)
  if (!canBeHeld) throw new HclError(offset, `${shown(text)} is out of range`)
  return text.startsWith('-') && size > 0 ? -size : size
}

const shownMax = 40

/** The number for a message, shortened, because it may have as many digits as its text has characters. */
function shown(text: string): string {
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}… (${text.length} characters)`
}

/**
 * The lines before the mark. With `<<-`, the white space before the mark is removed from every line, if every line has
 * it. `body` ends with the text before the mark on its line.
 */
export function heredocValue(body: string, unindent: boolean): string {
  const lines = body.split('\n')
  const indent = lines.pop() ?? ''
  if (!unindent) return body
  const isIndented = lines.every((line) => line.startsWith(indent))
  return lines.map((line) => `${isIndented ? line.slice(indent.length) : line}\n`).join('')
}
