import { itemAt } from './items.ts'

/** The candidate nearest to a word, if it is near enough to be what was meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Math.floor(word.length / 3) + 1
  for (const candidate of candidates) {
    // No fewer changes than the lengths differ by: most candidates are passed over for that, and all for a very long word.
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(word, candidate)
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other (Damerau-Levenshtein). */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = itemAt(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const least = Math.min(replaced, itemAt(row, j) + 1, itemAt(next, j - 1) + 1)
      next.push(swapped ? Math.min(least, itemAt(before, j - 2) + 1) : least)
    }
    before = row
    row = next
  }
  return itemAt(row, b.length)
}
