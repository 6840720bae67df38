/** An escape of Go's string literals, read. */
export interface GoEscape {
  readonly text: string
  /** From the backslash on. */
  readonly length: number
}

const simple: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ['"', '"'],
])

const codes = /\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y

/**
 * Parses the escape whose backslash is at `at`, within double quotes: `\n`, `\"`, `\x41`, `\101`, `\u00e9`,
 * `\U0001f600`. Undefined if it is malformed, or no character. Source: the Go specification, "Rune literals".
 */
export function goEscapeAt(text: string, at: number): GoEscape | undefined {
  const meant = simple.get(text[at + 1] ?? '')
  if (meant !== undefined) return { text: meant, length: 2 }
  codes.lastIndex = at
  const found = codes.exec(text)
  if (found === null) return undefined
  const [all, octal, ...hexadecimal] = found
  const digits = hexadecimal.find((each) => each !== undefined)
  const point = octal === undefined ? Number.parseInt(digits ?? '', 16) : Number.parseInt(octal, 8)
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined
  return { text: String.fromCodePoint(point), length: all.length }
}
