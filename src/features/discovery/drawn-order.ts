import type { RandomStream } from '../../env/random.ts'

/** The same in an order of its own each time (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: RandomStream): T[] {
  const out = [...items]
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const item = out[i] as T
    out[i] = out[j] as T
    out[j] = item
  }
  return out
}
