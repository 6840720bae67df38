import { compareText } from '../../base/bytes.ts'
import { lacksUnit, parseDuration } from '../../base/duration.ts'
import { nearest } from '../../base/edit-distance.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import type { TextPairs } from '../../model/catalog.ts'
import { hasBehaviour, type Release } from '../../model/release.ts'
import { settingsText } from '../mesh/settings-text.ts'
import {
  type Inside,
  type KeyHolding,
  type KeyOf,
  type MemberNames,
  type Members,
  type MemberTable,
  noOldSpellings,
  type OldSpelling,
  type OldSpellings,
} from './definition-members.ts'
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

interface Given {
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

/** One object of a definition, read member by member. A null counts as absent. */
export class Fields<Those extends Members> {
  readonly path: DefinitionPath
  readonly #reading: Reading
  readonly #table: MemberTable<Those>
  readonly #given = new Map<KeyOf<Those>, Given>()
  readonly #problems: FieldProblem[]

  constructor(
    reading: Reading,
    path: DefinitionPath,
    object: object,
    table: MemberTable<Those>,
    old: OldSpellings = noOldSpellings,
  ) {
    this.path = path
    this.#reading = reading
    this.#table = table
    this.#problems = reading.problems
    const members = Object.entries(object) as [string, unknown][]
    if (reading.dialect === 'http') this.#matchHttp(members)
    else this.#matchFile(members, old)
  }

  has(key: KeyOf<Those>): boolean {
    return this.#value(key) !== undefined
  }

  pathOf(key: KeyOf<Those>): DefinitionPath {
    return [...this.path, this.#given.get(key)?.key ?? this.#ownName(key)]
  }

  text(key: KeyHolding<Those, 'text'>): string {
    const value = this.#value(key)
    if (value === undefined || typeof value === 'string') return value ?? ''
    this.#unconvertible(key, 'string', value)
    return ''
  }

  integer(key: KeyHolding<Those, 'integer'>): number {
    const value = this.#value(key)
    if (value === undefined) return 0
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value
    this.#unconvertible(key, 'int', value)
    return 0
  }

  flag(key: KeyHolding<Those, 'flag'>): boolean {
    const value = this.#value(key)
    if (value === undefined || typeof value === 'boolean') return value ?? false
    this.#unconvertible(key, 'bool', value)
    return false
  }

  texts(key: KeyHolding<Those, 'texts'>): readonly string[] {
    const value = this.#value(key)
    return value === undefined ? [] : this.#textList(key, value, this.pathOf(key), this.#shownName(key))
  }

  /** In order of key. */
  pairs(key: KeyHolding<Those, 'pairs'>): TextPairs | null {
    const members = this.#members(key)
    if (members === undefined) return null
    const pairs: [string, string][] = []
    for (const [name, value] of members) {
      if (typeof value === 'string') pairs.push([name, value])
      else if (value === null) pairs.push([name, ''])
      else
        this.#type([...this.pathOf(key), name], `'${this.#shownName(key)}[${name}]' ${unconvertible('string', value)}`)
    }
    return pairs.sort(([a], [b]) => compareText(a, b))
  }

  /** Lists of texts by name, in order of name. */
  textLists(key: KeyHolding<Those, 'textLists'>): readonly (readonly [name: string, values: readonly string[]])[] {
    const lists: [string, readonly string[]][] = []
    for (const [name, value] of this.#members(key) ?? []) {
      const shown = `${this.#shownName(key)}[${name}]`
      lists.push([name, this.#textList(key, value, [...this.pathOf(key), name], shown)])
    }
    return lists.sort(([a], [b]) => compareText(a, b))
  }

  /** In milliseconds, possibly with a fraction. */
  durationMs(key: KeyHolding<Those, 'duration'>): number {
    const value = this.#value(key)
    if (value === undefined) return 0
    if (typeof value === 'number' && Number.isFinite(value)) return value / 1e6
    if (typeof value === 'bigint') return Number(value) / 1e6
    if (value === '') return 0
    const spelled = this.#given.get(key)?.key ?? key
    const bad = (why: string): number => {
      const message = `invalid ${JSON.stringify(spelled)}: ${why}`
      this.#problems.push({ kind: 'duration', path: this.pathOf(key), message, remedy: '' })
      return 0
    }
    if (typeof value !== 'string') return bad('invalid format')
    const parsed = parseDuration(value)
    if (parsed.ok) return parsed.value
    const why = lacksUnit(value) ? 'missing unit in duration' : 'invalid duration'
    return bad(`time: ${why} ${JSON.stringify(value)}`)
  }

  object<Key extends KeyHolding<Those, 'object'>>(
    key: Key,
    table: MemberTable<Inside<Those, Key>>,
    old: OldSpellings = noOldSpellings,
  ): Fields<Inside<Those, Key>> | undefined {
    const value = this.#value(key)
    if (value === undefined) return undefined
    return this.#inner(value, this.pathOf(key), this.#shownName(key), table, old)
  }

  objects<Key extends KeyHolding<Those, 'objects'>>(
    key: Key,
    table: MemberTable<Inside<Those, Key>>,
    old: OldSpellings = noOldSpellings,
  ): readonly Fields<Inside<Those, Key>>[] {
    const value = this.#value(key)
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      this.#noList(key, value)
      return []
    }
    const found: Fields<Inside<Those, Key>>[] = []
    for (const [at, item] of value.entries()) {
      const inner = this.#inner(item, [...this.pathOf(key), at], `${this.#shownName(key)}[${at}]`, table, old)
      if (inner !== undefined) found.push(inner)
    }
    return found
  }

  /** As JSON; empty if there are none. */
  settings(key: KeyHolding<Those, 'settings'>): string {
    return this.#members(key) === undefined ? '' : settingsText(this.#value(key))
  }

  /** Reads a nested definition of the same kind. */
  definition<Inner extends Members>(
    key: KeyHolding<Those, 'definition'>,
    table: MemberTable<Inner>,
    old: OldSpellings = noOldSpellings,
  ): Fields<Inner> | undefined {
    const value = this.#value(key)
    return value === undefined ? undefined : this.#inner(value, this.pathOf(key), this.#shownName(key), table, old)
  }

  /** Whether no member of the object has a value other than null, false, 0, '', or an empty object or list. */
  empty(): boolean {
    return [...this.#given.values()].every(({ value }) => saysNothing(value))
  }

  /**
   * If several members mean the same key, takes the name that comes first and is spelled exactly so, otherwise the
   * first of them.
   */
  #matchHttp(members: readonly [string, unknown][]): void {
    const ranks = new Map<KeyOf<Those>, number>()
    for (const [spelled, value] of members) {
      const known = (this.#table.byHttpName.get(lowerAscii(spelled)) ?? []).filter(({ key }) => this.#isKnown(key))
      if (known.length === 0 && !saysNothing(value)) {
        this.#reading.unknown.note(this.path, spelled, () => this.#httpNames())
      }
      for (const { key, name, rank: place } of known) {
        const rank = 2 * place + (spelled === name ? 0 : 1)
        if (rank >= (ranks.get(key) ?? Number.POSITIVE_INFINITY)) continue
        ranks.set(key, rank)
        this.#given.set(key, { key: spelled, value })
      }
    }
  }

  #matchFile(members: readonly [string, unknown][], old: OldSpellings): void {
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
    for (const [key, given] of translated) if (!this.#given.has(key)) this.#given.set(key, given)
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
    const first = this.#given.get(key)
    if (first === undefined) {
      this.#given.set(key, given)
      return
    }
    const message = `the keys ${JSON.stringify(first.key)} and ${JSON.stringify(given.key)} are the same`
    this.#problems.push({ kind: 'key', path: [...this.path, given.key], message, remedy: 'keep one of them' })
  }

  #unknown(spelled: string, instead: OldSpelling | undefined): void {
    const message = `invalid config key ${JSON.stringify(spelled)}`
    const removed = instead?.since === undefined ? 'write' : `removed in ${instead.since}, write`
    const remedy = instead === undefined ? this.#suggestion(spelled) : `${removed} ${instead.use}`
    this.#problems.push({ kind: 'key', path: [...this.path, spelled], message, remedy })
  }

  /** A member that the release knows and that may have been meant. */
  #suggestion(spelled: string): string {
    const { byFileName } = this.#table
    const known = [...byFileName].flatMap(([name, key]) => (this.#isKnown(key) ? name : []))
    const meant = nearest(lowerAscii(spelled), known)
    return meant === undefined ? '' : `did you mean '${meant}'?`
  }

  #value(key: KeyOf<Those>): unknown {
    return this.#given.get(key)?.value ?? undefined
  }

  #members(key: KeyOf<Those>): readonly [string, unknown][] | undefined {
    const value = this.#value(key)
    if (value === undefined) return undefined
    if (isObject(value)) return Object.entries(value)
    this.#type(this.pathOf(key), `'${this.#shownName(key)}' expected a map, got '${typeName(value)}'`)
    return undefined
  }

  #textList(key: KeyOf<Those>, value: unknown, path: DefinitionPath, shown: string): readonly string[] {
    if (!Array.isArray(value)) {
      this.#noList(key, value, path, shown)
      return []
    }
    const texts: string[] = []
    for (const [at, item] of value.entries()) {
      if (typeof item === 'string') texts.push(item)
      else this.#type([...path, at], `'${shown}[${at}]' ${unconvertible('string', item)}`)
    }
    return texts
  }

  #inner<Inner extends Members>(
    value: unknown,
    path: DefinitionPath,
    shown: string,
    table: MemberTable<Inner>,
    old: OldSpellings,
  ): Fields<Inner> | undefined {
    if (isObject(value)) return new Fields(this.#reading, path, value, table, old)
    this.#type(path, `'${shown}' expected a map, got '${typeName(value)}'`)
    return undefined
  }

  #unconvertible(key: KeyOf<Those>, wanted: string, value: unknown): void {
    this.#type(this.pathOf(key), `'${this.#shownName(key)}' ${unconvertible(wanted, value)}`)
  }

  #noList(key: KeyOf<Those>, value: unknown, path = this.pathOf(key), shown = this.#shownName(key)): void {
    this.#type(path, `'${shown}': source data must be an array or slice, got ${typeName(value)}`)
  }

  #type(path: DefinitionPath, message: string): void {
    this.#problems.push({ kind: 'type', path, message, remedy: '' })
  }

  #ownName(key: KeyOf<Those>): string {
    const { http, file }: MemberNames = this.#table.names[key] as MemberNames
    return this.#reading.dialect === 'http' ? (http[0] ?? key) : file
  }

  /** The name of a member in the field's errors, with the enclosing ones: `Weights.Passing`. */
  #shownName(key: KeyOf<Those>): string {
    let shown = ''
    for (const part of this.path) shown += typeof part === 'number' ? `[${part}]` : `${shown === '' ? '' : '.'}${part}`
    return shown === '' ? this.#ownName(key) : `${shown}.${this.#ownName(key)}`
  }
}

function isStillRead(spelling: OldSpelling | undefined, release: Release): boolean {
  return spelling?.by !== undefined && !hasBehaviour(release, spelling.by)
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return value === null || value === undefined || value === false || value === 0 || value === ''
}

function unconvertible(wanted: string, value: unknown): string {
  return `expected type '${wanted}', got unconvertible type '${typeName(value)}'`
}

/**
 * The type of a decoded value, under the name that recorded errors of the field have for texts, numbers and booleans.
 */
function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'nil'
  if (typeof value === 'object') return 'object'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'float64'
}
