import { utf8 } from '../../base/bytes.ts'
import type { Result } from '../../base/result.ts'
import type { Closable, Deferred } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Endpoint, TcpStream } from '../../env/net.ts'
import type { Coordinate } from '../../model/coordinate.ts'
import { ackFor } from '../core/answers.ts'
import { ownVersions } from '../core/messages.ts'
import { queryTimeoutMs } from '../core/queries.ts'
import { createGossip, type GossipCore } from '../core/state.ts'
import type { GossipTimer } from '../core/types.ts'
import { coordinateOf, memberNamed, members, self, stats } from '../core/views.ts'
import type {
  JoinFailure,
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
import { encodeTags } from '../wire/tags.ts'
import { Effects } from './effects.ts'
import { Handoff } from './handoff.ts'
import { MemberViews, nameHolder } from './member-views.ts'
import { Packets } from './packets.ts'
import { askForKeys, userEventFits } from './pool-keys.ts'
import type { Ports } from './ports.ts'
import { Questions } from './questions.ts'
import { Sealing } from './sealing.ts'
import { StateExchanges } from './state-exchanges.ts'
import { StepDraws } from './step-draws.ts'
import { Steps } from './steps.ts'
import { Streams } from './streams.ts'
import { Subscribers } from './subscribers.ts'
import { TimerSet } from './timer-set.ts'

const coordinateForm = { encode: encodeCoordinate, decode: decodeCoordinate }

/** One member of a pool: its core, connected to sockets and timers, and the interface that the agent calls. */
export class GossipPool implements Pool {
  readonly #env: Env
  readonly #core: GossipCore
  readonly #steps: Steps
  readonly #packets: Packets
  readonly #exchanges: StateExchanges
  readonly #streams: Streams
  readonly #timers: TimerSet
  readonly #handoff: Handoff
  readonly #views = new MemberViews()
  readonly #questions: Questions
  readonly #sealing: Sealing
  readonly #onNameLost: PoolOptions['onNameLost']
  readonly #events = new Subscribers<PoolEvent>()
  readonly #changes = new Subscribers<readonly MemberChange[]>()
  #ports: Ports | undefined
  #leaving: Deferred<void> | undefined
  #left = false

  constructor(env: Env, options: PoolOptions, meta: Uint8Array) {
    const { advertise, timing, encryption, observer } = options
    this.#env = env
    const draws = new StepDraws(env.random, advertise.port)
    this.#sealing = new Sealing(env.crypto, encryption)
    this.#onNameLost = options.onNameLost
    this.#packets = new Packets(env, this.#sealing)
    const core = createCore(options, meta, this.#packets, this.#views)
    this.#core = core
    this.#steps = new Steps({ env, core, draws, observer, carryOut: (effect) => effects.carryOut(effect) })
    const steps = this.#steps
    this.#questions = new Questions(env, (event) => steps.take(event))
    this.#exchanges = new StateExchanges({
      env,
      core,
      steps,
      itemsAtOnce: options.limits?.mergedAtOnce ?? mergedAtOnce,
    })
    this.#streams = new Streams(env, this.#sealing, timing.streamTimeoutMs, {
      onRequest: (from, state) => this.#exchanges.answer(from, state),
      onPing: (node, sequence) => ackFor(core, { kind: 'ping', node, sequence })?.payload,
      onMessage: (from, message) => steps.take({ kind: 'packet-received', from, messages: [message] }),
    })
    this.#handoff = new Handoff(env, (from, messages) => steps.take({ kind: 'packet-received', from, messages }))
    this.#timers = new TimerSet(env.timers, (timer) => this.#timerFired(timer))
    const effects = this.#newEffects()
  }

  start(ports: Ports): void {
    this.#ports = ports
    this.#steps.take({ kind: 'started' })
  }

  onDatagram(from: Endpoint, bytes: Uint8Array): void {
    if (this.#ports === undefined || this.#steps.areOver) return
    this.#handoff.take(from, this.#packets.receive(from, bytes))
  }

  onStream(stream: TcpStream): void {
    if (this.#ports === undefined || this.#steps.areOver) stream.close()
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
    return this.#changes.add(use)
  }

  async join(at: Endpoint): Promise<Result<undefined, JoinFailure>> {
    return this.#exchanges.join(this.#streams, at)
  }

  leave(): Promise<void> {
    const first = this.#leaving === undefined
    this.#leaving ??= this.#env.deferred<void>()
    const { promise } = this.#leaving
    if (this.#steps.areOver || this.#left) this.#leaving.resolve()
    else if (first) this.#steps.take({ kind: 'leave-requested' })
    return promise
  }

  forceLeave(name: string): boolean {
    if (this.#steps.areOver || memberNamed(this.#core, name) === undefined) return false
    this.#steps.take({ kind: 'force-leave-requested', name })
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
    if (fits.ok) this.#steps.take({ kind: 'event-fired', name, payload })
    return fits
  }

  onEvent(use: (event: PoolEvent) => void): Closable {
    return this.#events.add(use)
  }

  query(question: PoolQuestion): Promise<PoolAnswers> {
    const asked = this.#questions.ask(question)
    if (this.#steps.areOver) this.#questions.stop()
    return asked
  }

  keys(request: KeyRequest): Promise<Result<KeyAnswers, string>> {
    const reachable = members(this.#core).filter(({ status }) => status === 'alive' || status === 'leaving')
    const pool = { members: reachable.length, queryTimeoutMs: queryTimeoutMs(this.#core) }
    return askForKeys(request, pool, (question) => this.query(question))
  }

  setTags(tags: Readonly<Record<string, string>>): void {
    const meta = encodeTags(tags)
    if (meta === undefined) {
      this.#env.log.write('error', 'serf', 'the new tags exceed the size limit of a member: the old tags stay')
      return
    }
    this.#steps.take({ kind: 'meta-changed', meta })
  }

  async stop(): Promise<void> {
    if (this.#steps.areOver) return
    this.#steps.stop()
    this.#changes.clear()
    this.#timers.clearAll()
    this.#handoff.stop()
    this.#streams.stop()
    this.#questions.stop()
    this.#events.clear()
    this.#ports?.udp.close()
    this.#ports?.listener.close()
    this.#leaving?.resolve()
  }

  #newEffects(): Effects {
    return new Effects({
      env: this.#env,
      core: this.#core,
      take: (event) => this.#steps.take(event),
      socket: () => this.#ports?.udp,
      packets: this.#packets,
      streams: this.#streams,
      exchanges: this.#exchanges,
      timers: this.#timers,
      questions: this.#questions,
      sealing: this.#sealing,
      views: this.#views,
      changes: this.#changes,
      events: this.#events,
      nameConflict: () => {
        if (this.#onNameLost !== undefined) this.#env.detach(this.#resolveName(this.#onNameLost))
      },
      left: () => {
        this.#left = true
        this.#leaving?.resolve()
      },
    })
  }

  #timerFired(timer: GossipTimer): void {
    const startedMs = this.#env.clock.monoMs()
    this.#steps.take({ kind: 'timer-fired', timer })
    if (timer === 'gossip') this.#env.metrics.sample('memberlist.gossip', this.#env.clock.monoMs() - startedMs)
  }

  async #resolveName(lost: (holder: Endpoint) => void): Promise<void> {
    const { name, address: at } = self(this.#core)
    const { streamTimeoutMs } = this.#core.options.timing
    const holder = await nameHolder(
      { name, at },
      (question) => this.query(question),
      (other) => this.#streams.ping(other, name, 0, streamTimeoutMs),
    )
    if (holder !== undefined && !this.#steps.areOver) lost(holder)
  }
}

/** Number of items of a state that are merged in one step. */
const mergedAtOnce = 128

/** The core of a member that knows only itself. */
function createCore(options: PoolOptions, meta: Uint8Array, packets: Packets, views: MemberViews): GossipCore {
  const { name, advertise, timing, refuse } = options
  return createGossip({
    name,
    address: advertise,
    meta,
    versions: ownVersions,
    timing,
    sizeOf: (message) => packets.sizeOf(message),
    packetBytesMax: packets.roomBytes,
    limits: options.limits,
    incarnation: options.firstIncarnation ?? 0,
    coordinates: options.keepsCoordinate === true ? coordinateForm : undefined,
    tagOf: (meta, tag) => views.tagsOf(meta)[tag],
    refuse: refuse === undefined ? undefined : (claimants) => refuse(claimants.map((one) => views.claimOf(one))),
  })
}
