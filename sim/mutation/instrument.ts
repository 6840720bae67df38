import type ts from 'typescript'
import {
  type Half,
  isSame,
  type Needed,
  neededBy,
  type Observed,
  observedOf,
  observers,
  observersText,
  type Split,
} from './effects.ts'
import { type Insertion, insertionsOf, observing, withInsertions } from './insertions.ts'
import { type Literal, literalsOf } from './literals.ts'
import { type Change, type Compiler, type OperatorName, textOf } from './operators/change.ts'
import { parsed, returnsOf, type Site, sitesOf } from './walk.ts'

/** The module that all instrumented modules import, beside `src` and `sim`. */
export const switchModule = 'mutation-switch.js'

/** One change of the program, activated by its number. */
export interface Mutant {
  /** Counted from 1; 0 is the unchanged program. */
  readonly number: number
  /** Position of this node among all changeable nodes, counted from 0. */
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
  /**
   * A site that runs reach only if the change makes a difference in them: certainly, or most likely. Undefined: it makes
   * one wherever its own site is reached.
   */
  readonly effect?: Effect | undefined
}

/** What an expression must be for a change to make a difference. */
export interface Effect {
  /** Reached where it is. */
  readonly site: number
  readonly isCertain: boolean
  readonly split: Split
  readonly half: Half
  /** The expression: the changed one, or an operand of it. */
  readonly text: string
}

/** Where a function returns a computed value. */
export interface ReturnPlace {
  /** Counted from 0. */
  readonly number: number
  readonly file: string
  readonly at: Mutant['at']
}

export interface Instrumented {
  readonly text: string
  readonly mutants: readonly Mutant[]
  readonly sites: number
  /** Empty unless they are observed. */
  readonly returns: readonly ReturnPlace[]
  /** Its texts; empty unless returns are observed. */
  readonly literals: readonly Literal[]
}

/** Numbers that are in use already: sites counted from 0, mutants from 1. */
export interface Taken {
  readonly sites: number
  readonly mutants: number
  /** Number of places that return a value; undefined: they are not observed, and no repair is looked for. */
  readonly returns?: number
}

/**
 * The text of a module in which every mutant is behind a switch. `$m` is the number of the active mutant; `$h` has a
 * byte for each site, set when the site is reached. Nothing else of the module changes:
 *
 * 1. An expression becomes `(($h[7]=1,$m===12)?(changed):(original))`. Both are in the same function, so `this`,
 *    `await` and names mean the same; a called method keeps its object, because callees are never wrapped.
 * 2. A statement becomes `{if($h[8]=1,$m!==13)statement}`. The braces keep a following `else` with its own `if`.
 * 3. A statement that runs late is left out at its place in the same way, and is repeated after its successor.
 * 4. If returns are observed, a returned value becomes `$r(5,value)`, which records that it is nothing.
 * 5. Otherwise the values are observed on which the effect of a change depends (`effects.ts`): an original becomes
 *    `$t(9,original)`, a left operand `$t(11,left)`, and a comparison `$lt(13,left,right)`.
 *
 * The changed text has no switches within, because only one mutant is active at a time.
 */
export function instrumented(ts: Compiler, file: string, text: string, taken: Taken): Instrumented {
  const source = parsed(ts, file, text)
  const sites = sitesOf(ts, source, taken.returns !== undefined)
  const mutants: Mutant[] = []
  const insertions: Insertion[] = []
  let allSites = taken.sites + sites.length
  for (const [at, site] of sites.entries()) {
    const numbers = { site: taken.sites + at, first: taken.mutants + mutants.length + 1, observed: allSites }
    const needed = site.changes.map((change) => (taken.returns === undefined ? neededBy(ts, change) : undefined))
    const observed = observedOf(needed)
    allSites += sitesOfEach * observed.length
    for (const [nth, change] of site.changes.entries()) {
      const own = { file, site: numbers.site, number: numbers.first + nth }
      mutants.push({
        ...mutantOf(source, site, change, own),
        effect: effectOf(source, needed[nth], observed, numbers.observed),
      })
    }
    insertions.push(...insertionsOf(source, site, numbers))
    insertions.push(
      ...observed.flatMap((one, nth) => observing(source, site, one, numbers.observed + sitesOfEach * nth)),
    )
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
  const names = ['$m', '$h', ...(taken.returns === undefined ? Object.values(observers) : ['$r'])]
  const head = `import { ${names.join(', ')} } from '${'../'.repeat(file.split('/').length - 1)}${switchModule}'; `
  return {
    text: head + withInsertions(withoutMap(text), insertions),
    mutants,
    sites: allSites - taken.sites,
    returns: places,
    literals: taken.returns === undefined ? [] : literalsOf(ts, source, file),
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

/** The text with one change and no switch: what the instrumented module does while the mutant is active. */
export function changedText(source: ts.SourceFile, change: Change): string {
  const [from, to] = [change.node.getStart(source), change.node.end]
  const [head, tail] = [source.text.slice(0, from), source.text.slice(to)]
  if (change.kind === 'replace') return `${head}(${change.after})${tail}`
  if (change.behind === undefined) return `${head}{}${tail}`
  const behind = source.text.slice(to, change.behind.end)
  return `${head}{}${behind}${source.text.slice(from, to)}${source.text.slice(change.behind.end)}`
}

/** Each observed value has two sites. */
const sitesOfEach = 2

/** `first`: the first site of the first observed value. */
function effectOf(
  source: ts.SourceFile,
  needed: Needed | undefined,
  observed: readonly Observed[],
  first: number,
): Effect | undefined {
  if (needed === undefined) return undefined
  const { split, half, isCertain, node } = needed
  const nth = observed.findIndex((one) => isSame(one, needed))
  return { site: first + sitesOfEach * nth + half, isCertain, split, half, text: textOf({ source }, node) }
}

/** The map does not fit any more; the place of each mutant was found before. */
function withoutMap(text: string): string {
  return text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n')
}

/** The module with the switch, and the functions by which a worker sets it. */
export function switchText(sites: number, returns = 0): string {
  return [
    `const returned = new Uint8Array(${returns})`,
    `const order = new Uint32Array(${returns})`,
    'let last = 0',
    'export const $r = (place, value) => { if (value === undefined) { returned[place] = 1; order[place] = ++last } return value }',
    'export let $m = Number(process.env.SVC_SIM_MUTANT ?? 0)',
    `export const $h = new Uint8Array(${sites})`,
    ...observersText,
    "globalThis[Symbol.for('svc-sim.mutation')] = { turn: (number) => { $m = number }, reached: $h, returned, order }",
    '',
  ].join('\n')
}
