import { textOfByteString } from '../base/bytes.ts'

/**
 * Code points beyond ASCII that nobody can see: controls, format characters, spaces other than the plain one, line and
 * paragraph separators, private use, non-characters (Unicode categories Cc, Cf, Zs, Zl, Zp, Co, and what is never to be
 * assigned). A fixed table and not `\p{…}`: the engine's Unicode version must not change an answer. Code points without
 * a meaning yet count as printable for the same reason.
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

/** Whether every character of the decoded path can be seen. Bytes that are not UTF-8 count as U+FFFD, which can. */
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
