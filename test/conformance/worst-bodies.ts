import type { z } from 'zod'
import { z as zod } from 'zod'
import type { JsonSchema } from '../../src/features/contract/operation.ts'
import type { HttpMethod, Operation, Route } from '../../src/features/contract/route.ts'
import { placedOperations } from '../../src/http/openapi/document.ts'

export interface WorstBody {
  /** `PUT /v1/catalog/register Checks[]` */
  readonly label: string
  readonly line: string
  /** Made when it is asked for: all of them together are a gigabyte. */
  readonly body: () => string
}

/** Just under what a request may carry. */
const bytesMax = 1_040_000

/** What a request needs to come so far that the rest of its body counts. */
const bases: Readonly<Record<string, object>> = {
  '/v1/catalog/register': { Node: 'n1', Address: '10.0.0.9', Service: { Service: 'web' } },
  '/v1/catalog/deregister': { Node: 'n1' },
  '/v1/agent/service/register': { Name: 'web' },
  '/v1/agent/check/register': { Name: 'alive', TTL: '10s' },
  '/v1/query': { Name: 'q', Service: { Service: 'web' } },
  '/v1/connect/intentions': { SourceName: 'a', DestinationName: 'b', Action: 'allow' },
  '/v1/acl/policy': { Name: 'p' },
  '/v1/acl/token': { Description: 't' },
}

/** What items of a list hold so that they count. */
const items: Readonly<Record<string, object>> = {
  'PUT /v1/catalog/register Checks[]': { CheckID: '#', Name: 'c', Status: 'passing', Node: 'n1' },
  'PUT /v1/agent/service/register Checks[]': { CheckID: '#', TTL: '10s' },
  'PUT /v1/acl/token Policies[]': { Name: '#' },
  'PUT /v1/txn []': { KV: { Verb: 'set', Key: '#', Value: 'eA==' } },
}

type Place = readonly string[]

/**
 * For each operation that takes a body, and each place in it that can grow, one that has grown as far as a request may;
 * with `piecesMax`, of no more pieces than these.
 */
export function worstBodies(routes: readonly Route[], piecesMax = Number.POSITIVE_INFINITY): readonly WorstBody[] {
  const repeated = (piece: (at: number) => string, between = ','): string => pieces(piece, between, piecesMax)
  return placedOperations(routes).flatMap(({ path, method, operation }) => {
    const line = `${method} ${path.replace(/\{[^}]*\}/, 'x')}`
    const schema = bodySchema(operation, method)
    if (schema === undefined) return []
    const base = bases[path] ?? {}
    const grown = [...placesOf(schema, [])].flatMap((place) => filled(line, base, place, repeated))
    const shapes = [
      ['unknown members', () => `{${repeated((at) => `"u${at}":0`)}}`],
      ['unknown short members', () => `{${repeated((at) => `"${at.toString(36)}":0`)}}`],
      ['the same member', () => `{${repeated(() => '"a":0')}}`],
      ['a list of numbers', () => `[${repeated(() => '0')}]`],
      ['a list of objects', () => `[${repeated(() => '{}')}]`],
      ['lists in a member', () => `{"u":[${repeated(() => '[]')}]}`],
      ['members of a member', () => `{"u":{${repeated((at) => `"${at}":0`)}}}`],
      ['escapes', () => `{"u":"${repeated(() => '\\u0041', '')}"}`],
      ['a number', () => `{"u":${'9'.repeat(bytesMax)}}`],
      ['spaces', () => `{${' '.repeat(bytesMax)}}`],
    ] as const
    return [
      ...grown,
      ...shapes.map(([what, body]) => ({ label: `${line} ${what}`, line, body: () => within(base, body()) })),
    ]
  })
}

/** Members of the base first, then those of this body. */
function within(base: object, body: string): string {
  const own = JSON.stringify(base)
  if (own === '{}' || !body.startsWith('{')) return body
  return `${own.slice(0, -1)},${body.slice(1)}`
}

function bodySchema(operation: Operation, method: HttpMethod): JsonSchema | undefined {
  const json = operation.body?.json
  if (json === undefined) return method === 'PUT' || method === 'POST' ? { type: 'object' } : undefined
  return '_zod' in json
    ? (zod.toJSONSchema(json as z.ZodType, { unrepresentable: 'any' }) as JsonSchema)
    : (json as JsonSchema)
}

/** `Checks`, `[]`, `{}`: members, items, members that the caller names; a text at the end is a `"`. */
function* placesOf(schema: JsonSchema, at: Place): Generator<Place> {
  if (at.length > 8) return
  const {
    properties,
    items: item,
    additionalProperties,
    type,
  } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly items?: JsonSchema
    readonly additionalProperties?: JsonSchema | boolean
    readonly type?: string | readonly string[]
  }
  const types = typeof type === 'string' ? [type] : (type ?? [])
  for (const [name, member] of Object.entries(properties ?? {})) yield* placesOf(member, [...at, name])
  if (types.includes('array')) {
    yield [...at, '[]']
    if (item !== undefined) yield* placesOf(item, [...at, '[]'])
  }
  if (types.includes('object') && (properties === undefined || typeof additionalProperties === 'object')) {
    yield [...at, '{}']
    if (typeof additionalProperties === 'object') yield* placesOf(additionalProperties, [...at, '{}'])
  }
  if (types.includes('string') && at.length < 3) yield [...at, '"']
}

/** The last step of the place is what is repeated. */
function filled(line: string, base: object, place: Place, repeated: Repeated): readonly WorstBody[] {
  const label = `${line} ${place.join('.').replaceAll('.[]', '[]').replaceAll('.{}', '{}')}`
  const last = place.at(-1) as string
  const grown = (inner: string): string => {
    let body = inner
    for (const step of place.slice(0, -1).reverse()) {
      body = step === '[]' ? `[${body}]` : step === '{}' ? `{"k":${body}}` : `{${JSON.stringify(step)}:${body}}`
    }
    return merged(base, place[0] as string, body)
  }
  const texts = { label: `${label} of texts`, line, body: () => grown(`{${repeated((at) => `"k${at}":"v"`)}}`) }
  switch (last) {
    case '"':
      return [{ label, line, body: () => grown(JSON.stringify('x'.repeat(bytesMax))) }]
    case '[]':
      return [{ label, line, body: () => grown(`[${repeated((at) => itemAt(label, at))}]`) }]
    default:
      return [
        { label, line, body: () => grown(`{${repeated((at) => `"k${at}":${at % 2 === 0 ? '"v"' : '["v"]'}`)}}`) },
        texts,
      ]
  }
}

function merged(base: object, first: string, body: string): string {
  const { [first as keyof object]: known, ...rest } = base
  if (typeof known !== 'object') return within(rest, body)
  // The grown member keeps what the base says of it.
  const inside = body.slice(JSON.stringify(first).length + 2, -1)
  return within(rest, `{${JSON.stringify(first)}:${inside.startsWith('{') ? within(known, inside) : inside}}`)
}

function itemAt(label: string, at: number): string {
  const item = items[label]
  return item === undefined
    ? at % 3 === 0
      ? `"t${at}"`
      : `"${at}"`
    : JSON.stringify(item).replaceAll('"#"', `"i${at}"`)
}

type Repeated = (piece: (at: number) => string, between?: string) => string

function pieces(piece: (at: number) => string, between: string, piecesMax: number): string {
  const made: string[] = []
  let length = 0
  for (let at = 0; length < bytesMax && at < piecesMax; at++) {
    const one = piece(at)
    length += one.length + between.length
    if (length < bytesMax) made.push(one)
  }
  return made.join(between)
}
