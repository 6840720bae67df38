import { clientHost } from '../cluster/node-identity.ts'
import type { Crew, JudgedBy, Place, WorkloadRun } from '../workload/kind.ts'
import { kindsInOrder } from '../workload/kinds.ts'
import { takesPart } from './drawn.ts'
import type { Scenario } from './language/scenario-schema.ts'

type Deed = 'live' | 'follow' | 'watch' | 'unwatch' | 'start' | 'stop'

/** What goes on all the time in a scenario: the crews of all kinds of workload, each on a machine of its own. */
export class Workload {
  readonly #run: WorkloadRun
  readonly #crews: Crew[] = []
  /** What the answers of its kinds are judged by. */
  readonly judgedBy: ReadonlySet<JudgedBy>
  /** Number of machines in use, besides the driver's. */
  #machines = 1

  constructor(scenario: Scenario, run: WorkloadRun) {
    this.#run = run
    const given = kindsInOrder.filter(([key]) => scenario[key] !== undefined)
    this.judgedBy = new Set(given.flatMap(([, { judgedBy }]) => (judgedBy === undefined ? [] : [judgedBy])))
    const { decisions } = run.simulation
    for (const [key, { crews }] of kindsInOrder) {
      const groups = Object.entries(scenario[key] ?? {})
      for (const crew of crews) {
        for (const [at, [name, group]] of groups.entries()) {
          if (crew.isWanted?.(group) === false || !takesPart(scenario, decisions, { key, name })) continue
          this.#machine(`${crew.machine}-${at + 1}`, (env, host) => crew.open(group, { name, env, host, run }))
        }
      }
    }
  }

  /** A machine of its own, outside all datacenters. */
  #machine(name: string, open: (env: Place['env'], host: string) => Crew | readonly Crew[]): void {
    this.#machines++
    const host = clientHost(this.#machines)
    this.#run.simulation.addNode({ name, host }).boot((env) => {
      this.#crews.push(...[open(env, host)].flat())
    })
  }

  /** The run begins: what goes on to its end, and everything else. */
  begin(): void {
    this.#later('live')
    this.#later('follow')
    this.switch('start')
  }

  switch(to: 'start' | 'stop'): void {
    if (to === 'start') this.switchKeyWatchers('start')
    this.#later(to)
  }

  /** They continue when everything else stops: at rest it is judged whether they have seen every change. */
  switchKeyWatchers(to: 'start' | 'stop'): void {
    this.#later(to === 'start' ? 'watch' : 'unwatch')
  }

  proxiesBehind(datacenter?: string): readonly string[] {
    const isMeant = (agent: string) => datacenter === undefined || this.#run.cluster.datacenterOf(agent) === datacenter
    return this.#crews.flatMap((crew) => crew.behind?.(isMeant) ?? [])
  }

  proxiesMeet(): void {
    for (const crew of this.#crews) crew.meetAll?.()
  }

  openRequests(): readonly string[] {
    return this.#crews.flatMap((crew) => crew.openRequests?.() ?? [])
  }

  #later(deed: Deed): void {
    this.#run.simulation.after(0, () => {
      for (const crew of this.#crews) crew[deed]?.()
    })
  }
}
