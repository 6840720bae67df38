import type { Consistency } from '../../src/features/manifest.ts'
import { clientHost, httpEndpoint } from '../cluster/node-identity.ts'
import { selectable } from '../faults/injector.ts'
import { ClientGroup, type GroupWorld } from '../workload/client-group.ts'
import { Heartbeats, type HeartbeatTargets } from '../workload/heartbeats.ts'
import type { RunContext } from './run-context.ts'
import type { ClientGroup as GroupText, HeartbeatGroup } from './scenario-schema.ts'
import { select } from './selection.ts'

/** How long a client waits for an answer, unless the scenario says. */
const answerWithinMs = 10_000

/** The groups of clients that a scenario describes, each on a machine of its own. */
export class Workload {
  readonly #run: RunContext
  readonly #groups: ClientGroup[] = []
  readonly #heartbeats: Heartbeats[] = []

  constructor(run: RunContext) {
    this.#run = run
    const groups = Object.entries(run.scenario.workload ?? {})
    for (const [at, [name, group]] of groups.entries()) {
      // The driver has the first machine.
      const node = run.simulation.addNode({ name: `clients-${at + 1}`, host: clientHost(at + 2) })
      node.boot((env) => {
        this.#groups.push(new ClientGroup(env, planOf(name, group), this.#worldOf(group)))
      })
    }
    for (const [at, [name, group]] of Object.entries(run.scenario.heartbeats ?? {}).entries()) {
      const node = run.simulation.addNode({ name: `heartbeats-${at + 1}`, host: clientHost(groups.length + at + 2) })
      const plan = { name, check: group.check, everyMs: group.every }
      node.boot((env) => void this.#heartbeats.push(new Heartbeats(env, plan, this.#targetsOf(group))))
    }
  }

  /** Services are well from the beginning to the end, whatever else stops. */
  startHeartbeats(): void {
    this.#run.simulation.after(0, () => {
      for (const group of this.#heartbeats) group.start()
    })
  }

  switch(to: 'start' | 'stop'): void {
    this.#run.simulation.after(0, () => {
      for (const group of this.#groups) {
        if (to === 'start') group.start()
        else group.stop()
      }
    })
  }

  openRequests(): readonly string[] {
    return this.#groups.flatMap((group) => group.openRequests())
  }

  #targetsOf({ at }: HeartbeatGroup): HeartbeatTargets {
    const { cluster } = this.#run
    return () =>
      this.#run
        .select(at)
        .filter((node) => cluster.isRunning(node))
        .map((name) => ({ name, endpoint: httpEndpoint(cluster.identityOf(name)) }))
  }

  #worldOf(group: GroupText): GroupWorld {
    const run = this.#run
    return {
      nowUs: () => run.simulation.nowUs,
      server: (draw) => {
        const scope = selectable(run.cluster, run.stepScope())
        const chosen = group.at === undefined ? run.cluster.serverNames : select(group.at, { ...scope, draw })
        const name = chosen[draw(Math.max(1, chosen.length))]
        return name === undefined ? undefined : { name, endpoint: httpEndpoint(run.cluster.identityOf(name)) }
      },
      bootOf: (server) => run.cluster.bootOf(server),
      onAcknowledged: (server) => run.triggered('write acknowledged', server),
      invariants: run.invariants,
    }
  }
}

function planOf(name: string, group: GroupText): ConstructorParameters<typeof ClientGroup>[1] {
  const { consistency } = group
  const consistencies: readonly Consistency[] = typeof consistency === 'string' ? [consistency] : consistency
  return {
    name,
    clients: group.clients,
    operations: group.operations,
    keys: group.keys,
    ratePerSecond: group.rate,
    consistencies,
    timeoutMs: group.within ?? answerWithinMs,
  }
}
