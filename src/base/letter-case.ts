/**
 * With `A` to `Z` in lower case and everything else as it is: names are compared so. Wider rules come from Unicode
 * tables, which differ between releases of Node, and servers must agree.
 */
export function lowerAscii(text: string): string {
  // Most texts have none, and to look is much cheaper than to replace nothing.
  if (!capital.test(text)) return text
  // For plain ASCII the engine's own rule is the same.
  return beyondAscii.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase()
}

const capital = /[A-Z]/
const beyondAscii = /[\u0080-\uffff]/
