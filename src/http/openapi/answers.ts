import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import type { AnswerHeader, DeclaredAnswer, JsonSchema } from '../../features/contract/operation.ts'
import { svcNaming } from '../../model/naming/naming.ts'
import { plainText } from '../content-type.ts'
import { headerNames } from '../header-names.ts'

/** Schemas of the document: those with a name of their own are among its components, once. */
export class DocumentSchemas {
  readonly #named = new Map<string, Json>()

  /** By name. */
  get components(): JsonSchema {
    return Object.fromEntries(this.#named)
  }

  /** `io`: whether a value is an input or an output. */
  of(shape: JsonSchema | z.ZodType, io: 'input' | 'output'): JsonSchema {
    if (!(shape instanceof z.ZodType)) return shape
    const made = z.toJSONSchema(shape, { io, unrepresentable: 'any', override: ({ jsonSchema }) => plain(jsonSchema) })
    const { $schema: _dialect, $defs: named = {}, ...schema } = made as { readonly $defs?: JsonSchema } & JsonSchema
    for (const [name, each] of Object.entries(named)) this.#named.set(name, pointed(each))
    return pointed(schema) as JsonSchema
  }
}

/** Removes what has no meaning in JSON: names for zod alone, frozen lists, the range of integers in a double. */
function plain(schema: Record<string, unknown>): void {
  delete schema['id']
  delete schema['readOnly']
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
}

/** Redirects references to the document's components. */
function pointed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(pointed)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).map(([key, value]): [string, Json | undefined] => {
    if (key === '$ref' && typeof value === 'string') return [key, value.replace('#/$defs/', '#/components/schemas/')]
    return [key, value === undefined ? value : pointed(value)]
  })
  return Object.fromEntries(members)
}

const names = headerNames(svcNaming, [])

interface HeaderFacts {
  readonly name: string
  readonly about: string
  readonly schema: JsonSchema
}

const count: JsonSchema = { type: 'integer', minimum: 0 }

const headers: Readonly<Record<AnswerHeader, HeaderFacts>> = {
  index: {
    name: names.index[0] ?? '',
    about: 'Index at which this result last changed: pass it as `index` to wait for the next change.',
    schema: { type: 'integer', format: 'uint64', minimum: 1 },
  },
  knownLeader: {
    name: names.knownLeader[0] ?? '',
    about: 'Whether the answering server knows a leader.',
    schema: { type: 'boolean' },
  },
  lastContact: {
    name: names.lastContact[0] ?? '',
    about: 'Milliseconds since the answering server last heard from the leader; 0 if it is the leader.',
    schema: count,
  },
  effectiveConsistency: {
    name: names.effectiveConsistency[0] ?? '',
    about: 'The consistency mode that the read used.',
    schema: { enum: ['leader', 'consistent', 'stale'] },
  },
  contentHash: {
    name: names.contentHash[0] ?? '',
    about: 'Hash of the answer: pass it as `hash` to wait for a different one.',
    schema: { type: 'string' },
  },
  fence: {
    name: names.fence[0] ?? '',
    about:
      'Fencing token: greater for each new holder of the lock, so that the protected resource can refuse an earlier holder.',
    schema: count,
  },
  warning: {
    name: names.warning[0] ?? '',
    about: 'Members of the body that were ignored, each with the known member that may have been meant.',
    schema: { type: 'string' },
  },
  cache: {
    name: 'X-Cache',
    about: 'Whether the answer comes from the cache of the agent.',
    schema: { enum: ['HIT', 'MISS'] },
  },
  age: { name: 'Age', about: 'For how many seconds a cached answer may have been out of date.', schema: count },
}

const optional = 'optional.'

/** Each header twice: as one that is always present, and as one that may be absent. */
export function headerComponents(): JsonSchema {
  const entries = Object.values(headers).flatMap(({ name, about, schema }): [string, Json][] => [
    [name, { description: about, required: true, schema }],
    [optional + name, { description: about, schema }],
  ])
  return Object.fromEntries(entries)
}

function headerReferences(listed: DeclaredAnswer['headers'] = []): JsonSchema {
  const entries = listed.map((each): [string, Json] => {
    const isOptional = each.endsWith('?')
    const { name } = headers[(isOptional ? each.slice(0, -1) : each) as AnswerHeader]
    return [name, { $ref: `#/components/headers/${isOptional ? optional : ''}${name}` }]
  })
  return Object.fromEntries(entries)
}

/** Statuses that any operation may return, besides those that it declares; 401 and 404 are always declared. */
export const commonStatuses = {
  400: 'BadRequest',
  403: 'Denied',
  429: 'Overloaded',
  500: 'Failed',
} as const
/** For operations with a body. */
const tooLarge = { 413: 'TooLarge' } as const

const about: Readonly<Record<string, string>> = {
  BadRequest: "The caller's own mistake; the line names the field.",
  Denied: 'The token may not do this, there is no such token, or the agent is configured to block this path.',
  TooLarge: 'The body, or something in it, exceeds its limit.',
  Overloaded: 'A limit was reached: try again later. The line may be missing.',
  Failed: 'There is no leader, no server could be reached, or the outcome is unknown: a later attempt may succeed.',
}

const textContent: JsonSchema = { [plainText]: { schema: { type: 'string' } } }

/** Some failed reads report how fresh their data are. */
const ofFailures = ['index?', 'knownLeader?', 'lastContact?'] as const

export function responseComponents(): JsonSchema {
  const told = headerReferences(ofFailures)
  const entries = Object.values({ ...commonStatuses, ...tooLarge }).map((name): [string, Json] => {
    return [name, { description: about[name] ?? '', headers: told, content: textContent }]
  })
  return Object.fromEntries(entries)
}

/** By status. One that the operation declares and any may return has the content and the headers of both. */
export function responses(
  answers: readonly DeclaredAnswer[],
  takesBody: boolean,
  schemas: DocumentSchemas,
): JsonSchema {
  const common: Readonly<Record<string, string>> = { ...commonStatuses, ...(takesBody ? tooLarge : {}) }
  const all = new Map<string, Json>()
  for (const [status, name] of Object.entries(common)) all.set(status, { $ref: `#/components/responses/${name}` })
  for (const { status, about: description, content = {}, headers: listed } of answers) {
    const own = Object.entries(content).map(([type, shape]) => [type, { schema: schemas.of(shape, 'output') }] as const)
    const isCommon = Object.hasOwn(common, status)
    const shown = { ...Object.fromEntries(own), ...(isCommon ? textContent : {}) }
    all.set(String(status), {
      description,
      headers: { ...(isCommon ? headerReferences(ofFailures) : {}), ...headerReferences(listed) },
      ...(Object.keys(shown).length === 0 ? {} : { content: shown }),
    })
  }
  return Object.fromEntries([...all].sort(([a], [b]) => Number(a) - Number(b)))
}
