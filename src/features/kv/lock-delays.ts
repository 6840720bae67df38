import type { Closable } from '../../env/async.ts'
import { failureText } from '../../model/failure.ts'
import { type KeyCare, keyCare } from '../../model/limits.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import type { LeaderDuty } from '../contract/duty.ts'
import type { WithDuties, WithKeyCare, WithProposals, WithState, WithWatches } from '../contract/server-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { kvForgetLockDelays } from './commands.ts'
import { lockDelaysTable } from './tables.ts'

/** The server as far as this duty uses it. */
type LockDelaysServer = WithEnv & WithState & WithProposals & WithWatches & WithKeyCare

/** Delays that begin within this time of one another count from the last of them. */
const togetherMs = 50

/** By this monotonic time every delay up to the index had begun. */
interface Sighting {
  index: ModifyIndex
  readonly firstMs: number
  atMs: number
}

/**
 * Decides which lock delays are over. The state has no clock: it knows at which index each delay began, and a locking
 * command carries the index up to which its key's delays were over when the leader made it (invariant S1):
 * 1. By the leader's monotonic clock, a delay counts from when the leader saw the applied command that began it, never
 *    from before.
 * 2. A new leader counts every existing delay from its own start: a change of leader extends delays, and never shortens
 *    them.
 * 3. A delay that begins between the decision and the lock has a greater index than the command carries, and refuses
 *    it.
 */
export const lockDelays: LeaderDuty<LockDelays, LockDelaysServer> = {
  name: 'kv.lock-delays',
  start: (server) => new LockDelays(server),
}

/** For a command that locks this key: the index up to which its delays are over. */
export function delayOverOf(server: WithState & WithDuties, key: string): number {
  const delay = server.read().get(lockDelaysTable, key)
  return delay !== undefined && server.duty(lockDelays)?.isOver(delay) === true ? delay.index : 0
}

export class LockDelays implements Closable {
  readonly #server: LockDelaysServer
  readonly #care: KeyCare
  /** In order of age, the oldest first; as many as fit into the longest delay, `togetherMs` apart. */
  readonly #sightings: Sighting[] = []
  /** Delays up to this index are over, however long they are. */
  #overThrough = 0
  #watching: Closable | undefined
  #timer: Closable | undefined
  #closed = false

  constructor(server: LockDelaysServer) {
    this.#server = server
    this.#care = server.keyCare ?? keyCare
    this.#look()
  }

  close(): void {
    this.#closed = true
    this.#watching?.close()
    this.#timer?.close()
  }

  isOver({ index, delayMs }: { readonly index: ModifyIndex; readonly delayMs: number }): boolean {
    if (index <= this.#overThrough) return true
    const seen = this.#sightings.find((sighting) => sighting.index >= index)
    return seen !== undefined && this.#server.env.clock.monoMs() - seen.atMs >= delayMs
  }

  /** Called when delays began or were forgotten. */
  #look(): void {
    this.#watching = this.#server.watch(
      (tx) => tx.watch(lockDelaysTable),
      () => this.#look(),
    )
    const { index } = this.#server.read()
    const nowMs = this.#server.env.clock.monoMs()
    const last = this.#sightings.at(-1)
    // Merged with the sighting just before, which makes delays slightly longer and the list much shorter.
    if (last !== undefined && nowMs - last.firstMs < togetherMs) Object.assign(last, { index, atMs: nowMs })
    else this.#sightings.push({ index, firstMs: nowMs, atMs: nowMs })
    this.#dropOld(nowMs)
    this.#schedule()
  }

  #dropOld(nowMs: number): void {
    const young = this.#sightings.findIndex(({ atMs }) => nowMs - atMs < this.#care.lockDelayMaxMs)
    const old = this.#sightings.splice(0, young < 0 ? this.#sightings.length : young)
    this.#overThrough = old.at(-1)?.index ?? this.#overThrough
  }

  #schedule(): void {
    if (this.#closed || this.#timer !== undefined || this.#server.read().count(lockDelaysTable) === 0) return
    this.#timer = this.#server.env.timers.after(this.#care.forgetEveryMs, () => this.#server.env.detach(this.#forget()))
  }

  async #forget(): Promise<void> {
    this.#dropOld(this.#server.env.clock.monoMs())
    const through = this.#overThrough
    while (!this.#closed && this.#oldest() <= through) {
      const done = await this.#server.propose(kvForgetLockDelays, { through, limit: this.#care.batchMax })
      if (done.ok) continue
      this.#server.env.log.write('warn', 'kv', 'could not forget lock delays', { why: failureText(done.error) })
      break
    }
    this.#timer = undefined
    this.#schedule()
  }

  #oldest(): number {
    for (const { index } of this.#server.read().inIndexOrder(lockDelaysTable, 'age')) return index
    return Number.POSITIVE_INFINITY
  }
}
