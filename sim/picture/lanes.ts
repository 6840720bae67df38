import { isRecord } from '../../src/base/shape.ts'
import { type StatePart, withChanges } from '../report/state-changes.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import type { Belief, Life, MachineKind, MachineLane, ProgressStep, RoleStep } from './film-format.ts'

/** Maximum number of kept steps of one machine's index: beyond it, every other one is removed. */
const progressMax = 3000
/** A wall clock that gains less between two looks runs at another rate, and was not set. */
const clockStepMs = 40

/** Collects the states of one machine, event by event. */
export class Lane {
  state: StatePart = {}
  readonly #name: string
  readonly #lives: Life[] = []
  readonly #roles: RoleStep[] = []
  #progress: ProgressStep[] = []
  #progressEvery = 1
  #progressSeen = 0
  readonly #beliefs: Belief[] = []
  readonly #clock: [number, number][] = []
  readonly #releases: [number, string][] = []
  readonly #times: number[] = []

  constructor(name: string) {
    this.#name = name
  }

  add(event: TraceRecord): void {
    this.#times.push(event.t)
    if (event.kind === 'boot') this.#lives.push([event.t, 'up'])
    else if (event.kind === 'crash') this.#lives.push([event.t, 'down'])
    else if (event.kind === 'pause') this.#lives.push([event.t, 'paused'])
    else if (event.kind === 'resume') this.#lives.push([event.t, 'up'])
    if (event.state !== undefined) this.#changed(event.t, event.state)
  }

  lane(endUs: number, steps: number): MachineLane {
    const density = new Array<number>(steps).fill(0)
    for (const at of this.#times) {
      const step = Math.min(steps - 1, Math.floor((at / Math.max(1, endUs)) * steps))
      density[step] = (density[step] ?? 0) + 1
    }
    return {
      name: this.#name,
      kind: this.#kind(),
      lives: this.#lives,
      roles: this.#roles,
      progress: this.#progress,
      beliefs: this.#beliefs,
      clock: this.#clock,
      releases: this.#releases,
      density,
    }
  }

  /** Only agents have states, and only servers have a role. */
  #kind(): MachineKind {
    return this.#roles.length > 0 ? 'server' : this.#releases.length > 0 ? 'client' : 'other'
  }

  #changed(t: number, changes: StatePart): void {
    this.state = withChanges(this.state, changes)
    const { process, consensus, pools } = this.state
    if (isRecord(process)) this.#processChanged(t, process)
    if (changes['consensus'] !== undefined) this.#consensusChanged(t, consensus)
    if (isRecord(pools) && isRecord(changes['pools'])) this.#poolsChanged(t, changes['pools'])
  }

  #processChanged(t: number, { release, clock }: StatePart): void {
    if (typeof release === 'string' && this.#releases.at(-1)?.[1] !== release) this.#releases.push([t, release])
    const aheadMs = isRecord(clock) ? clock['aheadMs'] : undefined
    if (typeof aheadMs !== 'number') return
    const known = this.#clock.at(-1)?.[1]
    if (known === undefined || Math.abs(known - aheadMs) >= clockStepMs) this.#clock.push([t, aheadMs])
  }

  #consensusChanged(t: number, consensus: unknown): void {
    if (!isRecord(consensus)) {
      this.#roles.push([t, '', 0])
      return
    }
    const { role, term, log } = consensus
    const [, was, in_] = this.#roles.at(-1) ?? []
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
