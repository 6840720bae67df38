import { z } from 'zod'
import { scenarioSchema } from './scenario-schema.ts'

/** A JSON Schema node, as far as this program reads one. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
}

/** The scenario language for editors, from the schema that files are read with. */
export function scenarioJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = z.toJSONSchema(scenarioSchema, { io: 'input', target: 'draft-2020-12' })
  return { $schema, title: 'A scenario of svc-sim', ...rest }
}

/** The keys that the language has at a path of a file. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  return [...keysBelow(nodesAt(path))]
}

/** The keys that the language has at a path of a file, each with the keys that it has below that one. */
export function nestedKeysAt(path: readonly PropertyKey[]): ReadonlyMap<string, readonly string[]> {
  const nodes = nodesAt(path)
  const names = [...keysBelow(nodes)]
  return new Map(names.map((name) => [name, [...keysBelow(nodes.flatMap((node) => below(node, name)))]]))
}

/** Every reading of what stands there. */
function nodesAt(path: readonly PropertyKey[]): readonly SchemaNode[] {
  let nodes: readonly SchemaNode[] = [scenarioJsonSchema()]
  for (const part of path) nodes = nodes.flatMap((node) => below(node, part))
  return nodes
}

function keysBelow(nodes: readonly SchemaNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(readings).flatMap((node) => Object.keys(node.properties ?? {})))
}

function below(node: SchemaNode, part: PropertyKey): readonly SchemaNode[] {
  return readings(node).flatMap((reading) => {
    if (typeof part === 'number') return reading.items === undefined ? [] : [reading.items]
    const property = reading.properties?.[String(part)]
    if (property !== undefined) return [property]
    return typeof reading.additionalProperties === 'object' ? [reading.additionalProperties] : []
  })
}

function readings(node: SchemaNode): readonly SchemaNode[] {
  return node.anyOf === undefined ? [node] : node.anyOf.flatMap(readings)
}
