import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import { BroadcastWatch } from './broadcast-watch.ts'
import { ClaimWatch } from './claim-watch.ts'
import { HealthWatch } from './health-watch.ts'
import { HeardEvents } from './heard-events.ts'
import type { PoolLaws } from './pool-laws.ts'
import { ProbeWatch } from './probe-watch.ts'
import { ReconnectTurns } from './reconnect-turns.ts'
import { StatusWatch } from './status-watch.ts'
import { type Change, SuspicionWatch } from './suspicion-watch.ts'
import { TimerWatch } from './timer-starts.ts'
import { ToldWatch } from './told-watch.ts'

/** The watches of one process that judge what it knows and does by its steps alone. */
export class StepWatches {
  readonly #all: PoolLaws
  readonly #node: string
  readonly #probes: ProbeWatch
  readonly #suspicions: SuspicionWatch
  readonly #health: HealthWatch
  readonly #timers: TimerWatch
  readonly #broadcasts: BroadcastWatch
  readonly #events: HeardEvents
  readonly #claims: ClaimWatch
  readonly #statuses: StatusWatch
  readonly #turns: ReconnectTurns
  readonly #told: ToldWatch

  constructor(all: PoolLaws, node: string) {
    this.#all = all
    this.#node = node
    this.#probes = new ProbeWatch(all.probes, node)
    this.#suspicions = new SuspicionWatch(all, node)
    this.#health = new HealthWatch(all.health, node)
    this.#timers = new TimerWatch(all.starts, node)
    this.#broadcasts = new BroadcastWatch(all.passing, node)
    this.#events = new HeardEvents(all.passing, node)
    this.#claims = new ClaimWatch(all.incarnations, node)
    this.#statuses = new StatusWatch(all.times, this.#broadcasts, node)
    this.#turns = new ReconnectTurns(all.gone, node)
    this.#told = new ToldWatch(all.told, node)
  }

  /** Called after each step, before the changes that it brought are reported. */
  stepped(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    this.#probes.stepped(core, event, effects)
    this.#health.stepped(core, event, effects)
    this.#timers.stepped(core, event, effects)
    this.#suspicions.sent(core, effects)
    this.#broadcasts.stepped(core, event, effects)
    this.#events.stepped(event, effects, core.eventClock, core.options.limits?.timesMax)
    this.#claims.stepped(core, event)
    this.#turns.stepped(core, effects)
    this.#told.stepped(event, effects)
  }

  /** Called before the changes of a step are reported. */
  begins(core: ObservedCore, event: GossipEvent): void {
    this.#suspicions.begins(core, event)
  }

  changed(core: ObservedCore, event: GossipEvent, change: Change): void {
    const { name, before, now } = change
    const isNewLife = before?.incarnation !== now.incarnation
    if (isNewLife || before.state !== now.state || before.status !== now.status) {
      this.#suspicions.changed(core, event, change)
      this.#turns.changed(name, now.status)
    }
    if (isNewLife && name !== core.self.name) this.#claims.changed(core, name)
    this.#broadcasts.changed(core, event, change)
    this.#statuses.changed(core, event, change)
    this.#told.changed(change)
  }

  /** Called after the changes of a step. `isListed`: some status has changed. */
  ends(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[], isListed: boolean): void {
    this.#suspicions.ends(core, event)
    this.#statuses.ends(core, event, effects)
    this.#broadcasts.ends(core)
    this.#told.ends(core)
    if (!isListed) return
    for (const status of ['failed', 'left'] as const) {
      const are = [...core.members.values()].filter((member) => member.status === status)
      this.#all.gone.listed(this.#node, status, namesOf(core[status]), namesOf(are))
    }
  }
}

function namesOf(members: ObservedCore['failed']): readonly string[] {
  return members.map(({ name }) => name)
}
