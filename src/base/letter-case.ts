/**
 * With `A` to `Z` in lower case and everything else as it is: names are compared so. Wider rules come from Unicode tables,
 * which differ between releases of Node, and servers must agree.
 */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
