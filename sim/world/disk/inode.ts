import type { Draws } from '../decisions/decisions.ts'
import type { Identity, Lane } from '../decisions/identity.ts'
import type { Slab } from '../slab.ts'

/** Bytes of a file: any length, holes read as zeros. What was never written takes no memory. */
class GrowingBytes {
  #bytes: Uint8Array
  /** Up to here there are bytes; the rest of the size is zeros. */
  #written: number
  #size: number

  constructor(bytes: Uint8Array = new Uint8Array(0), size: number = bytes.length) {
    this.#bytes = bytes
    this.#written = bytes.length
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  /** A copy. */
  read(at: number, length: number): Uint8Array {
    const from = Math.min(at, this.#size)
    const to = Math.min(at + length, this.#size)
    if (to <= this.#written) return this.#bytes.slice(from, to)
    const read = new Uint8Array(to - from)
    if (from < this.#written) read.set(this.#bytes.subarray(from, this.#written))
    return read
  }

  write(at: number, bytes: Uint8Array): void {
    const end = at + bytes.length
    if (bytes.length === 0) return
    this.#reserve(end)
    this.#bytes.set(bytes, at)
    this.#written = Math.max(this.#written, end)
    this.#size = Math.max(this.#size, end)
  }

  truncate(size: number): void {
    if (size < this.#written) {
      this.#bytes.fill(0, size, this.#written)
      this.#written = size
    }
    this.#size = size
  }

  copy(): GrowingBytes {
    return new GrowingBytes(this.#bytes.slice(0, this.#written), this.#size)
  }

  /** What lies beyond what was written is zeros, always: files grow into it. */
  #reserve(size: number): void {
    if (size <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length, 256))
    larger.set(this.#bytes.subarray(0, this.#written))
    this.#bytes = larger
  }
}

/** What may become of unsynced writes: `any` of them may be lost by itself, or only those behind a point in time. */
export type UnsyncedModel = 'any' | 'prefix'

/** Events that wrote what no sync covers yet: the earliest are forgotten first. */
const eventsMax = 16

type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number }

/** A file: what its readers see, what the platter holds, and the changes between the two. */
export class Inode implements Lane {
  readonly number: number
  /** By its disk and the path that it was made at. */
  readonly identity: Identity
  readonly #slab: Slab
  /** Names and handles that keep it. */
  links = 0
  handles = 0
  /** Operations of a file end in the order in which they began. */
  readyUs = 0
  /** Events of the trace that wrote what no sync covers yet, the latest last; none where nobody reads events. */
  #unsyncedEvents: number[] = []
  #cached = new GrowingBytes()
  #durable = new GrowingBytes()
  #changes: Change[] = []
  /** Changes that have left `#changes`, so that a place in it can be named for good. */
  #settled = 0

  constructor(number: number, identity: Identity, slab: Slab) {
    this.number = number
    this.identity = identity
    this.#slab = slab
  }

  get tie(): number {
    return this.identity.a
  }

  get size(): number {
    return this.#cached.size
  }

  get unsynced(): number {
    return this.#changes.length
  }

  read(at: number, length: number): Uint8Array {
    return this.#cached.read(at, length)
  }

  write(at: number, bytes: Uint8Array): void {
    this.#cached.write(at, bytes)
    this.#changes.push({ kind: 'write', at, bytes: this.#slab.copy(bytes) })
  }

  truncate(size: number): void {
    this.#cached.truncate(size)
    this.#changes.push({ kind: 'truncate', size })
  }

  /** The trace has the latest write as this event. */
  writtenBy(event: number): void {
    if (this.#unsyncedEvents.length >= eventsMax) this.#unsyncedEvents.shift()
    this.#unsyncedEvents.push(event)
  }

  /** For a write its event; for a sync the events of all writes that it covers, the latest first. */
  takeWriters(operation: 'write' | 'sync'): readonly number[] {
    return operation === 'write' ? this.#unsyncedEvents.slice(-1) : this.#unsyncedEvents.splice(0).reverse()
  }

  /** A name for all changes made until now. */
  mark(): number {
    return this.#settled + this.#changes.length
  }

  /** The changes up to a mark are on the platter. */
  harden(mark: number): void {
    for (const change of this.#take(mark)) this.#apply(change)
  }

  /**
   * A sync of the changes up to a mark has failed: each may be there or not, and the next sync does not try again, since
   * the system holds them for written (fsyncgate).
   */
  failSync(mark: number, draw: Draws): void {
    for (const change of this.#take(mark)) if (draw.below(2) === 0) this.#apply(change)
  }

  /** The power is cut: of what was not synced something is left, and that is what readers see from now on. */
  cutPower(fate: () => Draws, model: UnsyncedModel): void {
    const changes = this.#take(this.mark())
    if (changes.length > 0) this.#keepSome(changes, fate(), model)
    this.#cached = this.#durable.copy()
    this.handles = 0
    this.readyUs = 0
    this.#unsyncedEvents = []
  }

  /** One bit rots, on the platter and in memory. */
  flipBit(at: number): void {
    for (const bytes of [this.#cached, this.#durable]) {
      const [byte] = bytes.read(at, 1)
      if (byte !== undefined) bytes.write(at, new Uint8Array([byte ^ 1]))
    }
  }

  /** Other bytes stand there, on the platter and in memory. */
  replace(bytes: Uint8Array): void {
    this.#take(this.mark())
    this.#durable = new GrowingBytes(bytes.slice())
    this.#cached = this.#durable.copy()
  }

  #take(mark: number): Change[] {
    const taken = this.#changes.splice(0, Math.max(0, mark - this.#settled))
    this.#settled += taken.length
    return taken
  }

  #apply(change: Change): void {
    if (change.kind === 'write') this.#durable.write(change.at, change.bytes)
    else this.#durable.truncate(change.size)
  }

  #keepSome(changes: readonly Change[], draw: Draws, model: UnsyncedModel): void {
    const fate = draw.below(model === 'any' ? 4 : 3)
    // All lost, all kept, all up to one that is torn, or each by a fate of its own.
    if (fate === 0) return
    const end = fate === 2 ? draw.below(changes.length) : changes.length
    for (let i = 0; i < end; i++) {
      const own = fate === 3 ? draw.below(3) : 1
      if (own === 1) this.#apply(changes[i] as Change)
      else if (own === 2) this.#tear(changes[i] as Change, draw)
    }
    if (fate === 2) this.#tear(changes[end] as Change, draw)
  }

  #tear(change: Change, draw: Draws): void {
    if (change.kind === 'truncate') return
    this.#apply({ kind: 'write', at: change.at, bytes: change.bytes.subarray(0, draw.below(change.bytes.length + 1)) })
  }
}
