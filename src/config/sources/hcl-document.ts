import { err, ok, type Result } from '../../base/result.ts'
import { parseHcl } from '../../hcl/hcl.ts'
import { type HclBlock, type HclMember, type HclNode, plainValue } from '../../hcl/tree.ts'
import type { ConfigProblem } from '../problem.ts'
import { type ConfigDocument, parseDocument, placeAt } from './document.ts'

/**
 * Names whose value in JSON is a list of objects. Under any other name one block is that object; HCL itself makes a
 * list of every block. Reference: configuration.md#fact-3.
 */
const lists: ReadonlySet<string> = new Set([
  'services',
  'checks',
  'watches',
  'segments',
  'service.checks',
  'services.checks',
  'service.proxy.upstreams',
  'services.proxy.upstreams',
  'service.connect.proxy.upstreams',
  'services.connect.proxy.upstreams',
  'service.connect.proxy.config.upstreams',
  'services.connect.proxy.config.upstreams',
  'service.connect.sidecar_service.checks',
  'services.connect.sidecar_service.checks',
  'service.connect.sidecar_service.proxy.upstreams',
  'services.connect.sidecar_service.proxy.upstreams',
])

/** Names that may be repeated, and then form a list under the other name. */
const repeated: ReadonlyMap<string, string> = new Map([
  ['service', 'services'],
  ['check', 'checks'],
])

/** Reads a file of either language. JSON in a file of HCL is JSON, as in the field. */
export function documentOf(file: string, text: string, format: 'json' | 'hcl'): Result<ConfigDocument, ConfigProblem> {
  return format === 'json' || /^\s*\{/.test(text) ? parseDocument(file, text) : parseHclDocument(file, text)
}

/** Reads an HCL file: returns the same content as the equivalent JSON, with the place of each value. */
export function parseHclDocument(file: string, text: string): Result<ConfigDocument, ConfigProblem> {
  const parsed = parseHcl(text)
  if (!parsed.ok) {
    const { offset, message } = parsed.error
    return err({ place: placeAt(file, text, offset), message: `not HCL: ${message}`, remedy: 'correct the file' })
  }
  const root = unwrapped(gathered(parsed.value), '')
  const placeOf = (path: readonly PropertyKey[]): string => placeAt(file, text, offsetOf(root, path))
  return ok({ file, value: plainValue(root), placeOf })
}

/** Several blocks named `service` form a list of services. */
function gathered(root: HclBlock): HclBlock {
  const members = new Map<string, HclMember>()
  for (const member of root.members) {
    const { name: key, node } = member
    const isRepeated = node.kind === 'list' && node.items.length > 1
    const name = (isRepeated ? repeated.get(key.toLowerCase()) : undefined) ?? key
    const before = members.get(name)?.node
    const joins = before?.kind === 'list' && node.kind === 'list'
    members.set(name, { ...member, name, node: joins ? { ...node, items: [...before.items, ...node.items] } : node })
  }
  return { ...root, members: [...members.values()] }
}

function unwrapped(node: HclNode, path: string): HclNode {
  switch (node.kind) {
    case 'scalar':
      return node
    case 'list': {
      const [only, ...others] = node.items
      const isObject = only?.kind === 'block' && others.length === 0 && !lists.has(path.toLowerCase())
      return isObject ? unwrapped(only, path) : { ...node, items: node.items.map((item) => unwrapped(item, path)) }
    }
    case 'block': {
      const under = (key: string): string => (path === '' ? key : `${path}.${key}`)
      const members = node.members.map((member) => ({ ...member, node: unwrapped(member.node, under(member.name)) }))
      return { ...node, members }
    }
  }
}

/** The offset of the name at the path, or of the nearest enclosing one. */
function offsetOf(root: HclNode, path: readonly PropertyKey[]): number {
  let { offset } = root
  let node: HclNode | undefined = root
  for (const part of path) {
    if (node?.kind === 'block') {
      const member: HclMember | undefined = node.members.find(({ name }) => name === String(part))
      if (member === undefined) return offset
      offset = member.offset
      node = member.node
    } else if (node?.kind === 'list') {
      node = node.items[Number(part)]
      if (node === undefined) return offset
      offset = node.offset
    }
  }
  return offset
}
