import type { Deferred } from '../../src/env/async.ts'
import type { KeyKind, SigningKey } from '../../src/env/crypto.ts'
import { nameOf } from '../report/decision-list.ts'
import type { Meaning } from '../report/meaning.ts'
import { Trace, type TraceOptions } from '../report/trace.ts'
import { traceKinds } from '../report/trace-kinds.ts'
import type { TracedBytes } from '../report/trace-record.ts'
import { Action } from './action.ts'
import type { Boot } from './boot.ts'
import type { Book } from './decisions/book.ts'
import { Decisions, type Fork } from './decisions/decisions.ts'
import type { FindHoles, Identity, Lane } from './decisions/identity.ts'
import { IdentityHash } from './decisions/identity.ts'
import { EventQueue } from './event-queue.ts'
import type { Platform, TurnState } from './platform.ts'
import type { RunFailure } from './run-end.ts'
import { Slab } from './slab.ts'

/** Collects the output of one turn, and delivers it at the end of the turn. */
export interface EndOfTurn {
  endOfTurn(): void
}

interface KernelOptions {
  readonly seed: string
  readonly book: Book | undefined
  readonly findHoles: FindHoles | undefined
  readonly forks: readonly Fork[] | undefined
  readonly platform: Platform
  readonly pendingMax: number
  readonly trace: TraceOptions
  /** Whether readers of the trace see the draws of processes. */
  readonly remarksDraws: boolean
  readonly keys: KeysOfRun
  readonly onSaid: Listener | undefined
  readonly onTold: TellTale | undefined
}

/** Receives text that processes show to people: `where` is `log`, or the target of the answered request. */
export type Listener = (node: string, where: string, text: () => string, answer?: ShownAnswer) => void

/** An answer over HTTP: its status, and its duration by the clock of its machine. */
export interface ShownAnswer {
  readonly status: number
  readonly tookMs: number
}

/**
 * Receives reports of a process about itself: `topic: text` of a line of its log, or the name of a counter that it
 * counts for the first time.
 */
export type TellTale = (node: string, what: string) => void

/**
 * `real`: keys of the requested kind. `cheap`: all are Ed25519, for runs that study scale rather than certificate
 * chains.
 */
export type KeysOfRun = 'real' | 'cheap'

const nobody = { a: 0, b: 0 }

/** The parts that a simulated world shares: time, queue, decisions, trace. */
export class Kernel {
  /** True time, in microseconds from the start of the run. */
  nowUs = 0
  /** Events delivered so far. */
  turns = 0
  /** Number of Env calls so far: a drain that should be idle must not change it. */
  calls = 0
  /** Why the run has failed: the first reason counts. */
  failure: RunFailure | undefined
  readonly queue: EventQueue
  readonly trace: Trace
  readonly decisions: Decisions
  readonly platform: Platform
  readonly turn: TurnState
  readonly remarksDraws: boolean
  readonly #keys: KeysOfRun
  /** Receives every log line and every answer over HTTP; undefined: not needed. */
  readonly onSaid: Listener | undefined
  /** Receives each log line without its fields, and each counter once per process; undefined: not needed. */
  readonly onTold: TellTale | undefined
  /** Memory for copies of the bytes that pass through the world. */
  readonly slab = new Slab()
  readonly #ties = new IdentityHash()
  #endOfTurn: EndOfTurn[] = []
  #streams = 0
  #rsaKeys = 0

  constructor(options: KernelOptions) {
    this.#keys = options.keys
    this.platform = options.platform
    this.turn = options.platform.turn
    this.remarksDraws = options.remarksDraws
    this.onSaid = options.onSaid
    this.onTold = options.onTold
    this.trace = new Trace((bytes) => options.platform.sha256(bytes), options.trace)
    const { teller } = this.trace
    if (teller !== undefined) {
      options.platform.followWaits(
        () => teller.beginWait(),
        (wait) => teller.continues(wait),
      )
    }
    this.queue = new EventQueue(options.pendingMax, this.trace)
    const tell = teller && this.#tellDecision
    const { seed, book, findHoles, forks } = options
    this.decisions = new Decisions(seed, () => this.nowUs, book, tell, findHoles, forks)
  }

  /** Calls `act` for a process (or for the world) after a delay. `label` is its line in the trace. */
  after(owner: Boot | undefined, lane: Lane | undefined, delayUs: number, label: string, act: () => void): Action {
    const action = new Action(this, owner, lane, label, act)
    this.queue.push(action, this.nowUs + delayUs)
    return action
  }

  /** Identity of an event without a lane: its process, and its name in the trace. */
  tieOf(owner: Boot | undefined, label: string): number {
    return this.#ties.from(owner?.identity ?? nobody).text(label).a
  }

  /** A promise that its creator settles. Settling it means that the turn's promise jobs must run. */
  deferred<T>(boot: Boot): Deferred<T> {
    const { promise, resolve, reject } = this.platform.deferred<T>()
    return {
      promise,
      // A dead process has no code left to continue.
      resolve: (value) => {
        if (!boot.alive) return
        this.turn.touched = true
        resolve(value)
      },
      reject: (reason) => {
        if (!boot.alive) return
        this.turn.touched = true
        reject(reason)
      },
    }
  }

  /** A promise that is settled after a delay, in a turn of its own, with the result of `make` at that time. */
  answer<T>(boot: Boot, delayUs: number, label: string, make: () => T): Promise<T> {
    const deferred = this.deferred<T>(boot)
    this.after(boot, undefined, delayUs, label, () => deferred.resolve(make()))
    return deferred.promise
  }

  /**
   * Makes a key from drawn bytes. RSA keys come from a small fixed set, in turn: two consecutive ones always differ.
   */
  keyMaker(kind: KeyKind): (seed: Uint8Array) => SigningKey {
    if (this.#keys === 'cheap') return (seed) => this.platform.signingKey(seed)
    if (kind !== 'rsa-2048' && kind !== 'rsa-4096') return (seed) => this.platform.ecKey(kind, seed)
    const nth = this.#rsaKeys++
    return () => this.platform.rsaKey(kind, nth)
  }

  /** A promise of a dead process. */
  never<T>(): Promise<T> {
    return this.platform.deferred<T>().promise
  }

  /** Every Env call begins here. Returns false if the process is dead; then the call must do nothing. */
  enter(boot: Boot): boolean {
    this.calls++
    if (boot.alive) return true
    if (boot.endedInTurn !== this.turns) {
      this.fail({
        kind: 'dead-process',
        node: boot.name,
        message: `boot ${boot.number} of ${boot.name} went on after its crash: it called its Env`,
      })
    }
    return false
  }

  fail(failure: RunFailure): void {
    if (this.failure !== undefined) return
    this.failure = failure
    this.trace.addText(traceKinds.error, 0, 0, 0, 0, failure.message)
  }

  /** The decoded meaning of bytes for the trace; undefined: no reader, or unknown bytes. */
  meaningOf(
    kind: TracedBytes['kind'],
    from: string,
    to: string,
    port: number,
    payload: Uint8Array,
  ): readonly Meaning[] | undefined {
    return this.trace.teller?.meaningOf({ kind, from, to, port, stream: 0, payload })
  }

  /** Adds these to the next line of the trace. `because`: number of a further cause; 0: none. */
  tellNext(means: readonly Meaning[] | undefined, because = 0): void {
    this.trace.teller?.next({ more: because, fields: means === undefined ? {} : { means } })
  }

  readonly #tellDecision = (identity: Identity, text: string, because: number): number => {
    const { trace } = this
    const event = trace.tell('decision', 0, { id: nameOf(identity), text }, [...(trace.teller?.now ?? []), because])
    trace.teller?.comesTo(event)
    return event
  }

  /** Numbers connections, for the trace. */
  nextStream(): number {
    return ++this.#streams
  }

  atEndOfTurn(thing: EndOfTurn): void {
    this.#endOfTurn.push(thing)
  }

  endTurn(): void {
    if (this.#endOfTurn.length === 0) return
    const things = this.#endOfTurn
    this.#endOfTurn = []
    for (const thing of things) thing.endOfTurn()
  }
}
