import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore, PoolObserver } from '../../../src/gossip/pool.ts'
import { contactOf } from './gone-members.ts'
import type { Claim } from './incarnations.ts'
import type { PoolLaws } from './pool-laws.ts'
import { Sleeper } from './sleeper.ts'
import { StepWatches } from './step-watches.ts'

/** What one observer knows of one member, and since when: true time, in microseconds. */
interface Known extends Claim {
  readonly status: 'alive' | 'leaving' | 'left' | 'failed'
  readonly statusTime: number
  readonly event: number
  /** Since when it is in this state. */
  readonly stateUs: number
  /** Since when it has this incarnation. */
  readonly newsUs: number
  /** Since when it is dead, while it is. */
  readonly goneUs: number
  readonly triedUs: number
}

/** Receives what one process does as a member of a pool, and passes it to the checkers concerned. */
export class MemberObserver implements PoolObserver {
  readonly node: string
  readonly #all: PoolLaws
  readonly #boot: number
  readonly #known = new Map<string, Known>()
  #core: ObservedCore | undefined
  #beganUs = 0
  #coordinate: unknown
  /**
   * Since when the pool is undisturbed, and what was measured since: the worst local health, and the answered pings
   * that moved the coordinate.
   */
  #calmUs = Number.NEGATIVE_INFINITY
  #health = 0
  #worstHealth = 0
  #samples = 0
  readonly #sleeper: Sleeper
  readonly #watches: StepWatches

  constructor(all: PoolLaws, process: { readonly node: string; readonly boot: number }) {
    this.#all = all
    this.node = process.node
    this.#boot = process.boot
    this.#sleeper = new Sleeper(all, process.node)
    this.#watches = new StepWatches(all, process.node)
  }

  stepped(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    if (!this.#all.acted(this.node, this.#boot)) return
    if (event.kind === 'started') this.#began(core)
    this.#weather(core.health)
    for (const effect of effects) this.#did(core, event, effect)
    this.#watches.stepped(core, event, effects)
    this.#all.pace.stepped(core, event, effects)
    this.#all.frugal.stepped(this.node, core, event, effects)
    // An agent that leaves may continue with that at the end of any step.
    const isOwnNews = this.#known.get(core.self.name)?.status !== core.self.status
    if (isOwnNews || mayChange(event)) this.#learn(core, event, effects)
    this.#sleeper.scored(core.health)
    this.#placed(core)
  }

  get core(): ObservedCore | undefined {
    return this.#core
  }

  /** Judges what should have happened by now. */
  look(nowUs: number): void {
    const core = this.#core
    if (core === undefined || core.self.state === 'dead' || this.#all.weather.isAsleep(this.node)) return
    this.#weather(core.health)
    this.#sleeper.look(core, nowUs, () => [...this.#known.values()].filter(({ status }) => isGone(status)).length)
    for (const [name, known] of this.#known) {
      if (known.state === 'dead') this.#lookAtGone(core, name, known, nowUs)
      else this.#lookAtLiving(core, name, known.state, known, nowUs)
    }
  }

  /** M7, at rest. */
  settled(rttSeconds: number): void {
    const core = this.#core
    if (core === undefined) return
    this.#weather(core.health)
    const others = [...core.coordinates].flatMap(([name, place]) =>
      core.members.get(name)?.state === 'alive' ? [place] : [],
    )
    const alive = [...core.members.values()].filter(({ state, name }) => state === 'alive' && name !== core.self.name)
    const measured = { samples: this.#samples, rttSeconds, alive: alive.length }
    this.#all.coordinates.settled(this.node, core.vivaldi.own, others, measured)
  }

  #began(core: ObservedCore): void {
    this.#core = core
    this.#coordinate = core.vivaldi.own
    this.#beganUs = this.#all.nowUs()
    this.#all.weather.began(this.node, core.self.name, this.#beganUs)
    this.#all.addresses.joined(core.self.address)
    this.#all.frugal.began(this.node)
    this.#all.coordinates.began(this.node)
  }

  #weather(health: number): void {
    const calmUs = this.#all.weather.calmSinceUs
    if (calmUs !== this.#calmUs) {
      this.#calmUs = calmUs
      this.#worstHealth = this.#health
      this.#samples = 0
    }
    this.#health = health
    this.#worstHealth = Math.max(this.#worstHealth, health)
  }

  /** An answered ping may have moved its coordinate. */
  #placed({ vivaldi: { own }, probe, members, coordinates }: ObservedCore): void {
    if (own === this.#coordinate) return
    this.#coordinate = own
    this.#samples++
    const name = probe?.target.name ?? ''
    const isForgotten = probe === undefined || members.get(name) !== probe.target
    this.#all.coordinates.placed(this.node, own, name, isForgotten || coordinates.has(name))
  }

  #did(core: ObservedCore, event: GossipEvent, effect: GossipEffect): void {
    const contact = contactOf(event, effect)
    if (contact !== undefined) this.#all.gone.contacts(this.node, core, contact, this.#known)
    switch (effect.kind) {
      case 'send':
        this.#all.addresses.sent(this.node, core, event, effect)
        break
      case 'exchange':
        if (effect.purpose === 'reconnect') this.#tried(core, effect.node)
        break
      case 'members-changed':
        for (const { kind, member } of effect.changes) if (kind === 'reaped') this.#reaped(core, member.name)
    }
  }

  #tried(core: ObservedCore, name: string): void {
    this.#all.gone.tried(this.node, name, core.members.get(name)?.status ?? 'unknown')
    const known = this.#known.get(name)
    if (known !== undefined) this.#known.set(name, { ...known, triedUs: this.#all.nowUs() })
  }

  #reaped(core: ObservedCore, name: string): void {
    const known = this.#known.get(name)
    this.#known.delete(name)
    const gone = known === undefined ? undefined : goneOf(known)
    this.#all.gone.reaped(this.node, name, gone, core.options.timing, this.#all.nowUs())
  }

  #learn(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    const nowUs = this.#all.nowUs()
    let isListed = false
    this.#watches.begins(core, event)
    for (const [name, now] of core.members) {
      const { incarnation, state, status, statusTime } = now
      const before = this.#known.get(name)
      const isSame = before?.incarnation === incarnation && before.state === state && before.status === status
      if (isSame && before.statusTime === statusTime) continue
      this.#watches.changed(core, event, { name, before, now, event: before?.event ?? 0 })
      if (isSame) {
        this.#known.set(name, { ...before, statusTime })
        continue
      }
      isListed ||= before?.status !== status
      this.#all.incarnations.held(this.node, name, before, { incarnation, state })
      this.#noticed(name, before?.state, state)
      if (isGone(status) && (before === undefined || !isGone(before.status))) this.#all.gone.began()
      if (isFailedProbe(event) && before?.state === 'alive' && state === 'suspect')
        this.#sleeper.accused(core, name, nowUs)
      const isNewState = before?.state !== state
      this.#known.set(name, {
        incarnation,
        state,
        status,
        statusTime,
        event: this.#all.eventNow(),
        stateUs: isNewState ? nowUs : before.stateUs,
        newsUs: before?.incarnation === incarnation ? before.newsUs : nowUs,
        goneUs: isNewState ? nowUs : before.goneUs,
        triedUs: before?.status === status ? before.triedUs : nowUs,
      })
    }
    this.#watches.ends(core, event, effects, isListed)
  }

  /** A member that is down is suspected now, or dead: M4 has observed in time what it waits for. */
  #noticed(name: string, before: Claim['state'] | undefined, now: Claim['state']): void {
    if (before === undefined || before === now || now === 'alive') return
    const { weather, detection } = this.#all
    const downUs = weather.downSinceUs(name)
    if (downUs !== undefined) detection.noticed(weather.calmSinceUs <= downUs, this.#worstHealth)
  }

  #lookAtGone(core: ObservedCore, name: string, known: Known, nowUs: number): void {
    const gone = goneOf(known)
    if (gone === undefined) return
    const { timing } = core.options
    const awakeUs = this.#all.weather.awakeSinceUs(this.node)
    // Overdue work after a sleep is done within a few rounds.
    if (nowUs - awakeUs < 10 * timing.reapIntervalMs * 1000) return
    const tried = { ...gone, triedUs: Math.max(gone.triedUs, awakeUs) }
    this.#all.gone.look(this.node, name, tried, { timing, members: core.members.size }, nowUs)
  }

  #lookAtLiving(core: ObservedCore, name: string, state: 'alive' | 'suspect', known: Known, nowUs: number): void {
    const downUs = this.#all.weather.downSinceUs(name)
    if (downUs === undefined || !Number.isFinite(this.#calmUs)) return
    this.#all.detection.look(nowUs, {
      observer: this.node,
      name,
      state,
      calmSinceUs: Math.max(downUs, this.#calmUs, this.#beganUs, known.newsUs),
      sinceUs: known.stateUs,
      members: core.members.size,
      because: [this.#all.weather.downIn(name), known.event],
      health: this.#worstHealth,
      timing: core.options.timing,
    })
  }
}

const probing: ReadonlySet<string> = new Set(['ping', 'indirect-ping', 'ack', 'nack'])

/** Whether the event may change what is known of members. Changes between two such events are seen at the second. */
function mayChange(event: GossipEvent): boolean {
  return event.kind !== 'packet-received' || event.messages.some(({ kind }) => !probing.has(kind))
}

function isFailedProbe(event: GossipEvent): boolean {
  return event.kind === 'timer-fired' && event.timer === 'probe'
}

function isGone(status: Known['status']): status is 'failed' | 'left' {
  return status === 'failed' || status === 'left'
}

function goneOf({ status, goneUs, triedUs, event }: Known) {
  return isGone(status) ? { status, goneSinceUs: goneUs, triedUs, event } : undefined
}
