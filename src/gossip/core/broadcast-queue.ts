import { itemAt } from '../../base/items.ts'
import { compoundMessageBytes } from './bounds.ts'
import type { Message } from './messages.ts'

interface Broadcast {
  readonly about: string
  readonly message: Message
  readonly bytes: number
  sent: number
  /** The message was sent often enough, outdated or displaced: it is still in its row, and is skipped. */
  isOver: boolean
}

/** Maximum number of messages that are skipped for their size before a packet is closed. */
const misfitsMax = 8

/** Rows are swept when they hold more finished messages than this, and these are more than half of all. */
const overMax = 64

/**
 * Messages that wait to be broadcast, at most one about each member: a newer one replaces the older. Messages sent
 * least often go first, and among them the newest (SWIM, section 4.1; memberlist `TransmitLimitedQueue`).
 *
 * Messages stand in rows by how often they were sent, so that an operation takes amortized constant time, however many
 * messages wait.
 */
export class BroadcastQueue {
  readonly #max: number
  readonly #byName = new Map<string, Broadcast>()
  /**
   * `#rows[n]` has the messages that were sent n times, the newest last. There are as many rows as a message is ever
   * sent.
   */
  readonly #rows: Broadcast[][] = [[]]
  /** Number of finished messages in the rows. */
  #over = 0

  /** Holds at most `max` messages; a further one displaces one of those that were sent most. */
  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#byName.size
  }

  has(about: string): boolean {
    return this.#byName.has(about)
  }

  add(about: string, message: Message, bytes: number): void {
    this.remove(about)
    if (this.#byName.size >= this.#max) this.#pushOut()
    const broadcast = { about, message, bytes, sent: 0, isOver: false }
    this.#byName.set(about, broadcast)
    this.#rows[0]?.push(broadcast)
  }

  remove(about: string): void {
    const broadcast = this.#byName.get(about)
    if (broadcast === undefined) return
    broadcast.isOver = true
    this.#byName.delete(about)
    this.#over++
    if (this.#over > this.#byName.size + overMax) this.#sweep()
  }

  /**
   * Moves messages that fit into `into`, counts each as sent once more, and drops those sent `limit` times. Returns the
   * bytes used, including the lengths in the compound.
   */
  take(into: Message[], bytesMax: number, messagesMax: number, limit: number): number {
    if (this.#byName.size === 0) return 0
    const taken: Broadcast[] = []
    let bytes = 0
    let misfits = 0
    for (const row of this.#rows) {
      for (let at = row.length - 1; at >= 0; at--) {
        const broadcast = itemAt(row, at)
        if (broadcast.isOver) {
          row.splice(at, 1)
          this.#over--
          continue
        }
        if (misfits >= misfitsMax || taken.length >= messagesMax) break
        const cost = broadcast.bytes + compoundMessageBytes
        if (bytes + cost > bytesMax) {
          misfits++
          continue
        }
        row.splice(at, 1)
        bytes += cost
        taken.push(broadcast)
      }
    }
    for (const broadcast of taken) into.push(broadcast.message)
    for (let at = taken.length - 1; at >= 0; at--) this.#sent(itemAt(taken, at), limit)
    return bytes
  }

  /** Counts a message as sent. The caller has taken it out of its row. */
  #sent(broadcast: Broadcast, limit: number): void {
    broadcast.sent++
    if (broadcast.sent >= limit) {
      this.#byName.delete(broadcast.about)
      return
    }
    while (this.#rows.length <= broadcast.sent) this.#rows.push([])
    this.#rows[broadcast.sent]?.push(broadcast)
  }

  #pushOut(): void {
    for (let sent = this.#rows.length - 1; sent >= 0; sent--) {
      const row = itemAt(this.#rows, sent)
      const oldest = row.find((broadcast) => !broadcast.isOver)
      if (oldest !== undefined) return this.remove(oldest.about)
    }
  }

  #sweep(): void {
    for (let sent = 0; sent < this.#rows.length; sent++) {
      this.#rows[sent] = itemAt(this.#rows, sent).filter((broadcast) => !broadcast.isOver)
    }
    this.#over = 0
  }
}
