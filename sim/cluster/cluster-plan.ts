import type { FileConfig } from '../../src/config/schema.ts'
import type { Release } from '../../src/model/release.ts'

/** Nodes of one kind in one datacenter. */
export interface NodePlan {
  readonly count: number
  readonly 'restart after'?: number | undefined
  /** What they run as at first; the newest if absent. */
  readonly release?: Release | undefined
  /** Settings of these nodes alone, over those of the datacenter. */
  readonly config?: FileConfig | undefined
}

/** What a cluster is made of, by datacenter. */
export interface ClusterPlan {
  readonly [datacenter: string]: {
    readonly servers: NodePlan
    readonly clients?: NodePlan | undefined
    readonly config?: FileConfig | undefined
  }
}
