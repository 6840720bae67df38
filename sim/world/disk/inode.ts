import type { Draws } from '../decisions/draws.ts'
import type { Identity, Lane } from '../decisions/identity.ts'
import type { Slab } from '../slab.ts'
import { type Before, GrowingBytes } from './growing-bytes.ts'

/**
 * Which unsynced writes may be lost in a power cut: `any` of them independently, or only those after a point in time.
 */
export type UnsyncedModel = 'any' | 'prefix'

/** Maximum number of remembered events that wrote unsynced bytes: the earliest are forgotten first. */
const eventsMax = 16

/** `before`: the previous content, as readers saw it. */
type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array; readonly before: Before }
  | { readonly kind: 'truncate'; readonly size: number; readonly before: Before }

/**
 * A file: the content that its readers see, the content of the platter, and the changes between the two. Nearly always,
 * the platter has what readers see without the unsynced changes. Its bytes are then not kept, because undoing these
 * changes restores them.
 */
export class Inode implements Lane {
  readonly number: number
  /** By its disk and the path at which it was created. */
  readonly identity: Identity
  readonly #slab: Slab
  /** Number of names and handles that keep it. */
  links = 0
  handles = 0
  /** Operations of a file end in the order in which they began. */
  readyUs = 0
  /** Trace events that wrote unsynced bytes, the latest last; empty without a reader of events. */
  #unsyncedEvents: number[] = []
  #cached = new GrowingBytes()
  /** The content of the platter; undefined: what readers see, with all of `#changes` undone. */
  #durable: GrowingBytes | undefined
  #changes: Change[] = []
  /** Number of changes that have left `#changes`, so that a position in it can be named permanently. */
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

  /** Whether a power cut may change what readers see. */
  get hasUnsynced(): boolean {
    return this.#changes.length > 0 || this.#durable !== undefined
  }

  /** Whether no change before this offset waits for a sync. */
  isDurableUpTo(at: number): boolean {
    return this.#changes.every((change) => (change.kind === 'write' ? change.at : change.size) >= at)
  }

  read(at: number, length: number): Uint8Array {
    return this.#cached.read(at, length)
  }

  /** The first `length` bytes, without the zeros at their end. */
  readWritten(length: number): Uint8Array {
    return this.#cached.readWritten(length)
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

  /** The latest write is this event in the trace. */
  writtenBy(event: number): void {
    if (this.#unsyncedEvents.length >= eventsMax) this.#unsyncedEvents.shift()
    this.#unsyncedEvents.push(event)
  }

  /** For a write, its event; for a sync, the events of all writes that it covers, the latest first. */
  takeWriters(operation: 'write' | 'sync'): readonly number[] {
    return operation === 'write' ? this.#unsyncedEvents.slice(-1) : this.#unsyncedEvents.splice(0).reverse()
  }

  /** Identifies all changes made until now. */
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
   * A sync of the changes up to a mark has failed: each may be on the platter or not, and the next sync does not retry
   * them, because the system considers them written (fsyncgate).
   */
  failSync(mark: number, draw: Draws): void {
    const durable = this.#platter()
    for (const change of this.#take(mark)) if (draw.below(2) === 0) applyTo(durable, change)
    this.#durable = durable
  }

  /** The power is cut: a part of the unsynced changes remains, and readers see that from now on. */
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

  /** Replaces the bytes, on the platter and in memory. */
  replace(bytes: Uint8Array): void {
    this.#take(this.mark())
    this.#cached = new GrowingBytes(bytes.slice())
    this.#durable = undefined
  }

  /** A copy of the platter's content, or the kept bytes themselves. */
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
  // All lost, all kept, all up to one that is torn, or an own fate for each.
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
