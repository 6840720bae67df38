import type ts from 'typescript'
import { type Change, type Compiler, type OperatorName, textOf } from './operators/change.ts'
import { parsed, returnsOf, type Site, sitesOf } from './walk.ts'

/** The module that all instrumented modules import, beside `src` and `sim`. */
export const switchModule = 'mutation-switch.js'

/** One change of the program, switched on by its number. */
export interface Mutant {
  /** From 1 on; 0 is the program as it is. */
  readonly number: number
  /** The place of this node among all that can be changed, from 0 on. */
  readonly site: number
  /** The built module, such as `src/raft/core/commit.js`. */
  readonly file: string
  /** Where the node begins in the built module. */
  readonly at: { readonly line: number; readonly column: number }
  readonly operator: OperatorName
  readonly before: string
  readonly after: string
  /** It takes effect when its module is loaded, so it needs a process of its own. */
  readonly isStatic: boolean
}

/** Where a function returns what it has computed. */
export interface ReturnPlace {
  /** From 0 on. */
  readonly number: number
  readonly file: string
  readonly at: Mutant['at']
}

export interface Instrumented {
  readonly text: string
  readonly mutants: readonly Mutant[]
  readonly sites: number
  /** Empty unless they are watched. */
  readonly returns: readonly ReturnPlace[]
}

/** Numbers that are given already: sites from 0 on, mutants from 1 on. */
export interface Taken {
  readonly sites: number
  readonly mutants: number
  /** Places that return something; undefined: they are not watched. */
  readonly returns?: number
}

interface Insertion {
  readonly at: number
  /** Of those at one place the lowest comes first. */
  readonly order: number
  readonly text: string
}

/**
 * The text of a module in which every mutant is behind a switch. `$m` is the number of the mutant that is on; `$h` has
 * a byte for each site, set when the site is reached. Nothing else of the module changes:
 *
 * 1. An expression becomes `(($h[7]=1,$m===12)?(changed):(as it was))`. Both stand in the same function, so `this`,
 *    `await` and names mean the same; what is called keeps its object, for callees are never wrapped.
 * 2. A statement becomes `{if($h[8]=1,$m!==13)statement}`. The braces keep an `else` behind it with its own `if`.
 * 3. A statement that runs late is left out at its place in the same way, and stands once more behind its successor.
 *
 * 4. Where returns are watched, what is returned becomes `$r(5,what is returned)`, which takes down that it is nothing.
 *
 * The changed text has no switches within, for only one mutant is on at a time.
 */
export function instrumented(ts: Compiler, file: string, text: string, taken: Taken): Instrumented {
  const source = parsed(ts, file, text)
  const sites = sitesOf(ts, source)
  const mutants: Mutant[] = []
  const insertions: Insertion[] = []
  for (const [at, site] of sites.entries()) {
    const numbers = { site: taken.sites + at, first: taken.mutants + mutants.length + 1 }
    for (const [nth, change] of site.changes.entries()) {
      mutants.push(mutantOf(source, site, change, { file, site: numbers.site, number: numbers.first + nth }))
    }
    insertions.push(...insertionsOf(source, site, numbers))
  }
  const returns = taken.returns === undefined ? [] : returnsOf(ts, source)
  const places = returns.map(({ node, depth }, at): ReturnPlace => {
    const number = (taken.returns ?? 0) + at
    // Around the switches of the same expression.
    insertions.push({ at: node.getStart(source), order: depth - 0.5, text: `$r(${number},` })
    insertions.push({ at: node.end, order: 0.5 - depth, text: ')' })
    const { line, character: column } = source.getLineAndCharacterOfPosition(node.getStart(source))
    return { number, file, at: { line, column } }
  })
  const head = `import { $m, $h${places.length === 0 ? '' : ', $r'} } from '${'../'.repeat(file.split('/').length - 1)}${switchModule}'; `
  return {
    text: head + withInsertions(withoutMap(text), insertions),
    mutants,
    sites: sites.length,
    returns: places,
  }
}

function mutantOf(
  source: ts.SourceFile,
  { node, isStatic }: Site,
  change: Change,
  numbers: Pick<Mutant, 'file' | 'site' | 'number'>,
): Mutant {
  const at = source.getLineAndCharacterOfPosition(node.getStart(source))
  const before = textOf({ source }, node)
  const late = change.kind === 'skip' && change.behind !== undefined ? textOf({ source }, change.behind) : undefined
  return {
    ...numbers,
    at: { line: at.line, column: at.character },
    operator: change.operator,
    before: late === undefined ? before : `${before} ${late}`,
    after: change.kind === 'replace' ? change.after : late === undefined ? '' : `${late} ${before}`,
    isStatic,
  }
}

/** The text with one change and no switch: what the instrumented module does while the mutant is on. */
export function changedText(source: ts.SourceFile, change: Change): string {
  const [from, to] = [change.node.getStart(source), change.node.end]
  const [head, tail] = [source.text.slice(0, from), source.text.slice(to)]
  if (change.kind === 'replace') return `${head}(${change.after})${tail}`
  if (change.behind === undefined) return `${head}{}${tail}`
  const behind = source.text.slice(to, change.behind.end)
  return `${head}{}${behind}${source.text.slice(from, to)}${source.text.slice(change.behind.end)}`
}

interface Numbers {
  readonly site: number
  /** Of the mutants of the site, which are numbered without a gap. */
  readonly first: number
}

function insertionsOf(source: ts.SourceFile, { node, changes, depth }: Site, numbers: Numbers): readonly Insertion[] {
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

/** What closes a node comes before what opens the next one: its order is negative. */
function withInsertions(text: string, insertions: readonly Insertion[]): string {
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

/** The map does not fit any more; the place of each mutant was found before. */
function withoutMap(text: string): string {
  return text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n')
}

/** The module with the switch, and with what a worker needs to turn it. */
export function switchText(sites: number, returns = 0): string {
  return [
    `const returned = new Uint8Array(${returns})`,
    `const order = new Uint32Array(${returns})`,
    'let last = 0',
    'export const $r = (place, value) => { if (value === undefined) { returned[place] = 1; order[place] = ++last } return value }',
    'export let $m = Number(process.env.SVC_SIM_MUTANT ?? 0)',
    `export const $h = new Uint8Array(${sites})`,
    "globalThis[Symbol.for('svc-sim.mutation')] = { turn: (number) => { $m = number }, reached: $h, returned, order }",
    '',
  ].join('\n')
}
