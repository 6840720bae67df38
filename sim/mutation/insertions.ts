import type ts from 'typescript'
import { type Observed, observers } from './effects.ts'
import { textOf } from './operators/change.ts'
import type { Site } from './walk.ts'

/** Text that is put into a module; the rest of it stays as it is. */
export interface Insertion {
  readonly at: number
  /** At one place, the lowest comes first. */
  readonly order: number
  readonly text: string
}

interface Numbers {
  readonly site: number
  /** The first of the site's mutants, which are numbered consecutively. */
  readonly first: number
}

/** Within the switch of the site, and around those of the nodes within it. `number`: the first of its two sites. */
export function observing(
  source: ts.SourceFile,
  { node, depth }: Site,
  { node: value, split }: Observed,
  number: number,
): readonly Insertion[] {
  const [from, to] = [value.getStart(source), value.end]
  if (split !== 'distance') {
    const within = depth + (value === node ? 0.2 : 0.6)
    const open = { at: from, order: within, text: `${observers[split]}(${number},(` }
    return [open, { at: to, order: -within, text: '))' }]
  }
  const { operatorToken } = value as ts.BinaryExpression
  const observer = observers[operatorToken.getText(source) as '<']
  const within = depth + 0.4
  return [
    { at: from, order: within, text: `${observer}(${number},(` },
    { at: operatorToken.getStart(source), order: 0, text: '),(/*' },
    { at: operatorToken.end, order: 0, text: '*/' },
    { at: to, order: -within, text: '))' },
  ]
}

export function insertionsOf(
  source: ts.SourceFile,
  { node, changes, depth }: Site,
  numbers: Numbers,
): readonly Insertion[] {
  const [from, to] = [node.getStart(source), node.end]
  const reached = `$h[${numbers.site}]=1`
  const replacements = changes.flatMap((change, at) =>
    change.kind === 'replace' ? [{ after: change.after, number: numbers.first + at }] : [],
  )
  const skips = changes.flatMap((change, at) =>
    change.kind === 'skip' ? [{ behind: change.behind, number: numbers.first + at }] : [],
  )
  const made: Insertion[] = []
  if (replacements.length > 0) {
    const isOn = replacements.map(({ number }) => `$m===${number}`)
    const last = replacements.at(-1)?.after ?? ''
    const chosen = replacements
      .slice(0, -1)
      .reduceRight((rest, { after, number }) => `$m===${number}?(${after}):${rest}`, `(${last})`)
    made.push({ at: from, order: depth, text: `((${reached},${isOn.join('||')})?(${chosen}):(` })
    made.push({ at: to, order: -depth, text: '))' })
  }
  if (skips.length > 0) {
    const isOff = skips.map(({ number }) => `$m!==${number}`).join('&&')
    made.push({ at: from, order: depth, text: `{if(${reached},${isOff})` }, { at: to, order: -depth, text: '}' })
  }
  for (const { behind, number } of skips) {
    if (behind === undefined) continue
    const late = `if($m===${number})${textOf({ source }, node)}`
    made.push({ at: behind.end, order: -depth + 0.5, text: late })
  }
  return made
}

/** Text that closes a node comes before text that opens the next one: its order is negative. */
export function withInsertions(text: string, insertions: readonly Insertion[]): string {
  const inOrder = insertions.toSorted((a, b) => a.at - b.at || a.order - b.order)
  const parts: string[] = []
  let done = 0
  for (const { at, text: inserted } of inOrder) {
    parts.push(text.slice(done, at), inserted)
    done = at
  }
  parts.push(text.slice(done))
  return parts.join('')
}
