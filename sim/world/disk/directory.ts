import { compareText } from '../../../src/base/bytes.ts'
import { invariant } from '../../../src/base/invariant.ts'
import type { Draws } from '../decisions/draws.ts'
import { Inode, type UnsyncedModel } from './inode.ts'

export type Entry = Inode | Directory

type NameChange =
  | { readonly kind: 'set'; readonly name: string; readonly entry: Entry }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }

/** Names as readers see them, and as the platter has them. Changes reach the platter in order. */
export class Directory {
  #names = new Map<string, Entry>()
  readonly #durable = new Map<string, Entry>()
  #changes: NameChange[] = []
  /** What a failed sync left off the platter, and the system considers written. */
  #missed: NameChange[] = []
  #settled = 0

  get(name: string): Entry | undefined {
    return this.#names.get(name)
  }

  get isEmpty(): boolean {
    return this.#names.size === 0
  }

  /** Whether a power cut may take something from it, or from anything below. */
  get hasUnsynced(): boolean {
    if (this.#changes.length > 0 || this.#missed.length > 0) return true
    for (const entry of this.#names.values()) if (entry.hasUnsynced) return true
    return false
  }

  /** Sorted. */
  names(): readonly string[] {
    return [...this.#names.keys()].sort(compareText)
  }

  /** Sorted by name. */
  entries(): readonly (readonly [name: string, entry: Entry])[] {
    return this.names().map((name) => [name, this.#names.get(name) as Entry])
  }

  set(name: string, entry: Entry): void {
    this.#change({ kind: 'set', name, entry })
  }

  remove(name: string): void {
    this.#change({ kind: 'remove', name })
  }

  rename(from: string, to: string): void {
    this.#change({ kind: 'rename', from, to })
  }

  mark(): number {
    return this.#settled + this.#changes.length
  }

  harden(mark: number): void {
    for (const change of this.#take(mark)) applyChange(this.#durable, change)
  }

  /**
   * The first few changes are on the platter, and the next sync does not retry the others (fsyncgate). A later change
   * writes the names anew, and these with them.
   */
  failSync(mark: number, draw: Draws): void {
    const changes = this.#take(mark)
    const kept = draw.below(changes.length + 1)
    for (const change of changes.slice(0, kept)) applyChange(this.#durable, change)
    this.#missed.push(...changes.slice(kept))
  }

  /** Only the first few unsynced changes survive, and each file keeps what its own fate leaves. */
  cutPower(fateOf: (path: string) => Draws, path: string, model: UnsyncedModel): void {
    this.#missed = []
    const changes = this.#take(this.mark())
    const kept = changes.length === 0 ? 0 : fateOf(`${path}/`).below(changes.length + 1)
    for (const change of changes.slice(0, kept)) applyChange(this.#durable, change)
    for (const entry of this.#names.values()) if (entry instanceof Inode) entry.links = 0
    this.#names = new Map(this.#durable)
    for (const [name, entry] of this.entries()) {
      const own = `${path}/${name}`
      if (entry instanceof Directory) entry.cutPower(fateOf, own, model)
      else {
        entry.links = 1
        entry.cutPower(() => fateOf(own), model)
      }
    }
  }

  #change(change: NameChange): void {
    applyChange(this.#names, change)
    this.#changes.push(...this.#missed.splice(0), change)
  }

  #take(mark: number): NameChange[] {
    const taken = this.#changes.splice(0, Math.max(0, mark - this.#settled))
    this.#settled += taken.length
    return taken
  }
}

function applyChange(names: Map<string, Entry>, change: NameChange): void {
  if (change.kind === 'set') names.set(change.name, change.entry)
  else if (change.kind === 'remove') names.delete(change.name)
  else {
    const entry = names.get(change.from)
    invariant(entry !== undefined, 'a name that is changed is there', { from: change.from })
    names.delete(change.from)
    names.set(change.to, entry)
  }
}
