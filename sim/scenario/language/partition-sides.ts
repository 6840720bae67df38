import { type Pick, partsOf, type Selector } from '../../notation/selector.ts'

/**
 * A node that is on two sides of a partition whatever the seed and the state of the cluster are; undefined if none is
 * known. Drawn nodes, and groups that overlap only sometimes, are refused by the run itself.
 */
export function onTwoSides(
  sides: readonly Selector[],
  nodes: { readonly servers: readonly string[]; readonly clients: readonly string[] },
): string | undefined {
  const seen = new Set<string>()
  for (const side of sides) {
    const own = new Set(namesOn(side.pick, nodes))
    for (const name of own) if (seen.has(name)) return name
    for (const name of own) seen.add(name)
  }
  return undefined
}

/** Nodes that are certainly selected, and group names that mean the same on every side. */
function namesOn(pick: Pick, nodes: { readonly servers: readonly string[]; readonly clients: readonly string[] }) {
  return [...fixedParts(pick)].flatMap((part): readonly string[] => {
    if (part.kind === 'node') return [part.name]
    if (part.kind === 'saved') return [`\${${part.name}}`]
    if (part.kind === 'it') return ['it']
    if (part.kind !== 'group') return []
    const { group, datacenter } = part
    if (datacenter !== undefined) return fixedGroups.has(group) ? [`${datacenter}/${group}`] : []
    if (group === 'servers') return nodes.servers
    if (group === 'clients') return nodes.clients
    if (group === 'nodes') return [...nodes.servers, ...nodes.clients]
    return fixedGroups.has(group) ? [group] : []
  })
}

const fixedGroups: ReadonlySet<string> = new Set([
  'leader',
  'followers',
  'servers',
  'running',
  'crashed',
  'clients',
  'nodes',
  'others',
  'other nodes',
])

/** The parts that are neither drawn nor left out. */
function* fixedParts(pick: Pick): Iterable<Pick> {
  if (pick.kind === 'union') for (const part of pick.parts) yield* fixedParts(part)
  else if (pick.kind !== 'some' && pick.kind !== 'rest') yield* partsOf(pick)
}
