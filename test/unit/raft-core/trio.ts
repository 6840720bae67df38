import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import type { SnapshotMeta } from '../../../src/raft/core/types.ts'
import { Cluster, members } from './cluster.ts'

export const trio = ['s1', 's2', 's3']

/** One server of three; the others are played by the test. */
export function lone(past: Record<string, object> = {}, nonvoters: string[] = []): Cluster {
  const cluster = new Cluster({ voters: trio, nonvoters, running: ['s1'], past })
  cluster.nowMs = 5000
  return cluster
}

export const configuration = members(trio)

export function meta(index: number, term: number, over: Partial<SnapshotMeta> = {}): SnapshotMeta {
  return { index: logIndexOf(index), term: termOf(term), configuration, configurationIndex: logIndexOf(1), ...over }
}
