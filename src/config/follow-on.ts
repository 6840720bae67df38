import type { ConfigProblem } from './problem.ts'

/**
 * Whether something that is wrong with the whole may be wrong only because a key could not be read: `missing`, with dots. It
 * is not reported then: an operator who corrects the key would find that it was never true.
 */
export function followsFrom(missing: readonly string[], { restsOn = [] }: ConfigProblem): boolean {
  return missing.some((key) => restsOn.some((judged) => isWithin(key, judged)))
}

/** The key itself, a block around it that could not be read, or with `.*` any key within the block. */
function isWithin(key: string, judged: string): boolean {
  if (judged.endsWith('.*')) return key.startsWith(judged.slice(0, -1))
  return judged === key || judged.startsWith(`${key}.`)
}
