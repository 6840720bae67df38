import type { ConfigProblem } from './problem.ts'

/**
 * Whether a problem of the whole may only follow from an unreadable key: `missing` lists these, with dots. Such a
 * problem is not reported, because it may vanish once the key is corrected.
 */
export function followsFrom(missing: readonly string[], { restsOn = [] }: ConfigProblem): boolean {
  return missing.some((key) => restsOn.some((judged) => isWithin(key, judged)))
}

/** The key itself, a block around it that could not be read, or with `.*` any key within the block. */
function isWithin(key: string, judged: string): boolean {
  if (judged.endsWith('.*')) return key.startsWith(judged.slice(0, -1))
  return judged === key || judged.startsWith(`${key}.`)
}
