import { invariant } from '../../base/invariant.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { LogIndex } from '../../model/log-position.ts'
import type { RaftEvent } from '../core/events.ts'
import type { RaftMessage } from '../core/messages.ts'
import type { RaftTiming } from '../core/options.ts'
import { isReplaceable } from '../core/signs-of-life.ts'
import type { RaftCore } from '../core/state.ts'
import type { ConfigurationChange, RequestRefusal, ServerId } from '../core/types.ts'
import type { DurableLog } from '../log/durable-log.ts'
import { diskFailureText } from '../log/open-failure.ts'
import { payloadBytesMax } from '../log/record.ts'
import type { RaftObserver } from '../raft.ts'
import { Admission } from './admission.ts'
import { Gathering } from './gathering.ts'
import type { Committed, Requests } from './requests.ts'
import type { Turns } from './turns.ts'
import { WithoutRoom } from './without-room.ts'

const stoppedRefusal: RequestRefusal = { kind: 'leadership-lost' }

export interface CallsParts {
  readonly env: Pick<Env, 'deferred' | 'timers' | 'clock' | 'batches' | 'metrics' | 'log'>
  readonly timing: RaftTiming
  readonly log: DurableLog
  readonly requests: Requests
  readonly turns: Turns
  readonly observer: RaftObserver | undefined
  readonly core: () => RaftCore
  readonly isLeader: () => boolean
  /** Whether a write of the log is under way. */
  readonly diskIsBusy: () => boolean
}

/**
 * The agent's requests to this server: proposals, reads, changes of the configuration, transfers of leadership. Each is
 * refused at once, or becomes an event of the core and waits in `Requests` for its outcome.
 */
export class Calls {
  readonly #env: CallsParts['env']
  readonly #requests: Requests
  readonly #turns: Turns
  readonly #observer: RaftObserver | undefined
  readonly #core: () => RaftCore
  readonly #gathering: Gathering
  readonly #withoutRoom: WithoutRoom
  readonly #admission: Admission

  constructor(parts: CallsParts) {
    const { env, log, requests, turns, diskIsBusy } = parts
    this.#env = env
    this.#requests = requests
    this.#turns = turns
    this.#observer = parts.observer
    this.#core = parts.core
    this.#gathering = new Gathering(env, diskIsBusy, (gathered) => {
      if (!this.#withoutRoom.refuses(gathered)) turns.post({ kind: 'proposed', requests: gathered })
    })
    this.#withoutRoom = new WithoutRoom({ ...parts, handOver: () => this.handOver() })
    this.#admission = new Admission({ env, log, requests, withoutRoom: this.#withoutRoom })
  }

  async propose(payload: Uint8Array): Promise<Result<Committed, RequestRefusal>> {
    invariant(payload.length <= payloadBytesMax, 'the proposer caps the size', { bytes: payload.length })
    if (this.#turns.isOver) return err(stoppedRefusal)
    const { refusal } = this.#admission
    if (refusal !== undefined) return err(refusal)
    const { id, outcome } = this.#requests.begin(payload.length)
    this.#env.metrics.count('raft.apply')
    this.#gathering.add({ requestId: id, payload })
    return outcome
  }

  read(mode: 'quorum' | 'lease'): Promise<Result<LogIndex, RequestRefusal>> {
    if (mode === 'quorum') this.#env.metrics.count('raft.verify_leader')
    return this.#ask((requestId) => {
      this.#observer?.readAsked(requestId)
      return { kind: 'read-requested', requestId, mode }
    })
  }

  changeConfiguration(change: ConfigurationChange): Promise<Result<LogIndex, RequestRefusal>> {
    const { refusal } = this.#withoutRoom
    if (refusal !== undefined) return Promise.resolve(err(refusal))
    this.#observer?.changeAsked(change)
    return this.#ask((requestId) => ({ kind: 'change-requested', requestId, change }))
  }

  async transferLeadership(to?: ServerId): Promise<Result<undefined, RequestRefusal>> {
    const moved = await this.#ask((requestId) => ({ kind: 'transfer-requested', requestId, to }))
    return moved.ok ? ok(undefined) : moved
  }

  /** Transfers leadership to any server that accepts it; false if none does, or could be elected. */
  async handOver(): Promise<boolean> {
    if (!isReplaceable(this.#core(), this.#env.clock.monoMs())) return false
    return (await this.transferLeadership()).ok
  }

  /** Whether a message of another server is accepted, or dropped because too much waits here. */
  takes(message: RaftMessage): boolean {
    return this.#admission.takes(message)
  }

  /** The disk has finished a batch: proposes the commands gathered meanwhile. */
  diskIsFree(): void {
    this.#gathering.flush()
  }

  diskIsFull(failure: DiskFailure): void {
    this.#turns.run(() => this.#withoutRoom.begin(diskFailureText(failure)))
  }

  diskHasRoom(): void {
    this.#withoutRoom.end()
  }

  /** Callers that still wait learn that the outcome is unknown. */
  stop(): void {
    this.#gathering.close()
    this.#withoutRoom.stop()
    this.#requests.refuseAll(stoppedRefusal)
  }

  #ask(event: (requestId: number) => RaftEvent): Promise<Result<LogIndex, RequestRefusal>> {
    const { id, outcome } = this.#requests.begin()
    if (this.#turns.isOver) this.#requests.refused(id, stoppedRefusal)
    else this.#turns.post(event(id))
    return outcome.then((settled) => (settled.ok ? ok(settled.value.index) : settled))
  }
}
