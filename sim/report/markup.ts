const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Escapes a text for HTML and SVG, in elements and in quoted attributes; control characters become visible. */
export function escaped(text: string): string {
  return (
    text
      .replace(/[&<>"']/g, (one) => entities.get(one) as string)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not be in a page
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd')
      .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
  )
}

/** Rounded to a tenth of a pixel: SVG needs no more, and the last bit of a logarithm does not show. */
export function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
