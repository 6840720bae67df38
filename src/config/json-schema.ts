import { z } from 'zod'
import type { Json } from '../base/json.ts'
import type { Holding, MemberNames, Members } from '../features/agent/definition-members.ts'
import { checkNames, serviceNames } from '../features/agent/definition-names.ts'
import type { Naming } from '../model/naming/naming.ts'
import { toldDocument } from '../model/naming/told.ts'
import { fileSchema } from './schema.ts'

type SchemaNode = Readonly<Record<string, unknown>>

/**
 * The JSON Schema of the configuration file for editors (draft 2020-12), from the same schema that reads files. Facts
 * about a key for which the standard has no keyword stand under `x-`: the kind of agent that reads it, whether a reload
 * applies it, the release that introduced it, the key to use instead. Keys are in lower case, as they are documented;
 * files may have them in any case.
 */
export function configJsonSchema(naming: Naming): Json {
  const { $schema, properties, ...rest } = z.toJSONSchema(fileSchema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  })
  const title = 'Configuration of an agent of svc'
  const known = properties as Readonly<Record<string, SchemaNode>>
  const told = { $schema, title, ...rest, properties: withDefinitions(known), $defs: definitions() }
  const written: Json = JSON.parse(JSON.stringify(told))
  return toldDocument(naming, written)
}

/** Definitions are parsed by `features/agent`: their keys come from its tables. */
function withDefinitions(properties: Readonly<Record<string, SchemaNode>>): SchemaNode {
  const one = (key: string, kind: string): SchemaNode => ({ ...described(properties[key]), $ref: `#/$defs/${kind}` })
  const many = (key: string, kind: string): SchemaNode => {
    return { ...properties[key], items: { $ref: `#/$defs/${kind}` } }
  }
  return {
    ...properties,
    check: one('check', 'check'),
    checks: many('checks', 'check'),
    service: one('service', 'service'),
    services: many('services', 'service'),
  }
}

function described(node: SchemaNode | undefined): SchemaNode {
  const { type: _type, properties: _properties, additionalProperties: _more, ...facts } = node ?? {}
  return facts
}

function definitions(): SchemaNode {
  return { check: definitionOf(checkNames.names), service: definitionOf(serviceNames.names) }
}

/** Strict, as files are; keys in snake case. */
function definitionOf(members: Members): SchemaNode {
  const known = Object.values(members).filter(({ until }) => until === undefined)
  const properties = known.map((member) => [member.file, memberOf(member)] as const)
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

function memberOf({ holds, members = {} }: MemberNames): SchemaNode {
  if (holds === 'object') return definitionOf(members)
  return holds === 'objects' ? { type: 'array', items: definitionOf(members) } : plain[holds]
}

const plain: Readonly<Record<Exclude<Holding, 'object' | 'objects'>, SchemaNode>> = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  flag: { type: 'boolean' },
  texts: { type: 'array', items: { type: 'string' } },
  pairs: { type: 'object', additionalProperties: { type: 'string' } },
  textLists: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
  duration: { type: ['string', 'integer'] },
  settings: { type: 'object' },
  definition: { type: 'object' },
  any: {},
}
