import type { AgentConfig } from '../../src/agent/settings/agent-config.ts'
import { InvariantViolation } from '../../src/base/invariant.ts'
import type { Result } from '../../src/base/result.ts'
import type { Machine } from '../../src/env/process.ts'
import type { Invariants } from '../checkers/invariants.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { type ClusterNode, clusterNode } from './cluster-node.ts'
import { type ClusterPlan, plannedNodes } from './cluster-plan.ts'
import type { NodeIdentity } from './node-identity.ts'
import { nodeConfig, type Tuning } from './settings.ts'

export interface ClusterNodeParts {
  readonly simulation: Simulation
  readonly plan: ClusterPlan
  /** The checkers of each datacenter, which is a cluster of its own. */
  readonly invariantsOf: (datacenter: string) => Invariants
  /** Settings of every agent. */
  readonly tuning: Tuning
  /** The initial clock of a machine. */
  readonly clockOf: (name: string) => { readonly wallOffsetMs: number; readonly rate: number }
}

/** The machines of a plan by name, each with its agent's configuration and the checkers of its datacenter. */
export class ClusterNodes {
  readonly invariantsOf: (datacenter: string) => Invariants
  /** Servers, then clients. */
  readonly names: readonly string[]
  readonly #nodes: ReadonlyMap<string, ClusterNode>
  readonly #tuning: Tuning

  constructor({ simulation, plan, invariantsOf, tuning, clockOf }: ClusterNodeParts) {
    this.invariantsOf = invariantsOf
    this.#tuning = tuning
    const nodes = new Map<string, ClusterNode>()
    for (const planned of plannedNodes(plan)) {
      const { name, host } = planned.identity
      const clock = clockOf(name)
      const node = simulation.addNode({ name, host, clock, directories: ['/data'] })
      node.disk.onFailed = (operation, path) =>
        invariantsOf(planned.identity.datacenter).tell('disk operation failed', { node: name, operation, path })
      node.disk.onFull = (path) =>
        invariantsOf(planned.identity.datacenter).tell('disk found full', { node: name, path })
      nodes.set(name, clusterNode(planned, node, clock.rate))
    }
    this.#nodes = nodes
    this.names = [...nodes.keys()]
  }

  namesOf(kind: NodeIdentity['kind']): readonly string[] {
    return this.names.filter((name) => this.of(name).identity.kind === kind)
  }

  has(name: string): boolean {
    return this.#nodes.has(name)
  }

  of(name: string): ClusterNode {
    const node = this.#nodes.get(name)
    if (node === undefined) throw new InvariantViolation('a node that the cluster does not have', { name })
    return node
  }

  checksOf({ identity }: ClusterNode): Invariants {
    return this.invariantsOf(identity.datacenter)
  }

  /** The configuration of its next process, or why the process refuses it. */
  configOf({ identity, settings, release }: ClusterNode, machine: Machine): Result<AgentConfig, string> {
    const identities = [...this.#nodes.values()].map((node) => node.identity)
    return nodeConfig(identity, identities, settings, machine, release, this.#tuning)
  }
}
