import { lowerAscii } from '../../base/letter-case.ts'
import type { Behaviour } from '../../model/release.ts'
import { type JsonSchema, orNull } from '../contract/operation.ts'
import { durationSchema } from '../http/json-body.ts'

/** The names of one member; over HTTP its own name first, then further spellings. */
export interface MemberNames {
  readonly http: readonly string[]
  readonly file: string
  /** The type of the member. `textLists`: lists of texts by name; `any`: only its presence matters. */
  readonly holds: Holding
  /** For objects, one or a list: their members. */
  readonly members?: Members
  /** The release that introduced the member. */
  readonly from?: Behaviour
  /** The release that removed it. */
  readonly until?: Behaviour
}

export type Holding =
  | 'text'
  | 'integer'
  | 'flag'
  | 'texts'
  | 'pairs'
  | 'textLists'
  | 'duration'
  | 'object'
  | 'objects'
  /** Anything, kept as JSON: see settings-text.ts. */
  | 'settings'
  /** Another definition of the same kind. */
  | 'definition'
  | 'any'

/** Members of one kind of object. */
export type Members = Readonly<Record<string, MemberNames>>

export type KeyOf<Those> = keyof Those & string
/** The keys of members that hold this type. */
export type KeyHolding<Those extends Members, What extends Holding> = {
  [Key in KeyOf<Those>]: Those[Key]['holds'] extends What ? Key : never
}[KeyOf<Those>]
export type Inside<Those extends Members, Key extends KeyOf<Those>> = Those[Key] extends {
  readonly members: infer Inner extends Members
}
  ? Inner
  : never

interface HttpName<Key> {
  readonly key: Key
  readonly name: string
  /** A lower rank is preferred. */
  readonly rank: number
}

/** Members of one kind of object, indexed for lookups. */
export interface MemberTable<Those extends Members> {
  readonly names: Those
  /** By the name in lower case. */
  readonly byHttpName: ReadonlyMap<string, readonly HttpName<KeyOf<Those>>[]>
  readonly byFileName: ReadonlyMap<string, KeyOf<Those>>
}

export function memberTable<Those extends Members>(names: Those): MemberTable<Those> {
  const byHttpName = new Map<string, HttpName<KeyOf<Those>>[]>()
  const byFileName = new Map<string, KeyOf<Those>>()
  for (const [key, { file, http }] of Object.entries<MemberNames>(names) as [KeyOf<Those>, MemberNames][]) {
    byFileName.set(file, key)
    for (const [rank, name] of http.entries()) {
      const lower = lowerAscii(name)
      const alike = byHttpName.get(lower) ?? []
      byHttpName.set(lower, [...alike, { key, name, rank }])
    }
  }
  return { names, byHttpName, byFileName }
}

/** Spellings of files that are read as another key, or refused with the key to write instead; all in lower case. */
export interface OldSpellings {
  /** Read as the key if spelled with capitals, refused otherwise. */
  readonly camel: ReadonlyMap<string, OldSpelling>
  readonly refused: ReadonlyMap<string, OldSpelling>
}

export interface OldSpelling {
  readonly use: string
  /** The release that removed it; absent if no release ever had it. */
  readonly since?: string
  /** Releases before this one read it as the key. */
  readonly by?: Behaviour
}

export const noOldSpellings: OldSpellings = { camel: new Map(), refused: new Map() }

/** JSON schema of a definition over HTTP, with the members' own names. */
export function definitionSchema(members: Members): JsonSchema {
  const known = Object.entries(members).filter(([, { until }]) => until === undefined)
  const properties = known.map(([key, names]) => [names.http[0] ?? key, memberSchema(names)] as const)
  return { type: ['object', 'null'], properties: Object.fromEntries(properties) }
}

const plain: Readonly<Record<Exclude<Holding, 'object' | 'objects'>, JsonSchema>> = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  flag: { type: 'boolean' },
  texts: { type: 'array', items: { type: 'string' } },
  pairs: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
  textLists: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
  duration: durationSchema,
  settings: { type: 'object' },
  definition: { type: 'object' },
  any: {},
}

function memberSchema({ holds, members = {} }: MemberNames): JsonSchema {
  if (holds === 'object') return definitionSchema(members)
  if (holds !== 'objects') return orNull(plain[holds])
  return { type: ['array', 'null'], items: { ...definitionSchema(members), type: 'object' } }
}
