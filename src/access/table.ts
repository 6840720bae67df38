import { itemAt } from '../base/items.ts'
import { type Grammar, includes, type Level, outranks, type Rule } from './rules.ts'

/** A rule with where it comes from, for people. */
export interface Sourced {
  readonly rule: Rule
  readonly grammar: Grammar
  readonly policy: string
}

/** The combined rules of one label, and the policies behind them. */
export interface Entry {
  level: Level
  by: Sourced
  /** For services: the level for intentions; undefined if it follows from the level. */
  intentions: Level | undefined
  intentionsBy: Sourced
}

/**
 * The rules of one resource, merged by label: deny beats write beats list beats read. Asking costs a binary search and
 * a walk over the labels that the one found begins with; building it costs a sort.
 */
export class RuleTable {
  readonly #exact = new Map<string, Entry>()
  readonly #prefixes: readonly string[]
  readonly #entries: readonly Entry[]
  /** For each prefix the index of the longest other one that it begins with, or -1. */
  readonly #parents: readonly number[]

  constructor(rules: readonly Sourced[]) {
    const byPrefix = new Map<string, Entry>()
    for (const sourced of rules) merge(sourced.rule.match === 'exact' ? this.#exact : byPrefix, sourced)
    const sorted = [...byPrefix].sort(([a], [b]) => (a < b ? -1 : 1))
    this.#prefixes = sorted.map(([prefix]) => prefix)
    this.#entries = sorted.map(([, entry]) => entry)
    this.#parents = parentsOf(this.#prefixes)
  }

  /** The rule for exactly this name, else the one with the longest prefix of it. */
  find(name: string): Entry | undefined {
    return this.#exact.get(name) ?? this.covering(name)
  }

  /**
   * The rule with the longest prefix of a name:
   * 1. Every prefix of the name sorts at or before it; let `p` be the last label that does.
   * 2. A label `l` that the name begins with has `l <= p <= name`, and all between `l` and the name begin with `l`, `p`
   *    too.
   * 3. So all of them are `p` or among what `p` begins with, and the first on the way up from `p` is the longest.
   */
  covering(name: string): Entry | undefined {
    let at = this.#after(name) - 1
    while (at >= 0 && !name.startsWith(itemAt(this.#prefixes, at))) at = itemAt(this.#parents, at)
    return at < 0 ? undefined : this.#entries[at]
  }

  /** The first rule at or below a prefix that says less than a level. */
  lesserWithin(prefix: string, level: Level): Entry | undefined {
    for (let at = this.#before(prefix); this.#prefixes[at]?.startsWith(prefix) === true; at++) {
      const entry = itemAt(this.#entries, at)
      if (!includes(entry.level, level)) return entry
    }
    for (const [label, entry] of this.#exact) {
      if (label.startsWith(prefix) && !includes(entry.level, level)) return entry
    }
    return undefined
  }

  /** Whether each rule that there is passes. */
  every(passes: (entry: Entry) => boolean): boolean {
    return this.#entries.every(passes) && [...this.#exact.values()].every(passes)
  }

  /** How many prefixes sort at or before a name. */
  #after(name: string): number {
    let low = 0
    let high = this.#prefixes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (itemAt(this.#prefixes, middle) <= name) low = middle + 1
      else high = middle
    }
    return low
  }

  /** How many prefixes sort before a name. */
  #before(name: string): number {
    const after = this.#after(name)
    return after > 0 && this.#prefixes[after - 1] === name ? after - 1 : after
  }
}

/** The rights to intentions that a rule for services implies. */
export function intentionsOf({ level, intentions }: Entry): Level {
  return intentions ?? (level === 'deny' ? 'deny' : 'read')
}

function merge(entries: Map<string, Entry>, sourced: Sourced): void {
  const { label, level, intentions } = sourced.rule
  const entry = entries.get(label)
  if (entry === undefined) {
    entries.set(label, { level, by: sourced, intentions, intentionsBy: sourced })
    return
  }
  if (outranks(level, entry.level)) {
    entry.level = level
    entry.by = sourced
  }
  if (intentions !== undefined && outranks(intentions, entry.intentions)) {
    entry.intentions = intentions
    entry.intentionsBy = sourced
  }
}

/** For sorted labels, where all labels with one prefix come right after it. */
function parentsOf(prefixes: readonly string[]): readonly number[] {
  const parents: number[] = []
  let parent = -1
  for (const [at, prefix] of prefixes.entries()) {
    while (parent >= 0 && !prefix.startsWith(itemAt(prefixes, parent))) parent = itemAt(parents, parent)
    parents.push(parent)
    parent = at
  }
  return parents
}
