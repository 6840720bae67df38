import { invariant } from '../../src/base/invariant.ts'
import type { Closable } from '../../src/env/async.ts'
import type { Endpoint } from '../../src/env/net.ts'
import type { NodeOptions } from '../env/machine.ts'
import type { TraceDigest } from '../report/hashed-lines.ts'
import type { Trace, TraceOptions } from '../report/trace.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { RecordFields } from '../report/trace-record.ts'
import type { Book } from '../world/decisions/book.ts'
import type { Decisions, Fork } from '../world/decisions/decisions.ts'
import type { FindHoles } from '../world/decisions/identity.ts'
import type { DiskOptions } from '../world/disk/disk.ts'
import { Kernel, type KeysOfRun, type Listener, type TellTale } from '../world/kernel.ts'
import type { LinkOptions } from '../world/network/link.ts'
import { Network } from '../world/network/network.ts'
import { forgeDatagram } from '../world/network/udp-socket.ts'
import type { Platform } from '../world/platform.ts'
import { defaultLimits, type RunEnd, type RunFailure, type RunLimits } from '../world/run-end.ts'
import { microseconds } from '../world/time-range.ts'
import { SimNode, type Start } from './node.ts'
import { TurnLoop } from './turn-loop.ts'

export interface SimulationOptions {
  readonly seed: string
  /** Sees and makes decisions; absent: nobody looks, and the seed alone decides. */
  readonly book?: Book | undefined
  /** What of the bytes that machines send is no part of a decision's identity; absent: nothing. */
  readonly findHoles?: FindHoles | undefined
  /** Times at which it goes on with other chance, in ascending order; absent: none. */
  readonly forks?: readonly Fork[] | undefined
  readonly platform: Platform
  /** Of every link, unless `network.setLink` says otherwise. */
  readonly link?: LinkOptions | undefined
  /** Of every disk, unless the node says otherwise. */
  readonly disk?: DiskOptions | undefined
  /** The true wall time at the start; 2026-01-01 by default. */
  readonly startWallMs?: number
  /** Events of one instant happen in an order that is drawn. */
  readonly shuffleTies?: boolean
  readonly limits?: Partial<RunLimits>
  readonly trace?: TraceOptions | undefined
  /** Readers of the trace see what processes draw. */
  readonly remarkDraws?: boolean
  /** `real` by default. */
  readonly keys?: KeysOfRun | undefined
  /** Hears every log line and every answer over HTTP. */
  readonly onSaid?: Listener | undefined
  /** Hears what processes tell of themselves. */
  readonly onTold?: TellTale | undefined
  /**
   * As each turn begins, with its number, from 1 on, and that of the event that it delivers, as readers of the trace
   * know it. It watches the program, and changes nothing of the run.
   */
  readonly beforeTurn?: ((turn: number, event: number) => void) | undefined
  /** After each turn, outside the tripwire; the node is the one whose turn it was. What it throws ends the run. */
  readonly afterTurn?: ((node: SimNode | undefined) => void) | undefined
  /**
   * Called with an error that no code on the node caught. `crash` ends the node's process; otherwise the run has
   * failed.
   */
  readonly onNodeError?: ((node: SimNode, error: unknown) => 'fail' | 'crash') | undefined
}

const defaultStartWallMs = 1_767_225_600_000

/** One run of one world. */
export class Simulation {
  readonly network: Network
  readonly #kernel: Kernel
  readonly #loop: TurnLoop
  readonly #options: SimulationOptions
  readonly #nodes: SimNode[] = []
  readonly #byName = new Map<string, SimNode>()

  constructor(options: SimulationOptions) {
    this.#options = options
    const limits = { ...defaultLimits, ...options.limits }
    this.#kernel = new Kernel({
      seed: options.seed,
      book: options.book,
      findHoles: options.findHoles,
      forks: options.forks,
      platform: options.platform,
      pendingMax: limits.pending,
      trace: options.trace ?? {},
      remarksDraws: options.remarkDraws === true,
      keys: options.keys ?? 'real',
      onSaid: options.onSaid,
      onTold: options.onTold,
    })
    this.#kernel.trace.name(0, 'world')
    this.network = new Network(this.#kernel, options.link)
    this.#loop = new TurnLoop(this.#kernel, {
      limits,
      nodeAt: (number) => this.#nodes[number - 1],
      onError: (node, error) => this.#nodeError(node, error),
      beforeTurn: options.beforeTurn,
      afterTurn: options.afterTurn,
      ties: options.shuffleTies === true ? this.#kernel.decisions.identity('ties') : undefined,
    })
  }

  /** What a right wall clock shows at the start. */
  get startWallMs(): number {
    return this.#options.startWallMs ?? defaultStartWallMs
  }

  /** True time since the start, an integer. */
  get nowUs(): number {
    return this.#kernel.nowUs
  }

  get nowMs(): number {
    return this.#kernel.nowUs / 1000
  }

  /** When the next event is due, in microseconds; undefined: none waits. */
  get nextAtUs(): number | undefined {
    return this.#kernel.queue.nextTimeUs()
  }

  /** Events delivered so far. */
  get turns(): number {
    return this.#kernel.turns
  }

  /** Events that wait. */
  get pending(): number {
    return this.#kernel.queue.pending
  }

  /** In the order in which they were added. */
  get nodes(): readonly SimNode[] {
    return this.#nodes
  }

  addNode(options: NodeOptions): SimNode {
    const number = this.#nodes.length + 1
    const { startWallMs } = this
    this.#kernel.trace.name(number, options.name)
    const disk = { ...this.#options.disk, ...options.disk }
    const onError = (node: SimNode, error: unknown): void => this.#nodeError(node, error)
    const node = new SimNode(this.#kernel, this.network, number, startWallMs, { ...options, disk }, onError)
    this.#nodes.push(node)
    this.#byName.set(options.name, node)
    return node
  }

  node(name: string): SimNode {
    const node = this.#byName.get(name)
    invariant(node !== undefined, 'a node of that name is there', { name })
    return node
  }

  /** What is decided in the run itself: by faults, workloads and choices of a scenario. */
  get decisions(): Decisions {
    return this.#kernel.decisions
  }

  /** Lets the driver do something at a time, in a turn of its own; at once if that time is past. */
  at(timeMs: number, act: () => void): Closable {
    return this.after(timeMs - this.nowMs, act)
  }

  after(delayMs: number, act: () => void): Closable {
    const { decisions } = this.#kernel
    const { cause } = decisions
    // What was begun by a decision goes on as its consequence.
    const acts = cause === undefined ? act : () => decisions.because(cause, act)
    return this.#kernel.after(undefined, undefined, microseconds(Math.max(0, delayMs)), 'driver', acts)
  }

  /** Puts a datagram on the wire under this sender address, whichever machine has it. */
  forge(from: Endpoint, to: Endpoint, bytes: Uint8Array): void {
    forgeDatagram(this.#kernel, this.network, from, to, bytes)
  }

  /** Of the run: what happened, and for readers what led to it. */
  get trace(): Trace {
    return this.#kernel.trace
  }

  /** A line of the story, for readers of the trace. What is done after a step comes from it. */
  tellStory(story: NonNullable<RecordFields<'driver'>['story']>, text: string): void {
    const event = this.trace.tell('driver', 0, { text, story })
    if (story === 'step') this.trace.stand(event)
  }

  /** Something that must hold does not. `because`: numbers of events by which it is judged, beside what happens now. */
  tellViolation(code: string, text: string, because: readonly number[] = []): void {
    const { teller } = this.trace
    if (teller !== undefined) this.trace.tell('violation', 0, { code, text }, [...teller.now, ...because])
  }

  /** A line of the driver's in the trace. */
  note(text: string): void {
    this.#kernel.trace.addText(traceKinds.driver, 0, 0, 0, 0, text)
  }

  /** Ends the run after this turn. */
  stop(message: string): void {
    this.#loop.stop({ kind: 'stopped', message })
  }

  /** Ends the run as failed after this turn; the first failure counts. */
  fail(failure: RunFailure): void {
    this.#kernel.fail(failure)
  }

  get failure(): RunFailure | undefined {
    return this.#kernel.failure
  }

  /** Runs to a time, which is then the time it is. Never rejects for what happens in the world. */
  run(limit: { readonly untilMs: number }): Promise<RunEnd> {
    return this.#loop.run(microseconds(limit.untilMs), undefined)
  }

  /** Runs until the predicate holds after a turn, or until the limit has passed. */
  runUntil(predicate: () => boolean, limitMs: number): Promise<RunEnd> {
    return this.#loop.run(this.nowUs + microseconds(limitMs), predicate)
  }

  /** Lets a process do something, on a node that is booted for it if need be, and runs until it is done. */
  async play<T>(node: SimNode, program: Play<T>, limitMs: number): Promise<T> {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined
    const start: Start = async (env) => {
      try {
        outcome = { value: await program(env) }
      } catch (error) {
        outcome = { error }
      }
    }
    if (node.running) node.run(start)
    else node.boot(start)
    const end = await this.runUntil(() => outcome !== undefined, limitMs)
    const ended = outcome as { readonly value: T } | { readonly error: unknown } | undefined
    if (ended === undefined) throw new Error(`the program on ${node.name} did not end: ${end.message}`)
    if ('error' in ended) throw ended.error
    return ended.value
  }

  /** The digest of what happened so far. */
  finish(): TraceDigest {
    return this.#kernel.trace.digest()
  }

  #nodeError(node: SimNode, error: unknown): void {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    this.#kernel.trace.addText(traceKinds.error, node.number, 0, 0, 0, message)
    const frames = framesOf(error)
    // For readers alone: where a module lies is no part of what happens.
    if (frames.length > 0) this.#kernel.trace.remark(node.number, `thrown by ${frames.join(' < ')}`)
    if (this.#options.onNodeError?.(node, error) === 'crash') {
      node.crash()
      return
    }
    const failure = { kind: 'node-error' as const, node: node.name, message: `${node.name}: ${message}` }
    this.#kernel.fail(error instanceof Error ? { ...failure, error } : failure)
  }
}

/** Frames of the stack of what was thrown that a reader gets. */
const framesMax = 8

/** Where in the agent's modules an error was thrown: `read src/features/acl/tokens/policy-endpoints.js:70`. */
function framesOf(error: unknown): readonly string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : []
  const frames = lines.flatMap((line) => {
    const [, name = 'an unnamed function', place] =
      /^ +at (?:async )?(?:(.+) \()?.*\/dist\/(src\/[^:]+:\d+):\d+\)?$/.exec(line) ?? []
    return place === undefined ? [] : [`${name} ${place}`]
  })
  return frames.slice(0, framesMax)
}

type Play<T> = (env: Parameters<Start>[0]) => Promise<T>
