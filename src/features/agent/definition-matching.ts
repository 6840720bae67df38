import { nearest } from '../../base/edit-distance.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { hasBehaviour, type Release } from '../../model/release.ts'
import type { KeyOf, MemberNames, Members, MemberTable, OldSpelling, OldSpellings } from './definition-members.ts'
import type { UnknownMembers } from './unknown-members.ts'

/**
 * `http`: member names in CamelCase, matched without case; unknown ones are ignored with a warning. `file`: snake_case,
 * matched without case; unknown ones are refused. A number as a duration is in nanoseconds in both.
 */
export type Dialect = 'http' | 'file'

export type DefinitionPath = readonly (string | number)[]

export interface FieldProblem {
  readonly kind: 'key' | 'type' | 'duration'
  readonly path: DefinitionPath
  readonly message: string
  /** What to write instead; may be empty. */
  readonly remedy: string
}

export interface Given {
  /** The key as it was spelled. */
  readonly key: string
  readonly value: unknown
}

/** How definitions are read. */
export interface Reading {
  readonly dialect: Dialect
  /** The release that the agent runs as. */
  readonly release: Release
  /** Collects the errors. */
  readonly problems: FieldProblem[]
  /** Over HTTP: collects members that the release does not know. */
  readonly unknown: UnknownMembers
}

function isStillRead(spelling: OldSpelling | undefined, release: Release): boolean {
  return spelling?.by !== undefined && !hasBehaviour(release, spelling.by)
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return value === null || value === undefined || value === false || value === 0 || value === ''
}

/** The members of an object by the keys that they mean. Reports those that mean none. */
export function givenMembers<Those extends Members>(
  reading: Reading,
  path: DefinitionPath,
  object: object,
  table: MemberTable<Those>,
  old: OldSpellings,
): ReadonlyMap<KeyOf<Those>, Given> {
  const members = Object.entries(object) as [string, unknown][]
  const matching = new Matching(reading, path, table)
  if (reading.dialect === 'http') matching.matchHttp(members)
  else matching.matchFile(members, old)
  return matching.given
}

class Matching<Those extends Members> {
  readonly given = new Map<KeyOf<Those>, Given>()
  readonly #reading: Reading
  readonly #path: DefinitionPath
  readonly #table: MemberTable<Those>

  constructor(reading: Reading, path: DefinitionPath, table: MemberTable<Those>) {
    this.#reading = reading
    this.#path = path
    this.#table = table
  }

  /**
   * If several members mean the same key, takes the name that comes first and is spelled exactly so, otherwise the
   * first of them.
   */
  matchHttp(members: readonly [string, unknown][]): void {
    const ranks = new Map<KeyOf<Those>, number>()
    for (const [spelled, value] of members) {
      const known = (this.#table.byHttpName.get(lowerAscii(spelled)) ?? []).filter(({ key }) => this.#isKnown(key))
      if (known.length === 0 && !saysNothing(value)) {
        this.#reading.unknown.note(this.#path, spelled, () => this.#httpNames())
      }
      for (const { key, name, rank: place } of known) {
        const rank = 2 * place + (spelled === name ? 0 : 1)
        if (rank >= (ranks.get(key) ?? Number.POSITIVE_INFINITY)) continue
        ranks.set(key, rank)
        this.given.set(key, { key: spelled, value })
      }
    }
  }

  matchFile(members: readonly [string, unknown][], old: OldSpellings): void {
    const { byFileName } = this.#table
    const { release } = this.#reading
    const translated: [KeyOf<Those>, Given][] = []
    for (const [spelled, value] of members) {
      const lower = lowerAscii(spelled)
      const key = byFileName.get(lower)
      const spelling = old.camel.get(lower) ?? old.refused.get(lower)
      const meant = byFileName.get(spelling?.use ?? '')
      const isRead = (old.camel.has(lower) && spelled !== lower) || isStillRead(spelling, release)
      if (key !== undefined && this.#isKnown(key)) this.#take(key, { key: spelled, value })
      else if (meant !== undefined && isRead) translated.push([meant, { key: spelled, value }])
      else if (hasBehaviour(release, 'unknown-keys-refused')) this.#unknown(spelled, spelling)
    }
    for (const [key, given] of translated) if (!this.given.has(key)) this.given.set(key, given)
  }

  /** HTTP names of the members that the release knows. */
  #httpNames(): readonly string[] {
    const { names } = this.#table
    return Object.keys(names).flatMap((key) => (this.#isKnown(key) ? (names[key] as MemberNames).http.slice(0, 1) : []))
  }

  /** Whether the release knows the member. */
  #isKnown(key: KeyOf<Those>): boolean {
    const { from, until } = this.#table.names[key] as MemberNames
    const { release } = this.#reading
    return (from === undefined || hasBehaviour(release, from)) && (until === undefined || !hasBehaviour(release, until))
  }

  #take(key: KeyOf<Those>, given: Given): void {
    const first = this.given.get(key)
    if (first === undefined) {
      this.given.set(key, given)
      return
    }
    const message = `the keys ${JSON.stringify(first.key)} and ${JSON.stringify(given.key)} are the same`
    this.#reading.problems.push({ kind: 'key', path: [...this.#path, given.key], message, remedy: 'keep one of them' })
  }

  #unknown(spelled: string, instead: OldSpelling | undefined): void {
    const message = `invalid config key ${JSON.stringify(spelled)}`
    const removed = instead?.since === undefined ? 'write' : `removed in ${instead.since}, write`
    const remedy = instead === undefined ? this.#suggestion(spelled) : `${removed} ${instead.use}`
    this.#reading.problems.push({ kind: 'key', path: [...this.#path, spelled], message, remedy })
  }

  /** A member that the release knows and that may have been meant. */
  #suggestion(spelled: string): string {
    const { byFileName } = this.#table
    const known = [...byFileName].flatMap(([name, key]) => (this.#isKnown(key) ? name : []))
    const meant = nearest(lowerAscii(spelled), known)
    return meant === undefined ? '' : `did you mean '${meant}'?`
  }
}
