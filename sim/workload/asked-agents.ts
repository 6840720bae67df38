import type { Invariants } from '../checkers/invariants.ts'
import { calledName, knowsOf } from '../cluster/group-facts.ts'
import { httpEndpoint } from '../cluster/node-identity.ts'
import { selectable } from '../faults/action-scope.ts'
import type { Template } from '../notation/fields.ts'
import { select } from '../notation/selection.ts'
import type { Selector } from '../notation/selector.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { Asked } from './key-client.ts'
import type { WorkloadRun } from './kind.ts'

/** An agent that clients ask. */
export interface AskedAgent {
  readonly name: string
  readonly endpoint: Asked
  /** It answers stale reads from its own state; a client agent asks one server now and another then. */
  readonly isServer: boolean
}

/** What a group asks of its surroundings. */
export interface GroupWorld {
  /** Microseconds of true time: what histories are judged by. */
  readonly nowUs: () => number
  readonly decisions: Decisions
  /** The agent to ask now; undefined when the selection is empty. */
  readonly server: (draws: Draws) => AskedAgent | undefined
  /** Which boot of the server runs now. */
  readonly bootOf: (server: string) => number
  readonly onAcknowledged: (server: string) => void
  readonly invariants: Invariants
}

/** Timeout of a client, unless the scenario sets one. */
export const answerWithinMs = 10_000

interface Asking {
  readonly at?: Selector | undefined
  readonly datacenter?: string | undefined
  readonly token?: Template | undefined
}

/** Clients of keys and locks, and which agents they ask: chosen anew for each request. */
export function groupWorld(run: WorkloadRun, group: Asking): GroupWorld {
  const datacenter = group.datacenter ?? run.cluster.datacenterNames[0] ?? ''
  return {
    nowUs: () => run.simulation.nowUs,
    decisions: run.simulation.decisions,
    server: (draws) => {
      const scope = selectable(run.cluster, run.stepScope())
      const meant = group.at === undefined ? run.cluster.serverNames : select(group.at, { ...scope, draw: draws })
      // Their answers are judged as of one cluster; without a named one, only agents of that cluster are asked.
      const chosen = meant.filter((node) =>
        group.datacenter === undefined
          ? run.cluster.datacenterOf(node) === datacenter
          : knowsOf(run.cluster, node, datacenter),
      )
      const name = draws.oneOf(chosen, (each) => each)
      if (name === undefined) return undefined
      const identity = run.cluster.identityOf(name)
      const isThere = identity.datacenter === datacenter
      const asked = isThere ? {} : { datacenter: calledName(run.cluster, datacenter) }
      // Resolved anew for each request: the step that saves it may come later.
      const token = group.token === undefined ? {} : { token: run.filled(group.token) }
      return {
        name,
        endpoint: { ...httpEndpoint(identity), ...asked, ...token },
        isServer: identity.kind === 'server' && isThere,
      }
    },
    bootOf: (server) => run.cluster.bootOf(server),
    onAcknowledged: (server) => run.triggered('write acknowledged', server),
    invariants: run.checksOf(datacenter),
  }
}

/** Of whatever datacenter. */
export function anyAgent(run: WorkloadRun, at: Selector, draws: Draws): AskedAgent | undefined {
  const meant = select(at, { ...selectable(run.cluster, run.stepScope()), draw: draws })
  const name = draws.oneOf(meant, (each) => each)
  if (name === undefined) return undefined
  const identity = run.cluster.identityOf(name)
  return { name, endpoint: httpEndpoint(identity), isServer: identity.kind === 'server' }
}

/** The agents of a selection beside which services are, one after the other in turn. */
export function besideAgents(
  run: WorkloadRun,
  { at, count }: { readonly at: Selector; readonly count: number },
): readonly string[] {
  const agents = run.select(at)
  return Array.from({ length: count }, (_, number) => agents[number % agents.length] ?? '')
}
