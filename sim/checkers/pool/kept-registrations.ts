import { catalogDeregister } from '../../../src/features/catalog/commands.ts'
import type { DeregisterRequest } from '../../../src/model/catalog.ts'
import { checker, eventIn, type Judge } from '../checker.ts'
import { AgentNames, agentNames } from './agent-names.ts'

/**
 * The shortest time after which a pool may forget a failed member. Reference: configuration.md#key-reconnect_timeout.
 */
const forgottenAfterUs = 8 * 3_600_000_000

/**
 * E3 during the run: no node is removed from the catalog while its agent runs, or only because its process died. A node
 * may be removed when its agent was asked to leave, when the pool has forgotten it, or when a client requested its
 * removal, and so may the former name of an agent that was renamed. Agents are known by their names.
 */
export class KeptRegistrations {
  readonly #judge: Judge<{ E3: 'asked to leave' | 'forgotten' | 'leave unheard' }>
  readonly #nowUs: () => number
  /** The names by which the catalog knows agents. */
  readonly names: AgentNames
  /** By agent, since when no process of it runs; undefined while one runs. */
  readonly #deadSinceUs = new Map<string, number | undefined>()
  /** By agent, the event of its last boot or death; empty if no trace is recorded. */
  readonly #livedIn = new Map<string, number>()
  /** Agents that may be removed: news of a leave may come late. */
  readonly #mayGo = new Set<string>()
  /** Agents that were asked to leave, are down, and of whose leave none has heard. */
  readonly #unheard = new Set<string>()

  constructor(
    judge: Judge<{ E3: 'asked to leave' | 'forgotten' | 'leave unheard' }>,
    nowUs: () => number,
    names = new AgentNames(),
  ) {
    this.#judge = judge
    this.#nowUs = nowUs
    this.names = names
  }

  booted(node: string): void {
    // The agent was dead for a while, and is still in the catalog.
    if (this.#deadSinceUs.get(node) !== undefined && !this.#mayGo.has(node)) this.#judge.judged('E3')
    this.#deadSinceUs.set(node, undefined)
    this.#unheard.delete(node)
    this.#lived(node)
  }

  died(node: string): void {
    if (this.#deadSinceUs.get(node) !== undefined) return
    this.#deadSinceUs.set(node, this.#nowUs())
    this.#lived(node)
  }

  /** Its agent was asked to leave or has another name, or a client requested the node's removal. */
  mayGo(node: string): void {
    this.#mayGo.add(node)
  }

  /** Every member knows that it runs, or that it failed and none has heard that it left. */
  stays(node: string): void {
    if (!this.#mayGo.delete(node) || this.#deadSinceUs.get(node) === undefined) return
    this.#unheard.add(node)
    this.#judge.judged('E3')
  }

  deregistered({ node, serviceId, checkId }: DeregisterRequest): void {
    if (serviceId === '' && checkId === '') this.takenOut(node)
  }

  /** The servers removed a node from the catalog. Nodes without an agent of this run are not judged. */
  takenOut(node: string): void {
    if (!this.#deadSinceUs.has(node)) return
    const sinceUs = this.#deadSinceUs.get(node)
    if (this.#mayGo.has(node)) this.#judge.excused('E3', 'asked to leave')
    else if (sinceUs !== undefined && this.#nowUs() - sinceUs >= forgottenAfterUs)
      this.#judge.excused('E3', 'forgotten')
    else this.#tooEarly(node, sinceUs)
  }

  /**
   * At rest: number of agents that left and are out of the catalog, and of those whose leave the leader could not hear.
   */
  leftInOrder(heard: number, unheard: number): void {
    this.#judge.judged('E3', heard)
    this.#judge.excused('E3', 'leave unheard', unheard)
  }

  #lived(node: string): void {
    const event = eventIn(this.#judge)
    if (event > 0) this.#livedIn.set(node, event)
  }

  #tooEarly(node: string, sinceUs: number | undefined): void {
    this.#judge.judged('E3')
    const how = sinceUs === undefined ? 'runs' : `died ${((this.#nowUs() - sinceUs) / 1e6).toFixed(0)} s ago`
    const why = this.#unheard.has(node) ? 'none has heard that it left' : 'was never asked to leave'
    this.#judge.report('E3', `${node} was removed from the catalog, although its agent ${how} and ${why}`, [
      this.#livedIn.get(node) ?? 0,
    ])
  }
}

export const keptRegistrations = checker({
  codes: {
    E3: {
      text: 'leaving: a killed agent keeps its registrations, one that left has none',
      sources: ['docs/reference/agent.md#member-status'],
      evidence: ['catalog', 'members'],
      judges: ['death or leave', 'deaths and leaves'],
      excuses: {
        'asked to leave':
          'A node that was asked to leave or renamed, or that an operator takes out, or whose machine is another; until it runs and all know it, or it is down and none has heard that it left.',
        forgotten: 'A node whose agent has been dead for 8 hours may be forgotten by its pool; until it starts again.',
        'leave unheard':
          'At rest the catalog may have an agent that left while the present leader could not hear it; until the pool forgets it.',
      },
    },
  },
  make: (run) => new KeptRegistrations(run, run.nowUs, run.of(agentNames)),
  takes: {
    'process began': (it, { node, name }) => it.booted(name ?? node),
    'process died': (it, { node }) => it.died(it.names.nameOf(node)),
    'machine replaced': (it, { node }) => it.mayGo(it.names.nameOf(node)),
    'removal allowed': (it, { node }) => it.mayGo(it.names.nameOf(node)),
    'agent renamed': (it, { from }) => it.mayGo(from),
    'removal over': (it, { node }) => it.stays(it.names.nameOf(node)),
    'command took effect': (it, { command }) => {
      if (command.kind === catalogDeregister.kind) it.deregistered(command.body as DeregisterRequest)
    },
  },
})
