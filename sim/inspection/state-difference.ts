import type { NodeState } from './node-state.ts'

/** One difference between two moments. Undefined: it did not exist at that moment. */
export interface Difference {
  /** `consensus.log.committed`. */
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The differences between two states of one node, in the order of the state's own members. */
export function differencesOf(before: NodeState, after: NodeState): readonly Difference[] {
  const were = new Map(leaves(before, []))
  const are = new Map(leaves(after, []))
  const paths = new Set([...were.keys(), ...are.keys()])
  return [...paths].flatMap((path) => {
    const [was, is] = [were.get(path), are.get(path)]
    return was === is ? [] : [{ path, before: was, after: is }]
  })
}

/** Lists are compared as sets of texts, whose members are present or absent. */
function* leaves(value: unknown, path: readonly string[]): Iterable<readonly [string, string]> {
  if (Array.isArray(value)) {
    for (const item of value) yield [[...path, `[${item}]`].join('.'), 'there']
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* leaves(member, [...path, name])
  } else yield [path.join('.'), String(value)]
}
