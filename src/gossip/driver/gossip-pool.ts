import { utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Closable, Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Endpoint, TcpStream } from '../../env/net.ts'
import { memberLines } from '../../env/observe.ts'
import type { Coordinate } from '../../model/coordinate.ts'
import { ackFor, fullState } from '../core/answers.ts'
import { mergeItems } from '../core/merge.ts'
import { type FullState, ownVersions, type Query } from '../core/messages.ts'
import { createGossip, type GossipCore } from '../core/state.ts'
import { step } from '../core/step.ts'
import type { CoreChange, GossipEffect, GossipEvent, GossipTimer } from '../core/types.ts'
import { coordinateOf, memberNamed, members, self, stats } from '../core/views.ts'
import type {
  KeyAnswers,
  KeyRequest,
  Member,
  MemberChange,
  Pool,
  PoolAnswers,
  PoolEvent,
  PoolOptions,
  PoolQuestion,
  PoolStats,
} from '../pool.ts'
import { decodeCoordinate, encodeCoordinate } from '../wire/coordinate-payload.ts'
import type { Sliced } from '../wire/sliced.ts'
import { encodeTags } from '../wire/tags.ts'
import { Handoff } from './handoff.ts'
import { MemberViews, nameHolder } from './member-views.ts'
import { Packets } from './packets.ts'
import { askForKeys, internalAnswer, userEventFits } from './pool-keys.ts'
import type { Ports } from './ports.ts'
import { Questions } from './questions.ts'
import { Sealing } from './sealing.ts'
import { StepDraws } from './step-draws.ts'
import { Streams } from './streams.ts'
import { TimerSet } from './timer-set.ts'

/**
 * Items of a state that are merged in one step, and what one is counted as. A member that is new takes up to 35 µs, and
 * up to 150 µs with all that watchers make of it; the other items take some.
 */
const itemsAtOnce = 128
const nodeWork = 1 << 10
const otherWork = 64

type StateReceived = Extract<GossipEvent, { readonly kind: 'state-received' }>

const coordinateForm = { encode: encodeCoordinate, decode: decodeCoordinate }

/** Connects one core to its environment: events go in one at a time, and effects are performed in order. */
export class GossipPool implements Pool {
  readonly #env: Env
  readonly #core: GossipCore
  readonly #draws: StepDraws
  readonly #packets: Packets
  readonly #streams: Streams
  readonly #timers: TimerSet
  readonly #handoff: Handoff
  readonly #views = new MemberViews()
  readonly #questions: Questions
  readonly #sealing: Sealing
  readonly #onNameLost: PoolOptions['onNameLost']
  readonly #observer: PoolOptions['observer']
  readonly #listeners = new Set<{ readonly use: (event: PoolEvent) => void }>()
  readonly #watchers = new Set<{ readonly use: (changes: readonly MemberChange[]) => void }>()
  #ports: Ports | undefined
  #leaving: Deferred<void> | undefined
  #left = false
  #stopped = false
  /** Operations that a watcher requested while the effects of a step were being performed. */
  readonly #next: GossipEvent[] = []
  #stepping = false

  constructor(env: Env, options: PoolOptions, meta: Uint8Array) {
    const { name, advertise, timing, refuse, encryption } = options
    this.#env = env
    this.#draws = new StepDraws(env.random, advertise.port)
    const sealing = new Sealing(env.crypto, encryption)
    this.#sealing = sealing
    this.#onNameLost = options.onNameLost
    this.#observer = options.observer
    this.#questions = new Questions(env, (event) => this.#take(event))
    this.#packets = new Packets(env, sealing)
    this.#core = createGossip({
      name,
      address: advertise,
      meta,
      versions: ownVersions,
      timing,
      sizeOf: (message) => this.#packets.sizeOf(message),
      packetBytesMax: this.#packets.roomBytes,
      incarnation: options.firstIncarnation ?? 0,
      coordinates: options.keepsCoordinate === true ? coordinateForm : undefined,
      tagOf: (meta, tag) => this.#views.tagsOf(meta)[tag],
      refuse:
        refuse === undefined ? undefined : (claimants) => refuse(claimants.map((one) => this.#views.claimOf(one))),
    })
    this.#streams = new Streams(env, sealing, timing.streamTimeoutMs, {
      onRequest: (from, state) => this.#answerRequest(from, state),
      onPing: (node, sequence) => ackFor(this.#core, { kind: 'ping', node, sequence })?.payload,
      onMessage: (from, message) => this.#take({ kind: 'packet-received', from, messages: [message] }),
    })
    this.#handoff = new Handoff(env, (from, messages) => this.#take({ kind: 'packet-received', from, messages }))
    this.#timers = new TimerSet(env.timers, (timer) => this.#timerFired(timer))
  }

  start(ports: Ports): void {
    this.#ports = ports
    this.#take({ kind: 'started' })
  }

  onDatagram(from: Endpoint, bytes: Uint8Array): void {
    if (this.#ports === undefined || this.#stopped) return
    this.#handoff.take(from, this.#packets.receive(from, bytes))
  }

  onStream(stream: TcpStream): void {
    if (this.#ports === undefined || this.#stopped) stream.close()
    else this.#streams.accept(stream)
  }

  members(): readonly Member[] {
    return this.#views.all(members(this.#core))
  }

  self(): Member {
    return this.#views.of(self(this.#core))
  }

  stats(): PoolStats {
    return stats(this.#core)
  }

  onChange(use: (changes: readonly MemberChange[]) => void): Closable {
    const watcher = { use }
    this.#watchers.add(watcher)
    return { close: () => this.#watchers.delete(watcher) }
  }

  async join(at: Endpoint): Promise<Result<undefined, string>> {
    return this.#streams.exchange(
      at,
      () => fullState(this.#core, true),
      (state) => this.#merge({ kind: 'state-received', how: 'join-answer', from: at, state }),
    )
  }

  leave(): Promise<void> {
    const first = this.#leaving === undefined
    this.#leaving ??= this.#env.deferred<void>()
    const { promise } = this.#leaving
    if (this.#stopped || this.#left) this.#leaving.resolve()
    else if (first) this.#take({ kind: 'leave-requested' })
    return promise
  }

  forceLeave(name: string): boolean {
    if (this.#stopped || memberNamed(this.#core, name) === undefined) return false
    this.#take({ kind: 'force-leave-requested', name })
    return true
  }

  get isEncrypted(): boolean {
    return this.#sealing.isOn
  }

  coordinateOf(name: string): Coordinate | undefined {
    return coordinateOf(this.#core, name)
  }

  fireEvent(name: string, payload: Uint8Array): Result<undefined, string> {
    const fits = userEventFits(utf8(name).length, payload.length)
    if (fits.ok) this.#take({ kind: 'event-fired', name, payload })
    return fits
  }

  onEvent(use: (event: PoolEvent) => void): Closable {
    const listener = { use }
    this.#listeners.add(listener)
    return { close: () => this.#listeners.delete(listener) }
  }

  query(question: PoolQuestion): Promise<PoolAnswers> {
    const asked = this.#questions.ask(question)
    if (this.#stopped) this.#questions.stop()
    return asked
  }

  keys(request: KeyRequest): Promise<Result<KeyAnswers, string>> {
    const reachable = members(this.#core).filter(({ status }) => status === 'alive' || status === 'leaving')
    return askForKeys(request, reachable.length, (question) => this.query(question))
  }

  setTags(tags: Readonly<Record<string, string>>): void {
    const meta = encodeTags(tags)
    if (meta === undefined) {
      this.#env.log.write('error', 'serf', 'the new tags exceed the limit of a member; the old ones stay')
      return
    }
    this.#take({ kind: 'meta-changed', meta })
  }

  async stop(): Promise<void> {
    if (this.#stopped) return
    this.#stopped = true
    this.#watchers.clear()
    this.#timers.clearAll()
    this.#handoff.stop()
    this.#streams.stop()
    this.#questions.stop()
    this.#listeners.clear()
    this.#ports?.udp.close()
    this.#ports?.listener.close()
    this.#leaving?.resolve()
  }

  #timerFired(timer: GossipTimer): void {
    const startedMs = this.#env.clock.monoMs()
    this.#take({ kind: 'timer-fired', timer })
    if (timer === 'gossip') this.#env.metrics.sample('memberlist.gossip', this.#env.clock.monoMs() - startedMs)
  }

  *#answerRequest(from: Endpoint, state: FullState): Sliced<Result<FullState, string>> {
    const refusal = yield* this.#merge({ kind: 'state-received', how: 'request', from, state })
    return refusal === undefined ? ok(fullState(this.#core, false)) : err(refusal)
  }

  /** Why the state was not merged, if it was not. Streams bring states in turns of their own, never within a step. */
  *#merge(event: Omit<StateReceived, 'part'>): Sliced<string | undefined> {
    const items = mergeItems(event.state)
    let refusal: string | undefined
    for (let start = 0; start === 0 || start < items; start += itemsAtOnce) {
      if (this.#stopped) return 'the pool has stopped'
      const end = Math.min(items, start + itemsAtOnce)
      this.#take(items <= itemsAtOnce ? event : { ...event, part: { start, end } }, (effect) => {
        if (effect.kind === 'state-refused') refusal = effect.reason
      })
      const nodes = Math.max(0, Math.min(end, event.state.nodes.length) - start)
      yield nodes * nodeWork + (end - start - nodes) * otherWork
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  /** One step, and those that its watchers asked for. Nothing after `stop`. */
  #take(event: GossipEvent, look?: (effect: GossipEffect) => void): void {
    if (this.#stopped) return
    if (this.#stepping) {
      this.#next.push(event)
      return
    }
    this.#stepping = true
    this.#step(event, look)
    for (let next = this.#next.shift(); next !== undefined; next = this.#next.shift()) this.#step(next)
    this.#stepping = false
  }

  #step(event: GossipEvent, look?: (effect: GossipEffect) => void): void {
    if (this.#stopped) return
    const effects = step(this.#core, event, this.#env.clock.monoMs(), this.#draws.begin(event))
    this.#observer?.stepped(this.#core, event, effects)
    for (const effect of effects) {
      if (this.#stopped) return
      look?.(effect)
      this.#carryOut(effect)
    }
  }

  #carryOut(effect: GossipEffect): void {
    switch (effect.kind) {
      case 'send':
        if (this.#ports !== undefined) this.#packets.send(this.#ports.udp, effect.to, effect.messages)
        return
      case 'exchange':
        return this.#env.detach(this.#exchange(effect))
      case 'stream-ping':
        return this.#env.detach(this.#streamPing(effect))
      case 'set-timer':
        return this.#timers.set(effect.timer, effect.delayMs)
      case 'clear-timer':
        return this.#timers.clear(effect.timer)
      case 'members-changed':
        return this.#tell(effect.changes)
      case 'state-refused':
        return
      case 'user-event':
        for (const { use } of [...this.#listeners]) use(effect)
        return
      case 'query':
        return this.#answer(effect.query)
      case 'query-acked':
      case 'query-answered':
      case 'query-over':
        return this.#questions.hear(effect)
      case 'name-conflict':
        if (this.#onNameLost !== undefined) this.#env.detach(this.#resolveName(this.#onNameLost))
        return
      case 'left':
        this.#left = true
        this.#leaving?.resolve()
        return
      case 'count':
        return this.#env.metrics.count(effect.counter, effect.by)
      case 'health':
        return this.#env.metrics.gauge('memberlist.health.score', effect.score)
      case 'note':
        return this.#env.log.write(
          effect.level,
          effect.topic,
          effect.text,
          effect.fields,
          effect.level === 'info' ? memberLines : 'sampled',
        )
      default:
        effect satisfies never
    }
  }

  #answer(query: Query): void {
    const payload = internalAnswer(query, {
      keyring: this.#sealing.keyring,
      name: self(this.#core).name,
      member: (name) => {
        const member = memberNamed(this.#core, name)
        return member === undefined ? undefined : this.#views.of(member)
      },
    })
    if (payload !== undefined) this.#take({ kind: 'query-responded', query, payload })
  }

  async #resolveName(lost: (holder: Endpoint) => void): Promise<void> {
    const { name, address: at } = self(this.#core)
    const { streamTimeoutMs } = this.#core.options.timing
    const holder = await nameHolder(
      { name, at },
      (question) => this.query(question),
      (other) => this.#streams.ping(other, name, 0, streamTimeoutMs),
    )
    if (holder !== undefined && !this.#stopped) lost(holder)
  }

  async #exchange(effect: Extract<GossipEffect, { kind: 'exchange' }>): Promise<void> {
    const startedMs = this.#env.clock.monoMs()
    const { node, purpose, with: from } = effect
    const answer = await this.#streams.exchange(
      from,
      () => fullState(this.#core, effect.join),
      (state) => this.#merge({ kind: 'state-received', how: 'answer', from, state }),
    )
    if (this.#stopped) return
    if (!answer.ok) {
      const level = purpose === 'reconnect' ? 'debug' : 'info'
      this.#env.log.write(
        level,
        'memberlist',
        'a state exchange failed',
        { node, purpose, reason: answer.error },
        'sampled',
      )
      return
    }
    this.#env.metrics.sample('memberlist.pushPullNode', this.#env.clock.monoMs() - startedMs)
  }

  async #streamPing(effect: Extract<GossipEffect, { kind: 'stream-ping' }>): Promise<void> {
    const { to, node, sequence, timeoutMs } = effect
    const answered = await this.#streams.ping(to, node, sequence, timeoutMs)
    this.#take({ kind: 'stream-ping-finished', sequence, answered })
  }

  #tell(changes: readonly CoreChange[]): void {
    this.#packets.learn(changes)
    if (this.#watchers.size === 0) return
    const seen = changes.map((change) => this.#views.changeOf(change))
    for (const { use } of [...this.#watchers]) use(seen)
  }
}
