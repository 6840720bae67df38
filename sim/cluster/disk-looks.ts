import type { Invariants } from '../checkers/invariants.ts'
import type { DiskLook } from '../checkers/raft/disk-look.ts'
import type { ClusterNode } from './cluster-node.ts'

const raftFolder = '/data/raft/'

/** Reports what consensus has on the disk of a machine; the disk of a client has nothing of it. */
export function tellDisk(checks: Invariants, server: ClusterNode, when: DiskLook['when']): void {
  const { node, identity, release, damaged } = server
  const files = new Map([...node.disk.tree.files()].filter(([path]) => path.startsWith(raftFolder)))
  if (files.size === 0) return
  const { hasFailed, underWay } = node.disk
  const look = { when, release, isRotten: damaged, hasFailed, isBusy: underWay > 0, files }
  checks.tell('disk looked at', { node: identity.name, look })
}
