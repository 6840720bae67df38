import type { Env } from '../../env/env.ts'
import type { RaftMessage } from '../core/messages.ts'
import type { RequestRefusal } from '../core/types.ts'
import type { DurableLog } from '../log/durable-log.ts'
import type { Requests } from './requests.ts'
import type { WithoutRoom } from './without-room.ts'

/**
 * Maximum number of bytes that wait for disk or quorum. Beyond it, proposals are refused, and appends are dropped,
 * which the leader resends.
 */
const pendingBytesMax = 64 << 20

interface AdmissionParts {
  readonly env: Pick<Env, 'metrics'>
  readonly log: Pick<DurableLog, 'pendingBytes' | 'isFull'>
  readonly requests: Pick<Requests, 'waitingBytes'>
  readonly withoutRoom: Pick<WithoutRoom, 'refusal'>
}

/** Limits what a server accepts while too much is waiting, or while its disk has no space. */
export class Admission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** Why nothing may be proposed now. */
  get refusal(): RequestRefusal | undefined {
    const { withoutRoom, requests, log } = this.#parts
    if (withoutRoom.refusal !== undefined) return withoutRoom.refusal
    const waitingBytes = Math.max(requests.waitingBytes, log.pendingBytes)
    return waitingBytes > pendingBytesMax ? { kind: 'overloaded' } : undefined
  }

  /** False if the message is dropped. */
  takes(message: RaftMessage): boolean {
    const { env, log } = this.#parts
    // The server could not write its own vote, so standing for election would only silence it.
    if (message.kind === 'timeout-now' && log.isFull) return false
    const isWork = message.kind === 'append-request' && message.entries.length > 0
    if (!isWork || log.pendingBytes <= pendingBytesMax) return true
    env.metrics.count('raft.rpc.dropped')
    return false
  }
}
