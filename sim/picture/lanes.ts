import { isRecord } from '../../src/base/shape.ts'
import { type StatePart, withChanges } from '../report/state-changes.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { Density } from './density.ts'
import type { Belief, Life, MachineKind, MachineLane, ProgressStep, RoleStep } from './film-format.ts'
import { type Forgotten, Latest } from './latest.ts'

/** Maximum number of kept steps of one machine's index: beyond it, every other one is removed. */
const progressMax = 3000
/** Roles, lives and steps of the clock of one machine that are kept, and what it believes of others. */
const stepsMax = 4000
const beliefsMax = 20_000
/** A wall clock that gains less between two looks runs at another rate, and was not set. */
const clockStepMs = 40

/** Collects the states of one machine, event by event. */
export class Lane {
  state: StatePart = {}
  readonly #name: string
  readonly #lives = new Latest<Life>(stepsMax, only)
  readonly #roles = new Latest<RoleStep>(stepsMax, only)
  #progress: ProgressStep[] = []
  #progressEvery = 1
  #progressSeen = 0
  readonly #beliefs = new Latest<Belief>(beliefsMax, ([, member]) => member)
  readonly #clock = new Latest<readonly [number, number]>(stepsMax, only)
  readonly #releases = new Latest<readonly [number, string]>(stepsMax, only)
  readonly #density = new Density()

  constructor(name: string) {
    this.#name = name
  }

  add(event: TraceRecord): void {
    this.#density.add(event.t)
    if (event.kind === 'boot') this.#lives.push([event.t, 'up'])
    else if (event.kind === 'crash') this.#lives.push([event.t, 'down'])
    else if (event.kind === 'pause') this.#lives.push([event.t, 'paused'])
    else if (event.kind === 'resume') this.#lives.push([event.t, 'up'])
    if (event.state !== undefined) this.#changed(event.t, event.state)
  }

  lane(endUs: number, steps: number): MachineLane {
    const { datacenter } = this.state
    return {
      name: this.#name,
      kind: this.#kind(),
      ...(typeof datacenter === 'string' ? { datacenter } : {}),
      lives: this.#lives.steps,
      roles: this.#roles.steps,
      progress: this.#progress,
      beliefs: this.#beliefs.steps,
      clock: this.#clock.steps,
      releases: this.#releases.steps,
      density: this.#density.steps(endUs, steps),
    }
  }

  /** Beliefs and other steps that a long run had more of than are kept. */
  get forgotten(): readonly (readonly ['beliefs' | 'steps', Forgotten])[] {
    const steps = [this.#lives, this.#roles, this.#clock, this.#releases].map(({ forgotten }) => forgotten)
    return [['beliefs', this.#beliefs.forgotten], ...steps.map((each) => ['steps', each] as const)]
  }

  /** Only agents have states, and only servers have a role. */
  #kind(): MachineKind {
    return this.#roles.last !== undefined ? 'server' : this.#releases.last !== undefined ? 'client' : 'other'
  }

  #changed(t: number, changes: StatePart): void {
    this.state = withChanges(this.state, changes)
    const { process, consensus, pools } = this.state
    if (isRecord(process)) this.#processChanged(t, process)
    if (changes['consensus'] !== undefined) this.#consensusChanged(t, consensus)
    if (isRecord(pools) && isRecord(changes['pools'])) this.#poolsChanged(t, changes['pools'])
  }

  #processChanged(t: number, { release, clock }: StatePart): void {
    if (typeof release === 'string' && this.#releases.last?.[1] !== release) this.#releases.push([t, release])
    const aheadMs = isRecord(clock) ? clock['aheadMs'] : undefined
    if (typeof aheadMs !== 'number') return
    const known = this.#clock.last?.[1]
    if (known === undefined || Math.abs(known - aheadMs) >= clockStepMs) this.#clock.push([t, aheadMs])
  }

  #consensusChanged(t: number, consensus: unknown): void {
    if (!isRecord(consensus)) {
      this.#roles.push([t, '', 0])
      return
    }
    const { role, term, log } = consensus
    const [, was, in_] = this.#roles.last ?? []
    if (typeof role === 'string' && typeof term === 'number' && (was !== role || in_ !== term)) {
      this.#roles.push([t, role, term])
    }
    if (isRecord(log)) this.#advanced([t, Number(log['committed'] ?? 0), Number(log['applied'] ?? 0)])
  }

  #advanced(step: ProgressStep): void {
    if (this.#progressSeen++ % this.#progressEvery !== 0) return
    this.#progress.push(step)
    if (this.#progress.length < progressMax) return
    this.#progress = this.#progress.filter((_, at) => at % 2 === 0)
    this.#progressEvery *= 2
  }

  #poolsChanged(t: number, pools: StatePart): void {
    const lan = pools['lan']
    const members = isRecord(lan) ? lan['members'] : undefined
    if (!isRecord(members)) return
    for (const [member, change] of Object.entries(members)) {
      const status = change === null ? 'forgotten' : isRecord(change) ? change['status'] : undefined
      if (typeof status === 'string') this.#beliefs.push([t, member, status])
    }
  }
}

/** Of what a machine is one at a time, the last word is all that holds. */
function only(): string {
  return ''
}
