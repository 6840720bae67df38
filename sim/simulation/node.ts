import { invariant } from '../../src/base/invariant.ts'
import type { Env } from '../../src/env/env.ts'
import type { RunningMachine as MachineFacts } from '../../src/env/process.ts'
import { createSimEnv } from '../env/env.ts'
import { type Machine, machineFacts, type NodeOptions, type Program } from '../env/machine.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import { Boot, type OpenRequest } from '../world/boot.ts'
import type { Identity } from '../world/decisions/identity.ts'
import { SimDisk } from '../world/disk/disk.ts'
import type { Kernel } from '../world/kernel.ts'
import type { Host } from '../world/network/host.ts'
import type { Network } from '../world/network/network.ts'
import { SimTcpStream } from '../world/network/tcp-stream.ts'
import { NodeClock } from '../world/node-clock.ts'
import type { SimEvent } from '../world/sim-event.ts'
import { heldBy, leftBy } from './held.ts'

/** Maximum size of network input for a paused process; more is lost, as from a socket's buffer. */
const backlogBytesMax = 2 << 20
const noRequests: ReadonlySet<OpenRequest> = new Set()

export interface CrashOptions {
  /** `power`, the default: unsynced data may be lost. `kept`: only the process dies. */
  readonly disk?: 'power' | 'kept'
  /**
   * `reset`, the default: peers are notified, if the packet arrives. `silent`: the machine does not answer until the
   * next boot.
   */
  readonly network?: 'reset' | 'silent'
}

/** The program of a process. It handles its own promise; if that rejects, it is an error of the node. */
export type Start = (env: Env) => unknown

/** A machine: its disk and its clocks outlive the processes on it, of which one runs at a time. */
export class SimNode implements Machine {
  readonly name: string
  readonly number: number
  readonly kernel: Kernel
  readonly network: Network
  readonly host: Host
  readonly clock: NodeClock
  readonly disk: SimDisk
  readonly programs = new Map<string, Program>()
  readonly facts: MachineFacts
  readonly #onError: (node: SimNode, error: unknown) => void
  #boots = 0
  #breaks = 0
  /** The identity of the last life, and of the decision that started it. */
  #life: Identity | undefined
  #startedBy: Identity | undefined
  #process: Boot | undefined
  #env: Env | undefined
  #backlog: SimEvent[] = []
  #backlogBytes = 0

  constructor(
    kernel: Kernel,
    network: Network,
    number: number,
    startWallMs: number,
    options: NodeOptions,
    onError: (node: SimNode, error: unknown) => void,
  ) {
    this.name = options.name
    this.number = number
    this.kernel = kernel
    this.network = network
    this.host = network.addHost(number, options.name, options.host)
    this.clock = new NodeClock(kernel, number, options.name, startWallMs, options.clock ?? {})
    this.host.wallMs = () => this.clock.wallUs() / 1000
    this.disk = new SimDisk(kernel, number, options.name, options.disk ?? {})
    for (const path of options.directories ?? []) this.disk.tree.prepare(path)
    this.facts = machineFacts(options, () => this.host.address)
    this.#onError = onError
  }

  /** Number of processes started here, which is also the number of the running one. */
  get boots(): number {
    return this.#boots
  }

  /** How often a fault has broken all connections of its process. */
  get breaks(): number {
    return this.#breaks
  }

  get running(): boolean {
    return this.#process !== undefined
  }

  get paused(): boolean {
    return this.#process?.paused === true
  }

  /** What the process has open now. */
  held() {
    return heldBy(this.#process)
  }

  /** What would be left behind if the process ended now. */
  leftBehind() {
    return leftBy(this.kernel, this.#process)
  }

  /** HTTP requests that the process has not answered yet. */
  get openRequests(): ReadonlySet<OpenRequest> {
    return this.#process?.requests ?? noRequests
  }

  /** The Env of the running process. */
  get env(): Env {
    invariant(this.#env !== undefined, 'a process runs here', { node: this.name })
    return this.#env
  }

  /** Starts a process, in a turn of its own. */
  boot(start: Start): void {
    invariant(this.#process === undefined, 'one process at a time', { node: this.name })
    this.#boots++
    const process = new Boot(this.number, this.name, this.#boots, this.#nextLife())
    this.#process = process
    this.host.boot = process
    this.host.powered = true
    this.kernel.trace.add(traceKinds.boot, this.number, this.#boots)
    const booted = this.kernel.trace.last
    this.#env = createSimEnv(this, process)
    this.run(start, booted)
  }

  /** Calls `act` in the running process, in a turn of its own. */
  run(act: Start, cause?: number): void {
    const { env } = this
    const start = this.kernel.after(this.#process, undefined, 0, 'start', () => {
      const going = act(env)
      if (going instanceof Promise) void going.then(undefined, (error: unknown) => this.failed(error))
    })
    if (cause !== undefined) start.causedByAlone(cause)
  }

  failed(error: unknown): void {
    this.#onError(this, error)
  }

  /**
   * Ends the process: none of its timers, streams and promises ever does anything again. Of a machine without a process,
   * only the power can fail.
   */
  crash(options: CrashOptions = {}): void {
    const process = this.#process
    if (process === undefined) {
      if (options.disk !== 'kept' && this.#life !== undefined) this.disk.losePower(this.#life)
      return
    }
    const silent = options.network === 'silent'
    this.kernel.trace.addText(traceKinds.crash, this.number, this.#boots, 0, 0, silent ? 'silent' : 'reset')
    const crashed = this.kernel.trace.last
    this.kernel.trace.teller?.also([crashed])
    process.alive = false
    process.endedInTurn = this.kernel.turns
    this.#process = undefined
    this.#env = undefined
    this.host.boot = undefined
    this.host.powered = !silent
    this.host.downBy = crashed
    for (const part of [...process.parts]) part.processEnded(!silent)
    process.parts.clear()
    this.disk.processEnded(options.disk !== 'kept', process.identity)
    for (const event of this.#backlog) event.dropped()
    this.#backlog = []
    this.#backlogBytes = 0
    this.kernel.queue.keep((event) => event.holder()?.alive !== false)
  }

  /** Breaks each TCP connection of the process, which continues and listens as before. */
  breakConnections(): void {
    this.#breaks++
    for (const part of [...(this.#process?.parts ?? [])]) if (part instanceof SimTcpStream) part.tear()
  }

  /** Whether attempts to connect are refused, as by a firewall that rejects; open connections stay. */
  refuseConnections(refuses: boolean): void {
    this.host.refuses = refuses
    this.kernel.trace.addText(traceKinds.link, this.number, this.number, 0, 0, refuses ? 'refuses' : 'accepts')
  }

  /** The process stands still: its events wait. Its machine continues to receive from the network. */
  pause(): void {
    if (this.#process === undefined || this.#process.paused) return
    this.kernel.trace.add(traceKinds.pause, this.number)
    this.#process.paused = true
  }

  /** Waiting events happen now, in a drawn order, together with those that are due now. */
  resume(): void {
    if (this.#process === undefined || !this.#process.paused) return
    const waited = this.#backlog.filter((event) => !event.cancelled)
    this.#backlog = []
    this.#backlogBytes = 0
    this.#process.paused = false
    this.kernel.trace.add(traceKinds.resume, this.number, waited.length)
    const { trace } = this.kernel
    const resumed = trace.last
    for (const event of this.#drawOrder(waited)) {
      if (trace.teller !== undefined) event.causedBy(resumed)
      this.kernel.queue.push(event, this.kernel.nowUs)
    }
  }

  /** Keeps an event that is due while the process is paused. */
  hold(event: SimEvent): void {
    if (!event.waits()) return
    const bytes = event.backlogBytes()
    if (this.#backlogBytes + bytes > backlogBytesMax) {
      event.dropped()
      return
    }
    this.#backlogBytes += bytes
    this.#backlog.push(event)
  }

  /**
   * A life's identity comes from the decision to start it; without one, as for a supervisor's restart, from the
   * previous life.
   */
  #nextLife(): Identity {
    const { decisions } = this.kernel
    const { cause } = decisions
    const isNew = cause !== undefined && (cause.a !== this.#startedBy?.a || cause.b !== this.#startedBy.b)
    if (isNew) this.#life = decisions.within(cause, 'life', this.name)
    else if (this.#life === undefined) this.#life = decisions.identity('life', this.name)
    else this.#life = decisions.within(this.#life, 'again')
    if (isNew) this.#startedBy = cause
    return this.#life
  }

  /**
   * Any interleaving of the lanes, each in its own order: each event draws a place, and a lane fills its places in
   * order.
   */
  #drawOrder(events: readonly SimEvent[]): readonly SimEvent[] {
    const order = this.kernel.decisions.draws('backlog', this.name, this.kernel.nowUs)
    const lanes = new Map<object, SimEvent[]>()
    const places = events.map((event) => {
      const lane = lanes.get(event.lane ?? event) ?? []
      lanes.set(event.lane ?? event, lane)
      lane.push(event)
      return { lane, place: order.place(event.tie + lane.length) }
    })
    places.sort((one, other) => one.place - other.place)
    const taken = new Map<SimEvent[], number>()
    return places.map(({ lane }) => {
      const next = taken.get(lane) ?? 0
      taken.set(lane, next + 1)
      return lane[next] as SimEvent
    })
  }
}
