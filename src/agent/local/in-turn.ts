import { err, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'

/** More work than this does not wait: who brings it is refused. */
const waitingMax = 1_024

/** Pieces of work that go on at a time: enough for their syncs of the disk to become one. */
const runningMax = 256

interface Piece {
  /** What it is about; undefined: everything. */
  readonly about: readonly string[] | undefined
  readonly begin: () => void
}

/**
 * Lets one piece of work about a thing go on at a time, in the order in which they came; work about different things goes on
 * side by side. Work about everything goes on alone.
 */
export class InTurn {
  readonly #env: Env
  readonly #running = new Set<Piece>()
  #waiting: Piece[] = []
  #whenIdle: (() => void)[] = []

  constructor(env: Env) {
    this.#env = env
  }

  async run<T>(work: () => Promise<Result<T, Failure>>, about?: readonly string[]): Promise<Result<T, Failure>> {
    if (this.#waiting.length + this.#running.size >= waitingMax) {
      return err({ kind: 'overloaded', message: `more than ${waitingMax} changes of local services and checks wait` })
    }
    const begun = this.#env.deferred<undefined>()
    const piece: Piece = { about, begin: () => begun.resolve(undefined) }
    this.#waiting.push(piece)
    this.#beginWhatMay()
    await begun.promise
    try {
      return await work()
    } finally {
      this.#running.delete(piece)
      this.#beginWhatMay()
      if (this.#running.size === 0) for (const tell of this.#whenIdle.splice(0)) tell()
    }
  }

  /** Settled when nothing goes on or waits. */
  async idle(): Promise<void> {
    if (this.#running.size === 0) return
    const idle = this.#env.deferred<undefined>()
    this.#whenIdle.push(() => idle.resolve(undefined))
    await idle.promise
  }

  /** What stands behind a piece about the same waits with it, so that the order of those stays. */
  #beginWhatMay(): void {
    const taken = new Set<string>()
    for (const piece of this.#running) {
      if (piece.about === undefined) return
      for (const thing of piece.about) taken.add(thing)
    }
    const left: Piece[] = []
    for (const [at, piece] of this.#waiting.entries()) {
      const isFree = piece.about === undefined ? taken.size === 0 : !piece.about.some((thing) => taken.has(thing))
      const mayBegin = isFree && this.#running.size < runningMax
      if (mayBegin) {
        this.#running.add(piece)
        piece.begin()
      } else left.push(piece)
      if (piece.about === undefined || this.#running.size >= runningMax) {
        left.push(...this.#waiting.slice(at + 1))
        break
      }
      for (const thing of piece.about) taken.add(thing)
    }
    this.#waiting = left
  }
}
