/** A line, or the place of lines that say much the same. */
export type Folded<Line> = { readonly line: Line } | { readonly more: number; readonly like: Line; readonly last: Line }

/** So many lines of one shape stand in a row before they are folded. */
const inRow = 3

/** Lines in a row that have one shape: the first and the last stay, and between them stands how many more there are. */
export function folded<Line>(lines: readonly Line[], shapeOf: (line: Line) => string): readonly Folded<Line>[] {
  const out: Folded<Line>[] = []
  for (let at = 0; at < lines.length; ) {
    const shape = shapeOf(lines[at] as Line)
    let end = at + 1
    while (end < lines.length && shapeOf(lines[end] as Line) === shape) end++
    const row = lines.slice(at, end)
    at = end
    if (row.length <= inRow) out.push(...row.map((line) => ({ line })))
    else {
      const [like, last] = [row[0] as Line, row.at(-1) as Line]
      out.push({ line: like }, { more: row.length - 2, like, last: row.at(-2) as Line }, { line: last })
    }
  }
  return out
}

/**
 * The lines that tell most, folded, so that there are no more than `most`: the costliest go first, and those of equal
 * cost from the front. The order stays.
 */
export function shortened<Line>(
  lines: readonly Line[],
  most: number,
  { shapeOf, costOf }: { readonly shapeOf: (line: Line) => string; readonly costOf: (line: Line) => number },
): readonly Folded<Line>[] {
  const dearest = lines
    .map((line, at) => ({ line, at }))
    .toSorted((a, b) => costOf(a.line) - costOf(b.line) || b.at - a.at)
  // Folding makes lines fewer, so more than `most` may stay; by halves, for there may be thousands.
  const keptOf = (count: number): readonly Folded<Line>[] => {
    const kept = dearest.slice(0, count).toSorted((a, b) => a.at - b.at)
    return folded(
      kept.map(({ line }) => line),
      shapeOf,
    )
  }
  let [least, beyond] = [0, lines.length + 1]
  while (beyond - least > 1) {
    const middle = Math.floor((least + beyond) / 2)
    if (keptOf(middle).length <= most) least = middle
    else beyond = middle
  }
  return keptOf(least)
}
