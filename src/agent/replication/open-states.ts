import { concatBytes, emptyBytes } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { OpenedState, StateArchives } from '../../features/contract/whole-state.ts'
import type { Failure } from '../../model/failure.ts'
import type { Store } from '../../store/store.ts'

/** Maximum number of open states: each keeps alive the rows that were replaced since it was opened. */
const openMax = 4
/** A state that no reader advances for this long is closed; repeating the last request does not advance it. */
const idleMs = 30_000
/**
 * A state that has been open for this long is closed if another needs its place: a slow reader does not hold a place
 * for ever.
 */
const keptMs = 300_000
/** Maximum number of states that were read to their end and whose last answer can be given again. */
const endedMax = 16
/** Number of store pieces of 64 KiB in one answer. Each takes 2 ms, during which all other requests wait. */
const piecesOfAnswer = 2

interface Open {
  readonly pieces: { next(): Uint8Array | undefined }
  /** The last answer, for a reader that repeats its request, and its position. */
  last: Uint8Array
  lastOffset: number
  idle: Closable
  readonly sinceMs: number
}

/** States that outside callers are reading. The store's tables are copied on write, so an open state blocks nothing. */
export class OpenStates implements StateArchives {
  readonly #env: Env
  readonly #store: Pick<Store, 'archive' | 'index'>
  readonly #open = new Map<string, Open>()
  /** Ends of states that were read whole: their readers may repeat the last request. */
  readonly #ended = new Map<string, number>()

  constructor(env: Env, store: Pick<Store, 'archive' | 'index'>) {
    this.#env = env
    this.#store = store
  }

  stop(): void {
    for (const { idle } of this.#open.values()) idle.close()
    this.#open.clear()
  }

  open(): Result<OpenedState, Failure> {
    if (this.#open.size >= openMax) this.#closeLongest()
    if (this.#open.size >= openMax) return err({ kind: 'overloaded', message: 'too many snapshots are being read' })
    const id = uuidOf(this.#env.crypto.randomBytes(16, 'open state'))
    const pieces = this.#store.archive()
    const sinceMs = this.#env.clock.monoMs()
    this.#open.set(id, { pieces, last: emptyBytes, lastOffset: 0, idle: this.#closing(id), sinceMs })
    return ok({ id, index: this.#store.index })
  }

  next(id: string, offset: number): Result<Uint8Array, Failure> {
    const open = this.#open.get(id)
    if (open === undefined && this.#ended.get(id) === offset) return ok(emptyBytes)
    const end = open === undefined ? 0 : open.lastOffset + open.last.length
    if (open === undefined || (offset !== end && offset !== open.lastOffset)) {
      return err({
        kind: 'refused',
        message: 'the snapshot no longer exists: another server answers now, or the reads took too long',
      })
    }
    if (offset === end) {
      open.idle.close()
      open.lastOffset = end
      open.last = joined(open.pieces)
      open.idle = this.#closing(id)
    }
    if (open.last.length === 0) this.#end(id, offset)
    return ok(open.last)
  }

  /** Frees the rows that the state keeps alive. */
  #end(id: string, offset: number): void {
    this.close(id)
    this.#ended.set(id, offset)
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > endedMax && oldest !== undefined) this.#ended.delete(oldest)
  }

  close(id: string): void {
    this.#open.get(id)?.idle.close()
    this.#open.delete(id)
  }

  /** Closes the state that was opened first, if it has been open for long enough. The map is in order of opening. */
  #closeLongest(): void {
    const [longest] = this.#open
    if (longest === undefined) return
    const [id, { sinceMs }] = longest
    if (this.#env.clock.monoMs() - sinceMs >= keptMs) this.close(id)
  }

  #closing(id: string): Closable {
    return this.#env.timers.after(idleMs, () => this.#open.delete(id))
  }
}

function joined(pieces: Open['pieces']): Uint8Array {
  const parts: Uint8Array[] = []
  while (parts.length < piecesOfAnswer) {
    const piece = pieces.next()
    if (piece === undefined) break
    parts.push(piece)
  }
  return concatBytes(parts)
}
