import type { LabelledResource, Rule } from './rules.ts'

/** A block as it was read, before it is known to hold. */
export interface ReadBlock {
  readonly resource: LabelledResource
  readonly match: Rule['match']
  /** The name of the block, such as `key_prefix`. */
  readonly name: string
  readonly label: string
  readonly level: string
  /** Empty: not said. */
  readonly intentions: string
}

const levels: ReadonlySet<string> = new Set(['deny', 'read', 'write'])

/** `key` has `list` besides. Messages show blocks in the field's own form, which its clients know. */
export function invalidRule(block: ReadBlock): string | undefined {
  const { name, level, intentions, resource } = block
  const holds = levels.has(level) || (resource === 'key' && level === 'list')
  if (!holds) return `Invalid ${name} policy: ${shown(block)}`
  if (intentions !== '' && !levels.has(intentions)) return `Invalid ${name} intentions policy: ${shown(block)}`
  return undefined
}

export function invalidScalar(name: string, level: string): string | undefined {
  return level === '' || levels.has(level) ? undefined : `Invalid ${name} policy: ${quoted(level)}`
}

const forms = {
  agent: ['AgentPolicy', 'Node'],
  event: ['EventPolicy', 'Event'],
  key: ['KeyPolicy', 'Prefix'],
  node: ['NodePolicy', 'Name'],
  query: ['PreparedQueryPolicy', 'Prefix'],
  service: ['ServicePolicy', 'Name'],
  session: ['SessionPolicy', 'Node'],
} as const satisfies Record<LabelledResource, readonly [string, string]>

const mayHaveCode: ReadonlySet<LabelledResource> = new Set(['key', 'node', 'service'])

/** Code of `sentinel` is not shown: it is ignored wherever rules are read. */
function shown({ resource, label, level, intentions }: ReadBlock): string {
  const [form, labelled] = forms[resource]
  const code = ', Sentinel:acl.Sentinel{Code:"", EnforcementLevel:""}'
  const more = resource === 'service' ? `, Intentions:${quoted(intentions)}` : ''
  const sentinel = mayHaveCode.has(resource) ? code : ''
  return `acl.${form}{${labelled}:${quoted(label)}, Policy:${quoted(level)}${sentinel}${more}}`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
