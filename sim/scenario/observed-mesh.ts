import { meshLaws } from '../checkers/mesh/mesh-laws.ts'
import type { ObservedMesh } from './judge.ts'
import type { RunContext } from './run-context.ts'

/**
 * The authority of one datacenter, the first if none is named, and its proxies, or all; undefined: there is no mesh to
 * observe.
 */
export function observedMesh(run: RunContext, datacenter: string | undefined): ObservedMesh | undefined {
  const mesh = (datacenter === undefined ? run.invariants : run.checksOf(datacenter)).of(meshLaws)
  if (mesh === undefined) return undefined
  return {
    roots: mesh.rootsListed,
    rotation: mesh.rotation.step ?? 'none',
    rotations: mesh.rotation.completed,
    connections: mesh.meetings.connectionsMade,
    leaves: mesh.leavesSeen,
    behind: () => run.proxiesBehind(datacenter),
  }
}
