import type { StartFailure } from '../../src/agent/boot/lifecycle.ts'
import { oldLogsOf } from '../../src/model/release.ts'
import type { ClusterNode } from './cluster-node.ts'

/**
 * Whether a process may fail to start so, in a world where nothing rotted: a full or failing disk is a fault of the scenario;
 * and a release must refuse a log of a form that it does not know, where there is one. Anything else no start may meet.
 */
export function isExplained({ node, release }: Pick<ClusterNode, 'node' | 'release'>, { kind }: StartFailure): boolean {
  if (kind === 'io' || kind === 'data-directory') return true
  const strange = strangeLogs[oldLogsOf(release)]
  if (kind !== 'old-format' || strange === undefined) return false
  return [...node.disk.files().keys()].some((path) => path.startsWith(strange))
}

/** Where a log lies that a server cannot read. */
const strangeLogs = { kept: '/data/raft/log/', migrated: undefined, refused: '/data/mdb/' } as const
