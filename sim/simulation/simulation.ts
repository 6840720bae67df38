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
  /** Receives decisions and may change them; absent: the seed alone decides. */
  readonly book?: Book | undefined
  /** Finds bytes of messages that are not part of a decision's identity; absent: there are none. */
  readonly findHoles?: FindHoles | undefined
  /** Times from which it continues with other draws, in ascending order; absent: none. */
  readonly forks?: readonly Fork[] | undefined
  readonly platform: Platform
  /** Settings of every link, unless `network.setLink` changes them. */
  readonly link?: LinkOptions | undefined
  /** Settings of every disk, unless the node changes them. */
  readonly disk?: DiskOptions | undefined
  /** The true wall time at the start; 2026-01-01 by default. */
  readonly startWallMs?: number
  /** Whether events of one instant happen in a drawn order. */
  readonly shuffleTies?: boolean
  readonly limits?: Partial<RunLimits>
  readonly trace?: TraceOptions | undefined
  /** Whether readers of the trace see the draws of processes. */
  readonly remarkDraws?: boolean
  /** `real` by default. */
  readonly keys?: KeysOfRun | undefined
  /** Receives every log line and every answer over HTTP. */
  readonly onSaid?: Listener | undefined
  /** Receives reports of processes about themselves. */
  readonly onTold?: TellTale | undefined
  /**
   * Called as each turn begins, with its number, counted from 1, and the number of the event that it delivers, as
   * readers of the trace know it. It observes the program, and must not change the run.
   */
  readonly beforeTurn?: ((turn: number, event: number) => void) | undefined
  /** Called after each turn, outside the tripwire, with the node whose turn it was. An exception of it ends the run. */
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

  /** Time of a correct wall clock at the start. */
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

  /** Number of delivered events. */
  get turns(): number {
    return this.#kernel.turns
  }

  /** Number of waiting events. */
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

  /** The decisions of the run itself: of faults, workloads and choices of a scenario. */
  get decisions(): Decisions {
    return this.#kernel.decisions
  }

  /** Calls `act` for the driver at a time, in a turn of its own; at once if that time is past. */
  at(timeMs: number, act: () => void): Closable {
    return this.after(timeMs - this.nowMs, act)
  }

  after(delayMs: number, act: () => void): Closable {
    const { decisions } = this.#kernel
    const { cause } = decisions
    // Work that a decision began continues as its consequence.
    const acts = cause === undefined ? act : () => decisions.because(cause, act)
    return this.#kernel.after(undefined, undefined, microseconds(Math.max(0, delayMs)), 'driver', acts)
  }

  /** Sends a datagram under this sender address, whichever machine has it. */
  forge(from: Endpoint, to: Endpoint, bytes: Uint8Array): void {
    forgeDatagram(this.#kernel, this.network, from, to, bytes)
  }

  /** The trace of the run: what happened, and for readers the causes. */
  get trace(): Trace {
    return this.#kernel.trace
  }

  /** A line of the story, for readers of the trace. A step causes what is done after it. */
  tellStory(story: NonNullable<RecordFields<'driver'>['story']>, text: string): void {
    const event = this.trace.tell('driver', 0, { text, story })
    if (story === 'step') this.trace.stand(event)
  }

  /** Reports a violated law. `because`: numbers of events on which the judgement rests, besides the present one. */
  tellViolation(code: string, text: string, because: readonly number[] = []): void {
    const { teller } = this.trace
    if (teller !== undefined) this.trace.tell('violation', 0, { code, text }, [...teller.now, ...because])
  }

  /** A line of the driver in the trace. */
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

  /** Runs up to a time, which is then the present one. Never rejects for an event of the world. */
  run(limit: { readonly untilMs: number }): Promise<RunEnd> {
    return this.#loop.run(microseconds(limit.untilMs), undefined)
  }

  /** Runs until the predicate holds after a turn, or until the limit has passed. */
  runUntil(predicate: () => boolean, limitMs: number): Promise<RunEnd> {
    return this.#loop.run(this.nowUs + microseconds(limitMs), predicate)
  }

  /** Runs a program in a process, booting the node if necessary, until it is done. */
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

  /** For readers only: where a module is located is not part of what happens. */
  tellStack(node: SimNode, error: unknown): void {
    const frames = framesOf(error)
    if (frames.length > 0) this.#kernel.trace.remark(node.number, `thrown by ${frames.join(' < ')}`)
  }

  /** The digest of everything so far. */
  finish(): TraceDigest {
    return this.#kernel.trace.digest()
  }

  #nodeError(node: SimNode, error: unknown): void {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    this.#kernel.trace.addText(traceKinds.error, node.number, 0, 0, 0, message)
    this.tellStack(node, error)
    if (this.#options.onNodeError?.(node, error) === 'crash') {
      node.crash()
      return
    }
    const failure = { kind: 'node-error' as const, node: node.name, message: `${node.name}: ${message}` }
    this.#kernel.fail(error instanceof Error ? { ...failure, error } : failure)
  }
}

/** Maximum number of stack frames of an exception that a reader gets. */
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
