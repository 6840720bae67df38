import { type JsonSchema, orNull } from '../contract/json-schema.ts'
import { durationSchema } from '../http/json-body.ts'
import type { Holding, MemberNames, Members } from './definition-members.ts'

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
