/** Lines that differ in colour and in dashes, so that they can be printed in grey. */
const strokes = [
  { colour: '#1b6ca8', dash: '' },
  { colour: '#c0392b', dash: '7 3' },
  { colour: '#2e8b57', dash: '2 3' },
  { colour: '#8e44ad', dash: '9 3 2 3' },
  { colour: '#b9770e', dash: '5 2 1 2 1 2' },
  { colour: '#34495e', dash: '12 4' },
  { colour: '#7f8c8d', dash: '1 3' },
] as const

export function strokeOf(index: number): (typeof strokes)[number] {
  return strokes[Math.max(0, index) % strokes.length] as (typeof strokes)[number]
}

/** The style as attributes of an SVG shape. */
export function strokeStyle(index: number): string {
  const { colour, dash } = strokeOf(index)
  return `stroke="${colour}"${dash === '' ? '' : ` stroke-dasharray="${dash}"`}`
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** To a tenth of a pixel, so that the last bit of a logarithm does not show. */
export function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10
}

/** One self-contained document: parts of equal height, one below the other. */
export function svgDocument(
  description: string,
  width: number,
  partHeight: number,
  parts: readonly (readonly string[])[],
): string {
  const height = parts.length * partHeight
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(description)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts.flatMap((part, index) => [`<g transform="translate(0 ${index * partHeight})">`, ...part, '</g>']),
    '</svg>',
    '',
  ].join('\n')
}
