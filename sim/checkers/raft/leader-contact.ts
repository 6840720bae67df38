import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { checker } from '../checker.ts'
import type { ServerTiming } from '../process-facts.ts'

/** Maximum gap between two messages of a leader within one contact. */
const gapUs = 1_000_000

interface Heard {
  /** When the last message came. */
  atUs: number
  /** Since when messages have come without a gap. */
  sinceUs: number
}

/**
 * When each server last received an append or a piece of a snapshot from a leader. A leader counts as in contact with
 * itself.
 */
export class LeaderContact {
  readonly #nowUs: () => number
  readonly #heard = new Map<string, Heard>()
  readonly #leading = new Set<string>()
  /** Running servers that have not heard a leader since they began. */
  readonly #silent = new Set<string>()
  /** The last time at which a server began anew, resumed after a pause, or heard a leader after a gap. */
  #changedUs = 0
  #lapseUs = 0

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs
  }

  began(node: string, timing: ServerTiming | undefined): void {
    this.gone(node)
    this.#changedUs = this.#nowUs()
    if (timing === undefined) return
    this.#lapseUs = Math.max(this.#lapseUs, (timing.heartbeatTimeoutMs + timing.leaderLeaseMs) * 1000)
  }

  /** The process that has just begun is that of a server. */
  serves(node: string): void {
    if (!this.#heard.has(node)) this.#silent.add(node)
  }

  gone(node: string): void {
    this.#heard.delete(node)
    this.#silent.delete(node)
    this.#leading.delete(node)
  }

  resumed(): void {
    this.#changedUs = this.#nowUs()
  }

  received(node: string, message: RaftMessage): void {
    if (message.kind === 'append-request' || message.kind === 'snapshot-chunk') this.#hears(node)
  }

  leads(node: string): void {
    this.#hears(node)
    this.#leading.add(node)
  }

  leadsNoMore(node: string): void {
    if (!this.#leading.delete(node)) return
    this.#hears(node)
  }

  #hears(node: string): void {
    const nowUs = this.#nowUs()
    this.#silent.delete(node)
    const heard = this.#heard.get(node)
    if (heard !== undefined && (nowUs - heard.atUs <= gapUs || this.#leading.has(node))) {
      heard.atUs = nowUs
      return
    }
    this.#heard.set(node, { atUs: nowUs, sinceUs: nowUs })
    this.#changedUs = nowUs
  }

  /** When this server last heard a leader, and since when without a gap; undefined: never. */
  of(node: string): Readonly<Heard> | undefined {
    const heard = this.#heard.get(node)
    if (heard === undefined || !this.#leading.has(node)) return heard
    return { ...heard, atUs: this.#nowUs() }
  }

  /** When any running server last heard a leader; undefined: none has since it began. */
  lastUs(): number | undefined {
    const all = [...this.#heard.keys()].map((node) => this.of(node)?.atUs ?? 0)
    return all.length === 0 ? undefined : Math.max(...all)
  }

  /** Since when every running server has heard a leader at least once; 0: one has not since it began. */
  get byAllUs(): number {
    if (this.#silent.size > 0) return 0
    return Math.min(this.#nowUs(), ...[...this.#heard.keys()].map((node) => this.of(node)?.atUs ?? 0))
  }

  /**
   * When a server last came back into contact with its leader: until it has caught up, its state is older than its
   * contact.
   */
  get changedUs(): number {
    return this.#changedUs
  }

  /** How long a deposed leader may still consider itself the leader. */
  get lapseUs(): number {
    return this.#lapseUs
  }
}

export const leaderContact = checker({
  codes: {},
  make: (run) => new LeaderContact(run.nowUs),
  takes: {
    'process began': (it, { node, timing }) => it.began(node, timing),
    'settings read': (it, { config: { server, nodeName } }) => {
      if (server) it.serves(nodeName)
    },
    'process died': (it, { node }) => it.gone(node),
    'process resumed': (it) => it.resumed(),
    'message received': (it, { node, message }) => it.received(node, message),
    'leader began': (it, { node }) => it.leads(node),
    'leader ended': (it, { node }) => it.leadsNoMore(node),
  },
})
