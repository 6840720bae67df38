import type { RandomStream } from '../../src/env/random.ts'
import type { ClusterPlan } from '../cluster/cluster-plan.ts'
import type { Tuning } from '../cluster/settings.ts'
import type { Scenario } from './language/scenario-schema.ts'

/** The cluster of one seed: draws everything that the scenario leaves to chance. */
export function drawnCluster(scenario: Scenario, draw: RandomStream): ClusterPlan {
  const datacenters = Object.entries(scenario.cluster).map(([name, { servers, clients, config, ...rest }]) => {
    const over = oneOf(rest['drawn config'], draw)
    const plan = {
      ...(rest.datacenter === undefined ? {} : { datacenter: rest.datacenter }),
      ...(rest.apart === undefined ? {} : { apart: rest.apart }),
      ...(rest.certificates === undefined ? {} : { certificates: rest.certificates }),
      servers: { ...servers, count: countOf(servers.count, draw) },
      ...(clients === undefined ? {} : { clients: { ...clients, count: countOf(clients.count, draw) } }),
      config: { ...config, ...over },
    }
    return [name, plan] as const
  })
  return Object.fromEntries(datacenters)
}

/** The seed's settings that have no key in configuration files. */
export function drawnTuning({ knobs, mesh }: Scenario, draw: RandomStream): Tuning {
  const entries = oneOf(knobs?.['append entries'], draw)
  const inFlight = oneOf(knobs?.['appends in flight'], draw)
  const chunk = oneOf(knobs?.['snapshot chunk'], draw)
  const trailing = oneOf(knobs?.['trailing logs'], draw)
  const incarnation = oneOf(knobs?.['first incarnation'], draw)
  return {
    limits: {
      ...(entries === undefined ? {} : { appendEntriesMax: entries }),
      ...(inFlight === undefined ? {} : { appendsInFlightMax: inFlight }),
      ...(chunk === undefined ? {} : { snapshotChunkBytes: chunk }),
    },
    ...(mesh === undefined ? {} : { mesh: { leafTtlMs: mesh['leaf ttl'], skewMs: mesh.skew } }),
    ...(trailing === undefined ? {} : { trailingLogs: trailing }),
    ...(incarnation === undefined ? {} : { firstIncarnation: incarnation }),
  }
}

function countOf(count: number | readonly number[], draw: RandomStream): number {
  return typeof count === 'number' ? count : (oneOf(count, draw) as number)
}

/** Draws nothing if there is no choice. */
function oneOf<T>(values: readonly T[] | undefined, draw: RandomStream): T | undefined {
  if (values === undefined || values.length < 2) return values?.[0]
  return values[draw.below(values.length)]
}
