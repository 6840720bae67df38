import { changesOf, type StatePart } from '../report/state-changes.ts'
import type { ScenarioRun } from '../scenario/run.ts'
import type { StateReader } from '../scenario/state-events.ts'
import { consensusOf, nodeState } from './node-state.ts'

/**
 * Virtual time between two looks at the whole state of a node, in microseconds; its Raft state is read after each turn.
 */
const wholeEveryUs = 250_000

interface Told {
  state: StatePart
  wholeAtUs: number
}

/**
 * The changes of a run's nodes, each reported once, for readers of its trace. Looking changes nothing. Left out is what
 * changes with every event and can be seen with `svc-sim inspect`: the disk, waiting requests, the age of suspicions.
 */
export class ToldStates implements StateReader {
  readonly #run: ScenarioRun
  readonly #told = new Map<string, Told>()

  constructor(run: ScenarioRun) {
    this.#run = run
  }

  /**
   * What has changed at this node since the last report; undefined: nothing. `now`: the whole state is read, however
   * recent the last look was.
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
  const { datacenter, process, pools, replicated, registered, leaves } = nodeState(run, node)
  const withoutDigest = replicated === undefined ? undefined : { ...replicated, digest: undefined, index: undefined }
  return {
    datacenter,
    process,
    consensus: consensusPart(run, node),
    pools: poolsPart(pools),
    replicated: withoutDigest,
    registered,
    leaves,
  }
}

function consensusPart(run: ScenarioRun, node: string): StatePart | undefined {
  const state = consensusOf(run, node)
  return state && { ...state, lastContactMs: undefined, proposalsWaiting: undefined }
}

/** For a suspicion, the accusers are reported, but not its age, which changes with every look. */
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
