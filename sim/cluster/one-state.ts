import type { Carried, SharedCommands } from '../../src/agent/shared-commands.ts'
import { type Release, releaseText } from '../../src/model/release.ts'
import type { Entry } from '../../src/raft/core/types.ts'
import type { StateStep, Store } from '../../src/store/store.ts'

/** Every server carries out each so many-th entry by itself. */
const auditedEntries = 16
/** Audited entries whose state is remembered. A server further behind goes by itself until it has caught up. */
const rememberedMax = 64

interface Made {
  readonly entry: Entry
  readonly carried: Carried
  readonly step: StateStep
}

/**
 * One state for all servers of a run, while they agree. A command is carried out by the first server that comes to it;
 * every other that holds the very same state object and the same entry takes over what came of it. So that a command which
 * does different things on different servers is still found (R5):
 * 1. States are told apart as objects, never by value: a server that has once come to another state goes its own way.
 * 2. Each server carries out every sixteenth entry by itself, and its digest is compared as ever. Only a state with the
 *    digest of the shared one, after the same entry, is given up for it.
 * 3. A state that came out of a snapshot is never given up: what a restore built stays in use.
 */
export class OneState implements SharedCommands {
  /** By the state before. What nobody holds any more goes, with all that grew from it. */
  readonly #made = new WeakMap<object, Made>()
  /** By index, oldest first. */
  readonly #audited = new Map<number, Made>()

  recall(store: Store, before: object, entry: Entry): Carried | undefined {
    if (entry.index % auditedEntries === 0) return undefined
    const made = this.#made.get(before)
    if (made === undefined || !isSameEntry(made.entry, entry)) return undefined
    store.take(made.step)
    return made.carried
  }

  keep(store: Store, before: object, entry: Entry, carried: Carried): void {
    const step = store.lastStep
    if (step === undefined) return
    if (entry.index % auditedEntries === 0) this.#audit(store, { entry, carried, step })
    else if (!this.#made.has(before)) this.#made.set(before, { entry, carried, step })
  }

  #audit(store: Store, own: Made): void {
    const { index } = own.entry
    const made = this.#audited.get(index)
    if (made === undefined) {
      this.#audited.set(index, own)
      if (this.#audited.size > rememberedMax) this.#audited.delete(this.#audited.keys().next().value as number)
      return
    }
    if (store.isRestored || !isSameEntry(made.entry, own.entry)) return
    const digest = store.digest()
    const mine = own.step
    store.adopt(made.step)
    if (digest === undefined || store.digest()?.digest !== digest.digest) store.adopt(mine)
  }
}

/** One for the servers of each release: others may do another thing with a command, or not know it. */
export class OneStates {
  readonly #states = new Map<string, OneState>()

  of(release: Release): OneState {
    const text = releaseText(release)
    const state = this.#states.get(text) ?? new OneState()
    this.#states.set(text, state)
    return state
  }
}

function isSameEntry(a: Entry, b: Entry): boolean {
  if (a === b) return true
  const { payload } = a
  const { payload: other } = b
  if (a.index !== b.index || a.term !== b.term || a.kind !== b.kind || payload.length !== other.length) return false
  if (payload === other) return true
  for (let i = 0; i < payload.length; i++) if (payload[i] !== other[i]) return false
  return true
}
