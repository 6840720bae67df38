const upperHex = '0123456789ABCDEF'

/**
 * Decodes `%XX` once, as bytes: text and result are byte strings (base/bytes). `plusIsSpace` as in a query.
 * `undefined` where a `%` is not followed by two hex digits.
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

/** Encodes each byte that `keep` does not match; with `spaceAsPlus`, a space becomes `+`. */
export function percentEncode(byteText: string, keep: RegExp, spaceAsPlus = false): string {
  let out = ''
  for (let i = 0; i < byteText.length; i++) {
    const char = byteText.charAt(i)
    if (keep.test(char)) out += char
    else if (char === ' ' && spaceAsPlus) out += '+'
    else out += encodedByte(byteText.charCodeAt(i))
  }
  return out
}

/** Characters that a query's names and values carry as they are. */
export const unreserved = /[A-Za-z0-9\-_.~]/
/** Characters that a path carries as it is. RFC 3986, section 3.3, less those that some readers take for delimiters. */
export const pathCharacters = /[A-Za-z0-9\-_.~$&+,/:;=@]/

function encodedByte(byte: number): string {
  return `%${upperHex.charAt(byte >> 4)}${upperHex.charAt(byte & 15)}`
}

/** -1 for anything that is no hex digit, NaN included. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
