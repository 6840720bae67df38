import type { Message } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent, GossipTimer } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { LocalHealth } from './local-health.ts'
import { numberOfPing } from './probe-watch.ts'

/** Lifeguard, section 4.A: the score stays below 8. */
const scoreMax = 7

/** What was known of the present probe after the last step. */
interface Watched {
  readonly probe: NonNullable<ObservedCore['probe']>
  /** Number of its ping; -1: the ping left before it was observed. */
  readonly sequence: number
  readonly startedMs: number
  readonly spanMs: number
  phase: 'direct' | 'indirect' | 'answered'
  isTargetDead: boolean
  /** Nacks that others owe, and have sent. */
  owed: number
  nacks: number
  isStreamAnswered: boolean
}

type PacketReceived = Extract<GossipEvent, { readonly kind: 'packet-received' }>
type TimedStep = 'in time' | 'late' | 'unknown'

/** The local health of one member, by the packets and timers from which it follows. */
export class HealthWatch {
  readonly #law: LocalHealth
  readonly #node: string
  /** As after the last step; undefined: none was observed. */
  #score: number | undefined
  #incarnation = 0
  #watched: Watched | undefined
  /** By timer, the latest moment at which it is due, by the member's own clock. */
  readonly #dueMs = new Map<GossipTimer, number>()
  /** Timers whose last firing was excused, and those of which that is not known. */
  readonly #excused = new Map<GossipTimer, 'yes' | 'unknown'>()

  constructor(law: LocalHealth, node: string) {
    this.#law = law
    this.#node = node
  }

  /** Called after each step. */
  stepped(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    if (this.#score !== undefined && event.kind !== 'started') this.#moved(core, event, effects, this.#score)
    if (event.kind === 'timer-fired' && event.timer === 'suspicion') this.#suspicionFired(core, effects)
    this.#setTimers(core, effects)
    this.#watch(core, event, effects)
    this.#score = core.health
    this.#incarnation = core.self.incarnation
  }

  #moved(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[], before: number): void {
    const by = this.#movedBy(core, event)
    if (by === undefined || (by === 0 && core.health === before)) return
    const due = Math.min(scoreMax, Math.max(0, before + by))
    const isTold = core.health === before || effects.some((effect) => isScore(effect, core.health))
    this.#law.moved(this.#node, { before, due, is: core.health, isTold })
  }

  /** By how much the score should move; undefined: that depends on the order of what came. */
  #movedBy(core: ObservedCore, event: GossipEvent): number | undefined {
    const refutes = core.self.incarnation > this.#incarnation && event.kind !== 'meta-changed' ? 1 : 0
    if (event.kind === 'packet-received') return this.#movedByPacket(core, event, refutes)
    if (event.kind === 'state-received') return refutes
    return event.kind === 'timer-fired' && event.timer === 'probe' ? this.#movedByTimer(core) : 0
  }

  #movedByPacket({ self }: ObservedCore, { messages }: PacketReceived, refutes: number): number | undefined {
    const watched = this.#watched
    const isAnswer = (message: Message) => message.kind === 'ack' && message.sequence === watched?.sequence
    const answers = watched !== undefined && watched.phase !== 'answered' && messages.some(isAnswer) ? 1 : 0
    if (refutes === 0) return -answers
    const accusations = messages.filter((message) => isAbout(message, self.name)).length
    return accusations > 1 || answers > 0 ? undefined : refutes
  }

  /** An agent that completes its leave in this step has no probe any more, whether or not it asked others before. */
  #movedByTimer(core: ObservedCore): number | undefined {
    const watched = this.#watched
    if (watched === undefined || watched.phase === 'answered' || watched.isTargetDead) return 0
    const slept = this.#excuse(core, 'probe')
    if (slept !== false) return slept === true ? 1 : undefined
    if (watched.phase === 'direct') return core.probe === watched.probe ? 0 : core.self.state === 'dead' ? undefined : 1
    if (watched.sequence < 0) return undefined
    if (watched.isStreamAnswered) return -1
    return watched.owed > 0 ? watched.owed - watched.nacks : 1
  }

  /** Whether the timer fires so late that the member must have slept, which is excused, but not twice in a row. */
  #excuse(core: ObservedCore, timer: GossipTimer): boolean | undefined {
    const step = this.#lateness(core, timer)
    const before = this.#excused.get(timer)
    if (step === 'in time') this.#excused.delete(timer)
    else if (step === 'unknown' || before === 'unknown') this.#excused.set(timer, 'unknown')
    else if (before === 'yes') this.#excused.delete(timer)
    else this.#excused.set(timer, 'yes')
    if (step === 'in time') return false
    return step === 'unknown' || before === 'unknown' ? undefined : before === undefined
  }

  #lateness({ turn, options }: ObservedCore, timer: GossipTimer): TimedStep {
    const dueMs = this.#dueMs.get(timer)
    if (dueMs === undefined) return 'unknown'
    const lateMs = turn.nowMs - dueMs
    if (lateMs >= options.timing.probeIntervalMs) return 'late'
    // A timer may be due up to a millisecond before it is set to fire.
    return lateMs < options.timing.probeIntervalMs - 1.5 ? 'in time' : 'unknown'
  }

  #suspicionFired(core: ObservedCore, effects: readonly GossipEffect[]): void {
    if (this.#excuse(core, 'suspicion') !== true) return
    this.#law.overslept(
      this.#node,
      effects.some((effect) => effect.kind === 'members-changed'),
    )
  }

  #setTimers({ turn: { nowMs } }: ObservedCore, effects: readonly GossipEffect[]): void {
    for (const effect of effects) {
      if (effect.kind !== 'set-timer' || (effect.timer !== 'probe' && effect.timer !== 'suspicion')) continue
      // What is overdue already is set to one millisecond: since when it is due is not known.
      if (effect.timer === 'suspicion' && effect.delayMs <= 1) this.#dueMs.delete(effect.timer)
      else this.#dueMs.set(effect.timer, nowMs + effect.delayMs)
    }
  }

  #watch(core: ObservedCore, event: GossipEvent, effects: readonly GossipEffect[]): void {
    const { probe } = core
    if (probe !== this.#watched?.probe)
      this.#watched = probe === undefined ? undefined : this.#begins(core, probe, effects)
    const watched = this.#watched
    if (watched === undefined || probe === undefined) return
    this.#heard(watched, event, effects)
    if (watched.phase !== probe.phase) this.#paced(core, watched, probe.phase, effects)
    watched.phase = probe.phase
    watched.isTargetDead = probe.target.state === 'dead'
  }

  #begins(core: ObservedCore, probe: Watched['probe'], effects: readonly GossipEffect[]): Watched {
    const { turn, options, health } = core
    const { probeIntervalMs, probeTimeoutMs } = options.timing
    const spanMs = probeIntervalMs * (health + 1)
    const sequence = numberOfPing(probe.target.name, effects)
    if (sequence >= 0) this.#pacedBy(effects, 'at its ping', Math.min(probeTimeoutMs, spanMs))
    const counts = { owed: 0, nacks: 0, isStreamAnswered: false }
    return { probe, sequence, startedMs: turn.nowMs, spanMs, phase: 'direct', isTargetDead: false, ...counts }
  }

  #heard(watched: Watched, event: GossipEvent, effects: readonly GossipEffect[]): void {
    const { sequence } = watched
    if (event.kind === 'stream-ping-finished' && event.answered && event.sequence === sequence)
      watched.isStreamAnswered = true
    for (const message of event.kind === 'packet-received' ? event.messages : [])
      if (message.kind === 'nack' && message.sequence === sequence && watched.nacks < watched.owed) watched.nacks++
    for (const effect of effects) {
      const first = effect.kind === 'send' ? effect.messages[0] : undefined
      if (first?.kind === 'indirect-ping' && first.sequence === sequence && first.nack) watched.owed++
    }
  }

  #paced(core: ObservedCore, watched: Watched, phase: string, effects: readonly GossipEffect[]): void {
    if (watched.sequence < 0) return
    const sinceMs = core.turn.nowMs - watched.startedMs
    if (phase === 'indirect') this.#pacedBy(effects, 'when others are asked', watched.spanMs - sinceMs)
    else if (phase === 'answered')
      this.#pacedBy(effects, 'after its answer', core.options.timing.probeIntervalMs - sinceMs)
  }

  #pacedBy(effects: readonly GossipEffect[], stage: string, dueMs: number): void {
    for (const effect of effects)
      if (effect.kind === 'set-timer' && effect.timer === 'probe')
        return this.#law.paced(this.#node, stage, effect.delayMs, dueMs)
  }
}

function isScore(effect: GossipEffect, score: number): boolean {
  return effect.kind === 'health' && effect.score === score
}

function isAbout(message: Message, name: string): boolean {
  return (message.kind === 'alive' || message.kind === 'suspect' || message.kind === 'dead') && message.node === name
}
