import { changesOf, type StatePart } from '../report/state-changes.ts'
import type { ScenarioRun } from '../scenario/run.ts'
import type { StateReader } from '../scenario/state-events.ts'
import { consensusOf, nodeState } from './node-state.ts'

/** Virtual time between two looks at all of a node, in microseconds; its part in consensus is seen after each turn. */
const wholeEveryUs = 250_000

interface Told {
  state: StatePart
  wholeAtUs: number
}

/**
 * What changes about the nodes of a run, told once each, for readers of its trace. Looking changes nothing. Left out is
 * what moves with every event and what `svc-sim inspect` is for: the disk, what waits, the age of suspicions.
 */
export class ToldStates implements StateReader {
  readonly #run: ScenarioRun
  readonly #told = new Map<string, Told>()

  constructor(run: ScenarioRun) {
    this.#run = run
  }

  /**
   * What is otherwise at this node than was told last; undefined: nothing. `now`: all of it is looked at, however
   * recently it was.
   */
  changes(node: string, now: boolean): StatePart | undefined {
    const { nowUs } = this.#run.simulation
    const told = this.#told.get(node) ?? { state: {}, wholeAtUs: Number.NEGATIVE_INFINITY }
    const isWhole = now || nowUs - told.wholeAtUs >= wholeEveryUs
    const after = isWhole ? wholeOf(this.#run, node) : { ...told.state, consensus: consensusPart(this.#run, node) }
    const changes = changesOf(told.state, after)
    this.#told.set(node, { state: after, wholeAtUs: isWhole ? nowUs : told.wholeAtUs })
    return changes
  }
}

function wholeOf(run: ScenarioRun, node: string): StatePart {
  const { datacenter, process, pools, replicated, registered } = nodeState(run, node)
  const withoutDigest = replicated === undefined ? undefined : { ...replicated, digest: undefined, index: undefined }
  return {
    datacenter,
    process,
    consensus: consensusPart(run, node),
    pools: poolsPart(pools),
    replicated: withoutDigest,
    registered,
  }
}

function consensusPart(run: ScenarioRun, node: string): StatePart | undefined {
  const state = consensusOf(run, node)
  return state && { ...state, lastContactMs: undefined, proposalsWaiting: undefined }
}

/** Of a suspicion the members that suspect are told, not its age: that changes with every look. */
function poolsPart(pools: ReturnType<typeof nodeState>['pools']): StatePart {
  const members = (of: (typeof pools)[string]): StatePart =>
    Object.fromEntries(
      Object.entries(of.members).map(([name, { suspicion, ...seen }]) => [
        name,
        suspicion === undefined ? seen : { ...seen, suspectedBy: suspicion.from },
      ]),
    )
  return Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, { ...pool, members: members(pool) }]))
}
