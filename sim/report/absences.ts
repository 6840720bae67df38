import type { Meaning } from './meaning.ts'

/** A message that did not arrive, or did not arrive in time. */
export interface Drop {
  /** Number of the event that shows it. */
  readonly event: number
  readonly from: string
  readonly to: string
  readonly means: readonly Meaning[] | undefined
}

/**
 * Maximum number of drops remembered for each machine they were meant for, and of drops among the causes of one
 * timeout.
 */
const dropsMax = 256
const namedMax = 32
/** Maximum number of recent events whose first cause is remembered; a power of two. */
const recentMax = 1 << 17
/** Maximum number of steps by which a drop is followed back to the turn that waits for an answer. */
const stepsMax = 24

/** Timers by the names that their setters give them, and the messages that restart their wait. */
const silences: Readonly<Record<string, readonly string[]>> = {
  'raft.election': ['raft append-request', 'raft snapshot-chunk'],
  'raft.quorum': ['raft append-response', 'raft snapshot-response'],
}

/** Timers that wait for an answer to a message of the turn that set them. */
const answers: ReadonlySet<string> = new Set([
  'raft.election',
  'raft.transfer',
  'gossip.probe',
  'gossip.relay',
  'gossip.query',
  'rpc.answer',
  'http.answer',
  'tcp.answer',
  'dns.answer',
])

/**
 * The causes of a timeout are events that did not happen: messages that would have restarted its wait, or ended it, and
 * were lost. Kept only while a trace is written; limited in size.
 */
export class Absences {
  readonly #drops = new Map<string, Drop[]>()
  /** By machine and name of a timer, the last message that restarted its wait. */
  readonly #heard = new Map<string, { readonly event: number; readonly from: string }>()
  /** The last event by which a machine fell silent: it crashed, or was paused. */
  readonly #down = new Map<string, number>()
  readonly #parents = new Int32Array(recentMax)
  readonly #numbers = new Int32Array(recentMax)

  /** Records each event, with the first of its causes. */
  happened(event: number, cause: number): void {
    const at = event & (recentMax - 1)
    this.#numbers[at] = event
    this.#parents[at] = cause
  }

  dropped(drop: Drop): void {
    const drops = this.#drops.get(drop.to) ?? []
    drops.push(drop)
    if (drops.length > dropsMax) drops.shift()
    this.#drops.set(drop.to, drops)
  }

  fellSilent(event: number, node: string): void {
    this.#down.set(node, event)
  }

  arrived(event: number, from: string, at: string, means: readonly Meaning[] | undefined): void {
    for (const name of Object.keys(silences)) {
      if (isOfKind(name, means)) this.#heard.set(`${at} ${name}`, { event, from })
    }
  }

  /**
   * The causes of a firing timer, besides the turn that set it: the message that last restarted its wait, and messages
   * lost since.
   */
  of(waits: string, node: string, setBy: number): readonly number[] {
    const silent = silences[waits] === undefined ? [] : this.#silent(waits, node, setBy)
    return answers.has(waits) ? [...silent, ...this.#unanswered(setBy)] : silent
  }

  /** Number of events and drops that are remembered, for tests of the limit. */
  get retained(): { readonly drops: number; readonly heard: number } {
    let drops = 0
    for (const each of this.#drops.values()) drops += each.length
    return { drops, heard: this.#heard.size }
  }

  #silent(waits: string, node: string, setBy: number): readonly number[] {
    const heard = this.#heard.get(`${node} ${waits}`)
    const sinceEvent = heard?.event ?? setBy
    const lost = (this.#drops.get(node) ?? []).filter(
      ({ event, means, from }) =>
        event > sinceEvent &&
        (isOfKind(waits, means) || (means === undefined && (heard === undefined || heard.from === from))),
    )
    const named = lost.slice(-namedMax).map(({ event }) => event)
    if (heard === undefined) return named
    const down = this.#down.get(heard.from) ?? 0
    return down > heard.event ? [heard.event, down, ...named] : [heard.event, ...named]
  }

  /** The lost parts of a question that was sent in the turn of this event, and of its answers. */
  #unanswered(asked: number): readonly number[] {
    const lost: number[] = []
    for (const drops of this.#drops.values()) {
      for (const { event } of drops) if (event > asked && this.descends(event, asked)) lost.push(event)
    }
    return lost.sort((a, b) => a - b).slice(-namedMax)
  }

  /** Whether one event led to the other, by at most `stepsAtMost` first causes. */
  descends(event: number, from: number, stepsAtMost = stepsMax): boolean {
    for (let [at, steps] = [event, 0]; at >= from && steps <= stepsAtMost; steps++) {
      if (at === from) return true
      const place = at & (recentMax - 1)
      if (this.#numbers[place] !== at) return false
      at = this.#parents[place] as number
    }
    return false
  }
}

function isOfKind(waits: string, means: readonly Meaning[] | undefined): boolean {
  const kinds = silences[waits]
  return kinds !== undefined && means?.some(({ layer, name }) => kinds.includes(`${layer} ${name}`)) === true
}
