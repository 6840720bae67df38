import { itemAt } from '../../base/items.ts'
import type { RandomStream } from '../../env/random.ts'

/** The items in a new random order (Fisher and Yates). */
export function shuffled<T extends NonNullable<unknown>>(items: readonly T[], random: RandomStream): T[] {
  const out = [...items]
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const item = itemAt(out, i)
    out[i] = itemAt(out, j)
    out[j] = item
  }
  return out
}
