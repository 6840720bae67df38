import type { DecisionKind } from '../world/decisions/book.ts'
import type { ListedDecision } from './decision-file.ts'

/** Width of the value in a line. */
const valueWidth = 16

/**
 * Formats decisions of a list for readers: the kind, the value, the description. Rules of faults, which contain other
 * identities, are numbered in the order in which they come up.
 */
export class DecisionWords {
  readonly #rules = new Map<string, number>()
  readonly #counts = new Map<DecisionKind, number>()

  /** The decision, preceded by its rule if it is the first of that rule. */
  linesOf(decision: ListedDecision): readonly string[] {
    const { kind, what = '', id } = decision
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    const lines: string[] = []
    const about = what.replace(/^(fault|step) (\{.*\}) (?=\d)/, (_, of: string, text: string) => {
      const known = this.#rules.get(text)
      const number = known ?? this.#rules.size + 1
      if (known === undefined) {
        this.#rules.set(text, number)
        lines.push(`${of} ${number}: ${text}`)
      }
      return `${of} ${number} `
    })
    return [...lines, `${kind.padEnd(7)}${valueText(decision).padEnd(valueWidth)} ${about === '' ? id : about}`]
  }

  /** `21197 decisions: 813 events, 215 chances, …`. */
  get summary(): string {
    const counts = [...this.#counts].toSorted(([one], [other]) => (one < other ? -1 : 1))
    const all = counts.reduce((sum, [, count]) => sum + count, 0)
    return `${all} decisions${all === 0 ? '' : `: ${counts.map(([kind, count]) => `${kind} ${count}`).join(', ')}`}`
  }
}

function valueText({ kind, value, among }: ListedDecision): string {
  switch (kind) {
    case 'event':
      return value === 1 ? 'happens' : 'does not happen'
    case 'chance':
      return value === 1 ? 'is taken' : 'is not taken'
    case 'choice':
      return among === undefined ? `number ${value + 1}` : `number ${value + 1} of ${among}`
    case 'range':
      return `at ${(100 * value).toFixed(1)} %`
    case 'raw':
      return `0x${value.toString(16).padStart(8, '0')}`
  }
}
