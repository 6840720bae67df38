import { features } from '../../src/agent/assembly/features.ts'
import type { CheckedRun, Checker, ExcuseNames, FactTaker, Judge, Report, Tell } from './checker.ts'
import { type AllExcuses, checkers, type InvariantCode } from './checkers.ts'
import type { FactName, NodeTrigger } from './facts.ts'
import { JudgedTally } from './judged-tally.ts'
import type { Membership } from './pool/membership.ts'
import { stateMachineSafety } from './raft/state-machine-safety.ts'

/** One violation of an invariant. */
export interface Violation {
  readonly code: InvariantCode
  readonly message: string
  /** True time, in microseconds since the run began. */
  readonly atUs: number
}

type RunParts = Pick<CheckedRun, 'nowUs' | 'staleDefaultMs'> &
  Partial<
    Pick<
      CheckedRun,
      | 'searchStepsMax'
      | 'network'
      | 'disk'
      | 'resolution'
      | 'federation'
      | 'contactSinceUs'
      | 'mesh'
      | 'excusesLostMajority'
      | 'keepsHistory'
    >
  > & {
    /**
     * The pool of the servers of all datacenters, the same for each datacenter's invariants. Absent if there is only
     * one.
     */
    readonly wan?: Membership | undefined
    /**
     * An event that faults and steps may wait for. The callback must not act on the cluster at once, because the agent
     * is in the middle of its own work.
     */
    readonly onTrigger: (trigger: NodeTrigger, node: string) => void
    /** Called with each violation and the events on which it rests. */
    readonly onViolation?: (violation: Violation, because: readonly number[]) => void
    /** Number of the event in the trace that happens now. */
    readonly eventNow?: () => number
  }

/** One checker that takes facts of one name. */
interface Taker {
  readonly checker: Checker
  readonly take: FactTaker<unknown, FactName>['take']
  /** This run's instance of the checker, once it has received a fact. */
  it: unknown
}

/** Maximum number of violations kept: the first matters, the others follow from it. */
const violationsMax = 100

/** A network without faults, no token checks, and agents of which nothing is known. */
const unsaid: Pick<CheckedRun, 'network' | 'disk' | 'resolution' | 'contactSinceUs'> = {
  network: { rttMs: 6, rttMaxMs: 10, loss: 0 },
  disk: { syncMaxMs: 5 },
  resolution: { reachingSinceUs: () => undefined, reachingFirstSinceUs: () => undefined },
  contactSinceUs: () => undefined,
}

/** The checkers of one datacenter of a run. Each fact goes to the checkers that take it, in the order of the list. */
export class Invariants implements Judge<AllExcuses> {
  readonly violations: Violation[] = []
  readonly nowUs: () => number
  readonly eventNow: () => number
  /** The scenario allows stale reads of default consistency. */
  readonly excusesStaleDefault: boolean
  readonly wan: Membership | undefined
  /** What was judged so far. */
  readonly tally = new JudgedTally()
  readonly judged = this.tally.judged
  readonly excused = this.tally.excused
  readonly #run: CheckedRun & Judge<ExcuseNames>
  readonly #onViolation: RunParts['onViolation']
  readonly #made = new Map<Checker, unknown>()
  readonly #takers = new Map<FactName, Taker[]>()

  constructor({ wan, onTrigger, onViolation, ...parts }: RunParts) {
    this.#onViolation = onViolation
    this.eventNow = parts.eventNow ?? (() => 0)
    this.nowUs = parts.nowUs
    this.excusesStaleDefault = parts.staleDefaultMs > 0
    this.wan = wan
    const commands = features.flatMap((feature) => feature.commands ?? [])
    const since = new Map(commands.map((command) => [command.kind, command.since]))
    this.#run = {
      ...unsaid,
      wan,
      federation: undefined,
      searchStepsMax: undefined,
      mesh: undefined,
      excusesLostMajority: false,
      keepsHistory: false,
      ...parts,
      // Only declared codes arrive here, because a checker can name only its own.
      report: (code, message, because) => this.report(code as InvariantCode, message, because),
      judged: this.judged as Judge<ExcuseNames>['judged'],
      excused: this.excused as Judge<ExcuseNames>['excused'],
      of: (checker) => this.of(checker),
      tell: (name, fact) => this.tell(name, fact),
      triggered: onTrigger,
      sinceOf: (kind) => since.get(kind),
      appliedIn: this.appliedIn,
    }
    for (const checker of checkers) {
      for (const name of checker.takes) this.#take(checker, name)
    }
  }

  readonly report: Report<InvariantCode> = (code, message, because = []) => {
    if (this.violations.length >= violationsMax) return
    const violation = { code, message, atUs: this.nowUs() }
    this.violations.push(violation)
    this.#onViolation?.(violation, because)
  }

  readonly appliedIn = (index: number): number => this.of(stateMachineSafety).appliedIn(index)

  /** This run's instance of a checker, created on first use. */
  of<T>(checker: Checker<T>): T {
    const made = this.#made.get(checker)
    if (made !== undefined) return made as T
    if (!this.#made.has(checker)) this.#made.set(checker, checker.make(this.#run))
    return this.#made.get(checker) as T
  }

  readonly tell: Tell = (name, fact) => {
    const takers = this.#takers.get(name)
    if (takers === undefined) return
    // By index, without looking up the checker: some facts come with every event.
    for (let at = 0; at < takers.length; at++) {
      const taker = takers[at] as Taker
      if (taker.it === undefined) taker.it = this.of(taker.checker)
      taker.take(taker.it, fact)
    }
  }

  #take(checker: Checker, name: FactName): void {
    const taker = { checker, take: checker.taker(name).take, it: undefined }
    const takers = this.#takers.get(name)
    if (takers === undefined) this.#takers.set(name, [taker])
    else takers.push(taker)
  }

  /** Ends the run: judges what can be judged only now, up to the first violation. */
  end(hasFailed: () => boolean): void {
    for (const checker of checkers) {
      if (hasFailed()) return
      checker.ends(this.of(checker), this.nowUs())
    }
  }

  /** Reports an event that faults and steps can wait for. */
  triggered(trigger: NodeTrigger, node: string): void {
    this.#run.triggered(trigger, node)
  }
}
