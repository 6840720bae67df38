import { type InvariantCode, invariants } from '../checkers/checkers.ts'
import { type JudgedCount, type SomeJudged, sumOfJudged } from '../checkers/judged-tally.ts'

const width = 100
const indent = '  '
const between = ' · '

/** How much was judged, as a paragraph: `K1 1,204 operations of 5 keys · C1 312 chains · A1 none`. */
export function judgedLines(judged: SomeJudged): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const part of partsOf(sumOfJudged([judged]))) {
    const longer = line === '' ? part : `${line}${between}${part}`
    if (line !== '' && indent.length + longer.length > width) {
      lines.push(line)
      line = part
    } else line = longer
  }
  return [...lines, line].map((each) => `${indent}${each}`)
}

/** Invariants in their order; consecutive ones without judged facts share one part. */
function partsOf(judged: ReturnType<typeof sumOfJudged>): readonly string[] {
  const parts: string[] = []
  let none: InvariantCode[] = []
  const close = (): void => {
    if (none.length > 0) parts.push(`${rangeOf(none)} none`)
    none = []
  }
  for (const code of Object.keys(judged) as InvariantCode[]) {
    const count = judged[code]
    const isNone = count.facts === 0 && usedOf(count).length === 0
    if (!isNone || none[0]?.charAt(0) !== code.charAt(0)) close()
    if (isNone) none.push(code)
    else parts.push(`${code} ${countText(code, count)}`)
  }
  close()
  return parts
}

/** `C1`, `C1 C2`, `C1 to C6`. */
function rangeOf(codes: readonly InvariantCode[]): string {
  return codes.length < 3 ? codes.join(' ') : `${codes[0]} to ${codes.at(-1)}`
}

/** `1,204 operations of 5 keys (stale default reads 12)`. */
function countText(code: InvariantCode, count: JudgedCount): string {
  const { judges, of: belongs } = invariants[code]
  const owners = belongs === undefined || !count.of ? '' : ` of ${amount(count.of, belongs)}`
  const facts = count.facts === 0 ? 'none' : `${amount(count.facts, judges)}${owners}`
  const used = usedOf(count).map(([name, uses]) => `${name} ${grouped(uses)}`)
  return used.length === 0 ? facts : `${facts} (${used.join(', ')})`
}

function usedOf({ excuses }: JudgedCount): readonly (readonly [string, number])[] {
  return Object.entries(excuses).filter(([, uses]) => uses > 0)
}

function amount(count: number, [one, several]: readonly [string, string]): string {
  return `${grouped(count)} ${count === 1 ? one : several}`
}

/** `1,204`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
