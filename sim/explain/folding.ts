/** A line, or a place that stands for similar lines. */
export type Folded<Line> = { readonly line: Line } | { readonly more: number; readonly like: Line; readonly last: Line }

/** How lines are compared: by what they have in common, and by how little each explains. */
export interface Folding<Line> {
  readonly shapeOf: (line: Line) => string
  readonly costOf: (line: Line) => number
}

/** Maximum number of lines of one shape that are kept. */
const ofShapeMax = 4

/**
 * Of many lines of one shape, the most explanatory are kept; the number of the others stands at the place of the first
 * of them. The order does not change.
 */
export function folded<Line>(lines: readonly Line[], { shapeOf, costOf }: Folding<Line>): readonly Folded<Line>[] {
  const shapes = new Map<string, Line[]>()
  for (const line of lines) {
    const shape = shapeOf(line)
    const known = shapes.get(shape)
    if (known === undefined) shapes.set(shape, [line])
    else known.push(line)
  }
  const hidden = new Map<Line, readonly Line[]>()
  for (const same of shapes.values()) {
    // One more line takes no more space than a note that there is one more.
    if (same.length <= ofShapeMax + 1) continue
    const kept = new Set(same.toSorted((a, b) => costOf(a) - costOf(b)).slice(0, ofShapeMax))
    const others = same.filter((line) => !kept.has(line))
    for (const line of others) hidden.set(line, others)
  }
  return lines.flatMap((line): readonly Folded<Line>[] => {
    const others = hidden.get(line)
    if (others === undefined) return [{ line }]
    return others[0] === line ? [{ more: others.length, like: line, last: others.at(-1) as Line }] : []
  })
}

/**
 * The most explanatory lines, folded, so that there are at most `most`: the costliest are removed first, and those of
 * equal cost from the front. The order does not change.
 */
export function shortened<Line>(lines: readonly Line[], most: number, folding: Folding<Line>): readonly Folded<Line>[] {
  const { costOf } = folding
  const cheapest = lines
    .map((line, at) => ({ line, at }))
    .toSorted((a, b) => costOf(a.line) - costOf(b.line) || b.at - a.at)
  const withCheapest = (count: number): readonly Folded<Line>[] => {
    const kept = cheapest.slice(0, count).toSorted((a, b) => a.at - b.at)
    return folded(
      kept.map(({ line }) => line),
      folding,
    )
  }
  // Folded lines may be more than `most`, so the number is found by binary search, because there may be thousands.
  let [least, beyond] = [0, lines.length + 1]
  while (beyond - least > 1) {
    const middle = Math.floor((least + beyond) / 2)
    if (withCheapest(middle).length <= most) least = middle
    else beyond = middle
  }
  return withCheapest(least)
}
