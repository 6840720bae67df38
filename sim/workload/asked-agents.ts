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

/** An agent that clients send requests to. */
export interface AskedAgent {
  readonly name: string
  readonly endpoint: Asked
  /** It answers stale reads from its own state; a client agent asks different servers at different times. */
  readonly isServer: boolean
  /** It has not caught up with its cluster since it started. */
  readonly isCatchingUp: boolean
}

/**
 * Whether the server that answered may show a state from before its start. A server that has not caught up has stale reads
 * answered by its leader; if it loses that again, its own old state is all that it has, and the answer says so.
 */
export function mayBeOld({ isCatchingUp }: AskedAgent, knowsLeader: boolean): boolean {
  return isCatchingUp && !knowsLeader
}

/** What a group of clients needs from the run. */
export interface GroupWorld {
  /** Microseconds of true time, by which histories are judged. */
  readonly nowUs: () => number
  readonly decisions: Decisions
  /** The agent for the next request; undefined if the selection is empty. */
  readonly server: (draws: Draws) => AskedAgent | undefined
  /** The present boot of the server. */
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

/** The world of clients of keys and locks; the agent is chosen anew for each request. */
export function groupWorld(run: WorkloadRun, group: Asking): GroupWorld {
  const datacenter = group.datacenter ?? run.cluster.datacenterNames[0] ?? ''
  return {
    nowUs: () => run.simulation.nowUs,
    decisions: run.simulation.decisions,
    server: (draws) => {
      const scope = selectable(run.cluster, run.stepScope())
      const meant = group.at === undefined ? run.cluster.serverNames : select(group.at, { ...scope, draw: draws })
      // The answers are judged as those of one cluster; unless a datacenter is named, only agents of that cluster are
      // asked.
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
      // Resolved anew for each request, because the step that saves the token may run later.
      const token = group.token === undefined ? {} : { token: run.filled(group.token) }
      return {
        name,
        endpoint: { ...httpEndpoint(identity), ...asked, ...token },
        isServer: identity.kind === 'server' && isThere,
        isCatchingUp: isCatchingUp(run, name),
      }
    },
    bootOf: (server) => run.cluster.bootOf(server),
    onAcknowledged: (server) => run.triggered('write acknowledged', server),
    invariants: run.checksOf(datacenter),
  }
}

/** An agent of any datacenter. */
export function anyAgent(run: WorkloadRun, at: Selector, draws: Draws): AskedAgent | undefined {
  const meant = select(at, { ...selectable(run.cluster, run.stepScope()), draw: draws })
  const name = draws.oneOf(meant, (each) => each)
  if (name === undefined) return undefined
  const identity = run.cluster.identityOf(name)
  const isServer = identity.kind === 'server'
  return { name, endpoint: httpEndpoint(identity), isServer, isCatchingUp: isCatchingUp(run, name) }
}

function isCatchingUp({ cluster }: WorkloadRun, name: string): boolean {
  return cluster.agentOf(name)?.raft?.hasCaughtUp() === false
}

/** The agents of a selection beside which services run, in turn. */
export function besideAgents(
  run: WorkloadRun,
  { at, count }: { readonly at: Selector; readonly count: number },
): readonly string[] {
  const agents = run.select(at)
  return Array.from({ length: count }, (_, number) => agents[number % agents.length] ?? '')
}
