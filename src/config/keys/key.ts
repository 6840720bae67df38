import { z } from 'zod'

/** Facts about a key besides its type. They appear in the JSON Schema of the configuration, and on its page. */
export interface KeyFacts {
  /** The default value; absent if there is none, or if `about` describes it. */
  readonly default?: unknown
  /** Whether a reload applies it; any other key waits for the next start. */
  readonly reload?: true
  /** The release that introduced it, if that is known. */
  readonly since?: string
  /** What to write instead of a key that still works but is deprecated. */
  readonly deprecated?: string
  /** The part of the program that will read it, and does not exist yet. */
  readonly waits?: Waiting
}

export interface Waiting {
  readonly for: string
  /** Any value but the default is refused for this reason: ignoring it would leave the agent open. */
  readonly refused?: string
  /** Whether it will never have an effect, in contrast to a key that is not implemented yet. */
  readonly never?: true
}

/** A key that a part of the program reads. */
export type KeyMaker = <T extends z.ZodType>(type: T, about: string, facts?: KeyFacts) => z.ZodOptional<T>

/** `reader`: the part of the program that reads the keys. `common`: facts that apply to all of them. */
export function keysOf(reader: string, common: KeyFacts = {}): KeyMaker {
  return (type, about, facts = {}) => {
    const { default: otherwise, reload, since, deprecated, waits } = { ...common, ...facts }
    return type.optional().meta({
      description: about,
      ...(otherwise === undefined ? {} : { default: otherwise }),
      ...(deprecated === undefined ? {} : { deprecated: true, 'x-instead': deprecated }),
      ...(since === undefined ? {} : { 'x-since': since }),
      'x-reader': reader,
      'x-reload': reload ?? false,
      ...(waits === undefined ? {} : { 'x-waits': waits }),
    })
  }
}

/** Keys of one name. Strict: any other key in it is an error. */
export function block<T extends z.core.$ZodLooseShape>(
  about: string,
  shape: T,
): z.ZodOptional<z.ZodObject<T, z.core.$strict>> {
  return z.strictObject(shape).optional().meta({ description: about })
}

/** A key as the table of all keys has it. */
export interface KeyRow {
  /** With dots for nested blocks, and `[]` after a list of blocks. */
  readonly name: string
  readonly type: z.ZodType
  readonly about: string
  readonly reader: string
  readonly reload: boolean
  readonly default: unknown
  readonly since: string | undefined
  readonly deprecated: string | undefined
  readonly waits: Waiting | undefined
}

/** All keys of a schema, in its order. */
export function keyRows(schema: z.ZodObject, above = ''): readonly KeyRow[] {
  return Object.entries(schema.shape).flatMap(([key, member]) => rowsOf(member as z.ZodType, `${above}${key}`))
}

function rowsOf(member: z.ZodType, name: string): readonly KeyRow[] {
  const type = member instanceof z.ZodOptional ? (member.unwrap() as z.ZodType) : member
  if (type instanceof z.ZodObject && Object.keys(type.shape).length > 0) return keyRows(type, `${name}.`)
  const inner = type instanceof z.ZodArray ? (type.element as z.ZodType) : undefined
  const below = inner instanceof z.ZodObject ? keyRows(inner, `${name}[].`) : []
  return [rowOf(member, type, name), ...below]
}

function rowOf(member: z.ZodType, type: z.ZodType, name: string): KeyRow {
  const facts = member.meta() ?? {}
  return {
    name,
    type,
    about: facts.description ?? '',
    reader: text(facts['x-reader']) ?? '',
    reload: facts['x-reload'] === true,
    default: facts['default'],
    since: text(facts['x-since']),
    deprecated: text(facts['x-instead']),
    waits: facts['x-waits'] as Waiting | undefined,
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
