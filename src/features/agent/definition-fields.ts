import { compareText } from '../../base/bytes.ts'
import { lacksUnit, ofNanoseconds, parseDuration } from '../../base/duration.ts'
import type { TextPairs } from '../../model/catalog.ts'
import { settingsText } from '../mesh/settings-text.ts'
import {
  type DefinitionPath,
  type FieldProblem,
  type Given,
  givenMembers,
  isObject,
  type Reading,
  saysNothing,
} from './definition-matching.ts'
import {
  type Inside,
  type KeyHolding,
  type KeyOf,
  type MemberNames,
  type Members,
  type MemberTable,
  noOldSpellings,
  type OldSpellings,
} from './definition-members.ts'

/** One object of a definition, read member by member. A null counts as absent. */
export class Fields<Those extends Members> {
  readonly path: DefinitionPath
  readonly #reading: Reading
  readonly #table: MemberTable<Those>
  readonly #given: ReadonlyMap<KeyOf<Those>, Given>
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
    this.#given = givenMembers(reading, path, object, table, old)
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
    if (value === '') return 0
    const spelled = this.#given.get(key)?.key ?? key
    const bad = (why: string): number => {
      const message = `invalid ${JSON.stringify(spelled)}: ${why}`
      this.#problems.push({ kind: 'duration', path: this.pathOf(key), message, remedy: '' })
      return 0
    }
    if (typeof value === 'number' || typeof value === 'bigint') return ofNanoseconds(value) ?? bad('out of range')
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
