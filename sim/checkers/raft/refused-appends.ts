import { greater, type LogIndex, noIndex } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'

type Append = Extract<RaftMessage, { readonly kind: 'append-request' }>

interface Follower {
  /** The newest append to it began after this index; undefined: it was sent none. */
  previous: LogIndex | undefined
  /** The round of the first append since the members changed last: earlier answers may not count. */
  firstRound: number
  /** What it has acknowledged. */
  match: LogIndex
  /** When it refused what it was sent, and nothing was sent to it since. */
  refusedMs: number | undefined
}

/**
 * Whether one leader tries again at once when a follower refuses an append, further back in its log. A refusal is late
 * if less is hinted at than the follower has acknowledged, and known if an append that begins there was sent already.
 */
export class RefusedAppends {
  readonly #followers = new Map<string, Follower>()

  /** One that was removed is owed nothing, and one that is added is asked anew. */
  membersChanged(): void {
    for (const follower of this.#followers.values()) {
      follower.previous = undefined
      follower.refusedMs = undefined
    }
  }

  /** Returns for how long the leader has left a refusal without an answer, if this append is the first thing that it does. */
  sent(to: string, { previousIndex, entries, round }: Append, nowMs: number): number | undefined {
    if (round === 0) return undefined
    const follower = this.#of(to)
    const { refusedMs } = follower
    if (follower.previous === undefined) follower.firstRound = round
    follower.previous = previousIndex
    follower.refusedMs = undefined
    // A follower that needs a snapshot is asked about the empty log meanwhile.
    const isIdle = entries.length === 0 && previousIndex > 0
    return refusedMs !== undefined && isIdle && nowMs > refusedMs ? nowMs - refusedMs : undefined
  }

  /** An acknowledgement, or an answer to a piece of a snapshot, settles a refusal: the leader may have begun a snapshot. */
  received(from: string, message: RaftMessage, nowMs: number): void {
    if (message.kind !== 'append-response' && message.kind !== 'snapshot-response') return
    const follower = this.#of(from)
    const { index } = message
    const isRefusal = message.kind === 'append-response' && !message.success
    if (!isRefusal) follower.refusedMs = undefined
    if (message.kind === 'append-response' ? message.success : message.installed) {
      follower.match = greater(follower.match, index)
    }
    const { previous, firstRound, match } = follower
    if (!isRefusal || previous === undefined || message.round < firstRound) return
    if (previous > index && index >= match) follower.refusedMs = nowMs
  }

  #of(id: string): Follower {
    const known = this.#followers.get(id)
    if (known !== undefined) return known
    const follower: Follower = { previous: undefined, firstRound: 0, match: noIndex, refusedMs: undefined }
    this.#followers.set(id, follower)
    return follower
  }
}
