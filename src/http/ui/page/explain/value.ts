/** A value of a key as an operator edits it: as text, or in base64 where the bytes are no text. */
export interface EditedValue {
  readonly form: 'text' | 'base64'
  readonly text: string
}

export function editedValue(base64: string | null): EditedValue {
  const bytes = bytesOf(base64 ?? '')
  try {
    return { form: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { form: 'base64', text: base64 ?? '' }
  }
}

/** The bytes to write; undefined: the text is not base64. */
export function bytesToWrite({ form, text }: EditedValue): Uint8Array | undefined {
  if (form === 'text') return new TextEncoder().encode(text)
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
    return { kind: 'json', formatted: JSON.stringify(JSON.parse(text), null, 2) }
  } catch (cause) {
    return { kind: 'broken', why: cause instanceof Error ? cause.message : String(cause) }
  }
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
