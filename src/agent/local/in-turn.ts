import { err, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'

/** Maximum number of waiting pieces of work; further ones are refused. */
const waitingMax = 1_024

/** Maximum number of running pieces of work: enough for their writes to share one sync of the disk. */
const runningMax = 256

interface Piece {
  /** The things that the work is about; undefined: everything. */
  readonly about: readonly string[] | undefined
  begin: () => void
}

/**
 * Runs one piece of work about a thing at a time, in the order of arrival; work about different things runs
 * concurrently. Work about everything runs alone.
 */
export class InTurn {
  readonly #env: Env
  readonly #running = new Set<Piece>()
  /** The things that running work is about. */
  readonly #taken = new Set<string>()
  #waiting: Piece[] = []
  #whenIdle: (() => void)[] = []

  constructor(env: Env) {
    this.#env = env
  }

  async run<T>(work: () => Promise<Result<T, Failure>>, about?: readonly string[]): Promise<Result<T, Failure>> {
    if (this.#waiting.length + this.#running.size >= waitingMax) {
      return err({
        kind: 'overloaded',
        message: `more than ${waitingMax} changes of local services and checks are waiting`,
      })
    }
    const piece: Piece = { about, begin: () => undefined }
    if (this.#waiting.length === 0 && this.#isFree(piece)) this.#begin(piece)
    else await this.#turnOf(piece)
    try {
      return await work()
    } finally {
      this.#end(piece)
    }
  }

  /** Settles when nothing runs or waits. */
  async idle(): Promise<void> {
    if (this.#running.size === 0) return
    const idle = this.#env.deferred<undefined>()
    this.#whenIdle.push(() => idle.resolve(undefined))
    await idle.promise
  }

  #turnOf(piece: Piece): Promise<undefined> {
    const { promise, resolve } = this.#env.deferred<undefined>()
    piece.begin = () => resolve(undefined)
    this.#waiting.push(piece)
    this.#beginWhatMay()
    return promise
  }

  #isFree({ about }: Piece): boolean {
    if (about === undefined) return this.#running.size === 0
    const isAlone = this.#running.size > 0 && this.#taken.size === 0
    return !isAlone && this.#running.size < runningMax && !about.some((thing) => this.#taken.has(thing))
  }

  #begin(piece: Piece): void {
    this.#running.add(piece)
    for (const thing of piece.about ?? []) this.#taken.add(thing)
    piece.begin()
  }

  #end(piece: Piece): void {
    this.#running.delete(piece)
    for (const thing of piece.about ?? []) this.#taken.delete(thing)
    this.#beginWhatMay()
    if (this.#running.size === 0) for (const tell of this.#whenIdle.splice(0)) tell()
  }

  /** Work that waits behind a piece about the same thing waits with it, so that their order is kept. */
  #beginWhatMay(): void {
    if (this.#waiting.length === 0) return
    const passedOver = new Set<string>()
    const left: Piece[] = []
    for (const [at, piece] of this.#waiting.entries()) {
      const isBehind = piece.about === undefined ? left.length > 0 : piece.about.some((thing) => passedOver.has(thing))
      if (!isBehind && this.#isFree(piece)) this.#begin(piece)
      else {
        left.push(piece)
        for (const thing of piece.about ?? []) passedOver.add(thing)
      }
      if (piece.about === undefined || this.#running.size >= runningMax) {
        left.push(...this.#waiting.slice(at + 1))
        break
      }
    }
    this.#waiting = left
  }
}
