/**
 * A value of a key as an operator edits it: as text, or in base64 where the bytes are no text, or no text that a text
 * field can hold.
 */
export interface EditedValue {
  readonly form: 'text' | 'base64'
  readonly text: string
  /** What the lines of the value end with, if not with a line feed, as they do in the text. */
  readonly lineEnd?: '\r\n'
}

/** A text field makes every line end a line feed. HTML Standard, section 4.10.11. */
export function editedValue(base64: string | null): EditedValue {
  const written = textIn(bytesOf(base64 ?? ''))
  if (written === undefined) return { form: 'base64', text: base64 ?? '' }
  if (!written.includes('\r')) return { form: 'text', text: written }
  const text = written.replaceAll('\r\n', '\n')
  const isOneKind = !text.includes('\r') && text.replaceAll('\n', '\r\n') === written
  return isOneKind ? { form: 'text', text, lineEnd: '\r\n' } : { form: 'base64', text: base64 ?? '' }
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The bytes to write; undefined: the text is not base64. */
export function bytesToWrite({ form, text, lineEnd }: EditedValue): Uint8Array | undefined {
  if (form === 'text') return new TextEncoder().encode(text.replaceAll('\n', lineEnd ?? '\n'))
  try {
    return bytesOf(text.replace(/\s+/g, ''))
  } catch {
    return undefined
  }
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  // By way of an iterator over characters, a value of half a megabyte takes a quarter of a second.
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** Whether a text means to be JSON, and if so, what is wrong with it. */
export type JsonCheck =
  | { readonly kind: 'no-json' }
  | { readonly kind: 'json'; readonly formatted: string }
  | { readonly kind: 'broken'; readonly why: string }

export function jsonCheck(text: string): JsonCheck {
  const begin = text.trimStart().charAt(0)
  if (begin !== '{' && begin !== '[') return { kind: 'no-json' }
  try {
    JSON.parse(text)
    return { kind: 'json', formatted: formattedJson(text) }
  } catch (cause) {
    return { kind: 'broken', why: cause instanceof Error ? cause.message : String(cause) }
  }
}

/** Deeper lines begin where these do: of thousands of brackets, each further would be longer than all text. */
const indentedMax = 50

/** The same JSON with a line for each member. Numbers and names stay as they are written: parsing would change some. */
function formattedJson(json: string): string {
  const signs = json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  let depth = 0
  const line = (): string => `\n${'  '.repeat(Math.min(depth, indentedMax))}`
  const written = signs.map((sign, at) => {
    if (sign === '}' || sign === ']') {
      depth--
      return isOpening(signs[at - 1]) ? sign : line() + sign
    }
    const begin = isOpening(signs[at - 1]) ? line() : ''
    if (isOpening(sign)) depth++
    if (sign === ',') return sign + line()
    return begin + (sign === ':' ? ': ' : sign)
  })
  return written.join('')
}

function isOpening(sign: string | undefined): boolean {
  return sign === '{' || sign === '['
}

export type JsonPart = readonly [kind: 'name' | 'text' | 'number' | 'word' | 'sign', text: string]

const pieces = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b|([^"\d\w-]+|.)/gs

/** The parts of a text in JSON, for colours. All parts together are the text. */
export function jsonParts(text: string): readonly JsonPart[] {
  return [...text.matchAll(pieces)].flatMap(([whole, quoted, colon, number, word]): readonly JsonPart[] => {
    if (quoted !== undefined && colon !== undefined)
      return [
        ['name', quoted],
        ['sign', colon],
      ]
    if (quoted !== undefined) return [['text', quoted]]
    if (number !== undefined) return [['number', number]]
    return [[word === undefined ? 'sign' : 'word', whole]]
  })
}
