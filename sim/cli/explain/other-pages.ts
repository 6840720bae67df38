import { type SentPage, sentPage } from '../../pool/warm-worker.ts'
import { readScenario, readText } from '../files.ts'
import type { SimTerminal } from '../terminal.ts'

/** Number of other pages that a failing run is compared with. */
const pagesMax = 14
/** Bytes of a page that are looked at. */
const bytesMax = 1 << 16
/** A key of YAML or JSON: which words of the language of scenarios a page uses. */
const keyPattern = /["']?([a-z][a-z_ -]*[a-z])["']?\s*:/gi
/** Hunts are made to find bugs, so they fail more often and take longer than pages that say how something works. */
const notCompared = /(^|\/)hunts\//

/**
 * Pages that come with the program, those most like the given one first: they use the same words of the language. Runs of
 * them go through much of the same code, so what only the failing run goes through is little.
 */
export async function otherPages(
  file: string,
  text: string,
  { disk, shippedScenarios }: Pick<SimTerminal, 'disk' | 'shippedScenarios'>,
): Promise<readonly SentPage[]> {
  const own = keysOf(text)
  const rated: { readonly path: string; readonly likeness: number }[] = []
  for (const path of shippedScenarios()) {
    if (notCompared.test(path) || path === file) continue
    const read = await readText(disk, path, { bytesMax, instead: '', tooLarge: '' })
    if (read.ok) rated.push({ path, likeness: likeness(own, keysOf(read.value)) })
  }
  const pages: SentPage[] = []
  for (const { path } of rated.toSorted((a, b) => b.likeness - a.likeness).slice(0, pagesMax)) {
    const read = await readScenario(disk, path)
    if (read.ok) pages.push(sentPage({ loaded: read.value.loaded, hash: '' }, read.value.text, false))
  }
  return pages
}

function keysOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(keyPattern)].map(([, key = '']) => key.toLowerCase()))
}

/** The part of all words that both have (Jaccard). */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = [...one].filter((key) => other.has(key)).length
  return both / Math.max(1, one.size + other.size - both)
}
