import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { ProposalRequest } from '../core/events.ts'
import type { RaftTiming } from '../core/options.ts'
import type { RequestRefusal } from '../core/types.ts'
import type { DurableLog } from '../log/durable-log.ts'
import type { Requests } from './requests.ts'
import type { Turns } from './turns.ts'

export interface WithoutRoomParts {
  readonly env: Pick<Env, 'log' | 'timers'>
  readonly timing: Pick<RaftTiming, 'electionTimeoutMs'>
  readonly log: DurableLog
  readonly requests: Requests
  readonly turns: Turns
  readonly isLeader: () => boolean
  /** Hands over leadership; false if no server took it. */
  readonly handOver: () => Promise<boolean>
}

const notTaken: RequestRefusal = { kind: 'disk-full', accepted: false }

/** A leader that no server replaced looks again after this many election timeouts. */
const retryTimeouts = 4

/**
 * The behaviour of a server whose log has no disk space. Reads continue. A leader hands over to a server that may have
 * space. If it must stay (it is alone, or no server took over) it refuses writes, and callers whose writes are in its
 * log, where they stay, learn that their outcome is unknown. It tries again for as long as there is no space: another
 * server may have come back, or have caught up. A follower acknowledges nothing, and looks like one with a slow disk.
 */
export class WithoutRoom {
  readonly #parts: WithoutRoomParts
  #timer: Closable | undefined

  constructor(parts: WithoutRoomParts) {
    this.#parts = parts
  }

  /** Why writes are refused now; undefined if there is room, or if this server does not lead. */
  get refusal(): RequestRefusal | undefined {
    const { log, isLeader } = this.#parts
    return log.isFull && isLeader() ? notTaken : undefined
  }

  /** Refuses proposals that gathered before the disk was found full; false if writes are not refused. */
  refuses(gathered: readonly ProposalRequest[]): boolean {
    const { refusal } = this
    if (refusal === undefined) return false
    for (const { requestId } of gathered) this.#parts.requests.refused(requestId, refusal)
    return true
  }

  /** Called in the turn in which the log found no room. */
  begin(why: string): void {
    this.#parts.env.log.write('error', 'raft', 'no space left on the disk: writes wait', { why })
    this.#lookAgain()
  }

  end(): void {
    this.stop()
    this.#parts.env.log.write('info', 'raft', 'there is space on the disk again: the waiting writes are written')
  }

  stop(): void {
    this.#timer?.close()
    this.#timer = undefined
  }

  #lookAgain(): void {
    const { log, isLeader, turns } = this.#parts
    if (log.isFull && isLeader()) turns.inBackground(this.#handOver())
  }

  async #handOver(): Promise<void> {
    const { handOver, turns, log, requests } = this.#parts
    const isOver = await handOver()
    if (isOver || turns.isOver || !log.isFull) return
    turns.run(() => requests.refuseAccepted({ kind: 'disk-full', accepted: true }))
    this.#tryLater()
  }

  #tryLater(): void {
    const { env, timing, turns } = this.#parts
    this.stop()
    this.#timer = env.timers.after(retryTimeouts * timing.electionTimeoutMs, () => turns.run(() => this.#lookAgain()))
  }
}
