/**
 * Puts `A` to `Z` in lower case and leaves everything else unchanged: names are compared in this form. Wider rules come
 * from Unicode tables, which differ between releases of Node, and servers must agree.
 */
export function lowerAscii(text: string): string {
  // Most texts have no capitals, and testing for that is much cheaper than replacing nothing.
  if (!capital.test(text)) return text
  // For plain ASCII the engine's own rule is the same.
  return beyondAscii.test(text) ? loweredBesideOthers(text) : text.toLowerCase()
}

const capital = /[A-Z]/
const beyondAscii = /[\u0080-\uffff]/

/**
 * Number of characters of a piece, and thus of arguments of one call: far fewer than fit on the stack. Replacing each
 * run of capitals by a function takes ten times as long if there are many.
 */
const pieceMax = 4096

function loweredBesideOthers(text: string): string {
  let out = ''
  for (let from = 0; from < text.length; from += pieceMax) {
    const codes = new Array<number>(Math.min(pieceMax, text.length - from))
    for (let at = 0; at < codes.length; at++) {
      const code = text.charCodeAt(from + at)
      codes[at] = code >= 0x41 && code <= 0x5a ? code + 0x20 : code
    }
    out += String.fromCharCode(...codes)
  }
  return out
}
