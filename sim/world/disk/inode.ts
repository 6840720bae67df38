import type { Draws } from '../decisions/draws.ts'
import type { Identity, Lane } from '../decisions/identity.ts'
import type { Slab } from '../slab.ts'
import { type Before, GrowingBytes } from './growing-bytes.ts'

/** What may become of unsynced writes: `any` of them may be lost by itself, or only those behind a point in time. */
export type UnsyncedModel = 'any' | 'prefix'

/** Events that wrote what no sync covers yet: the earliest are forgotten first. */
const eventsMax = 16

/** `before`: what it changed, as readers see it. */
type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array; readonly before: Before }
  | { readonly kind: 'truncate'; readonly size: number; readonly before: Before }

/**
 * A file: what its readers see, what the platter holds, and the changes between the two. Nearly always the platter
 * holds what readers see but for the changes that are not synced: then its bytes are not kept, for undoing these gives
 * them.
 */
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
  /** What the platter holds; undefined: what readers see, with all of `#changes` undone. */
  #durable: GrowingBytes | undefined
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
    const before = this.#cached.before(at, at + bytes.length)
    this.#cached.write(at, bytes)
    this.#changes.push({ kind: 'write', at, bytes: this.#slab.copy(bytes), before })
  }

  truncate(size: number): void {
    const before = this.#cached.before(size, this.#cached.size)
    this.#cached.truncate(size)
    this.#changes.push({ kind: 'truncate', size, before })
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
    const hardened = this.#take(mark)
    const durable = this.#durable
    if (durable !== undefined) for (const change of hardened) applyTo(durable, change)
  }

  /**
   * A sync of the changes up to a mark has failed: each may be there or not, and the next sync does not try again,
   * since the system holds them for written (fsyncgate).
   */
  failSync(mark: number, draw: Draws): void {
    const durable = this.#platter()
    for (const change of this.#take(mark)) if (draw.below(2) === 0) applyTo(durable, change)
    this.#durable = durable
  }

  /** The power is cut: of what was not synced something is left, and that is what readers see from now on. */
  cutPower(fate: () => Draws, model: UnsyncedModel): void {
    const durable = this.#platter()
    const changes = this.#take(this.mark())
    if (changes.length > 0) keepSome(durable, changes, fate(), model)
    this.#cached = durable
    this.#durable = undefined
    this.handles = 0
    this.readyUs = 0
    this.#unsyncedEvents = []
  }

  /** One bit rots, on the platter and in memory. */
  flipBit(at: number): void {
    const durable = this.#platter()
    this.#durable = durable
    for (const bytes of [this.#cached, durable]) {
      const [byte] = bytes.read(at, 1)
      if (byte !== undefined) bytes.write(at, new Uint8Array([byte ^ 1]))
    }
  }

  /** Other bytes stand there, on the platter and in memory. */
  replace(bytes: Uint8Array): void {
    this.#take(this.mark())
    this.#cached = new GrowingBytes(bytes.slice())
    this.#durable = undefined
  }

  /** A copy of what the platter holds, or the bytes themselves where they are kept. */
  #platter(): GrowingBytes {
    if (this.#durable !== undefined) return this.#durable
    const durable = this.#cached.copy()
    for (const { before } of this.#changes.toReversed()) durable.undo(before)
    return durable
  }

  #take(mark: number): Change[] {
    const taken = this.#changes.splice(0, Math.max(0, mark - this.#settled))
    this.#settled += taken.length
    return taken
  }
}

function applyTo(durable: GrowingBytes, change: Change): void {
  if (change.kind === 'write') durable.write(change.at, change.bytes)
  else durable.truncate(change.size)
}

function keepSome(durable: GrowingBytes, changes: readonly Change[], draw: Draws, model: UnsyncedModel): void {
  const fate = draw.below(model === 'any' ? 4 : 3)
  // All lost, all kept, all up to one that is torn, or each by a fate of its own.
  if (fate === 0) return
  const end = fate === 2 ? draw.below(changes.length) : changes.length
  for (let i = 0; i < end; i++) {
    const own = fate === 3 ? draw.below(3) : 1
    if (own === 1) applyTo(durable, changes[i] as Change)
    else if (own === 2) tear(durable, changes[i] as Change, draw)
  }
  if (fate === 2) tear(durable, changes[end] as Change, draw)
}

function tear(durable: GrowingBytes, change: Change, draw: Draws): void {
  if (change.kind === 'truncate') return
  durable.write(change.at, change.bytes.subarray(0, draw.below(change.bytes.length + 1)))
}
