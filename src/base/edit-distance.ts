import { itemAt } from './items.ts'

/** The candidate nearest to a word, if it is near enough to be what was meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Math.floor(word.length / 3) + 1
  for (const candidate of candidates) {
    // The distance is at least the difference of the lengths: that rules out most candidates, and all of them for a
    // very long word.
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(word, candidate, bestDistance)
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one text into the other (Damerau-Levenshtein);
 * where there are `limit` or more, some number that is not smaller. Only the cells within `limit` of the diagonal are
 * worked out (E. Ukkonen, 1985): those beyond it take as many insertions or deletions.
 */
function editDistance(a: string, b: string, limit: number): number {
  let before: readonly number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = new Array<number>(b.length + 1).fill(limit)
    next[0] = i
    let least = i
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const replaced = itemAt(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const changed = Math.min(replaced, itemAt(row, j) + 1, itemAt(next, j - 1) + 1)
      const cell = swapped ? Math.min(changed, itemAt(before, j - 2) + 1) : changed
      next[j] = cell
      least = Math.min(least, cell)
    }
    // From here on the distance only grows, except for a swap with the row before, whose minimum was at most one less.
    if (least > limit) return limit
    before = row
    row = next
  }
  return itemAt(row, b.length)
}
