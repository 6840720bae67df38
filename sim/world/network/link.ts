import { invariant } from '../../../src/base/invariant.ts'
import type { Trace } from '../../report/trace.ts'
import type { Decisions } from '../decisions/decisions.ts'
import { type Identity, IdentityHash } from '../decisions/identity.ts'
import { microseconds, type RangeMs, rangeUs } from '../time-range.ts'
import type { Host } from './host.ts'
import { type Carried, type LinkFates, nameOfCarried, Passage } from './passage.ts'

/** How one direction of a link treats packets. Probabilities are from 0 to 1. */
export interface LinkOptions {
  readonly latencyMs?: RangeMs
  /** Mean of a further delay with a long tail (exponential). */
  readonly jitterMs?: number
  readonly loss?: number
  /** A firewall between them drops every datagram; connections pass. */
  readonly blocksDatagrams?: boolean
  /** For datagrams only, like the two below, because a stream repairs them. */
  readonly duplicate?: number
  /** Share of datagrams that are held back by `reorderMs`, so that later ones overtake them. */
  readonly reorder?: number
  readonly reorderMs?: RangeMs
  /** Probability that one bit of a datagram is flipped. */
  readonly corrupt?: number
  /**
   * Share of datagrams that arrive once more, later by `replayMs`: an attacker has recorded them, or a queue has kept
   * them.
   */
  readonly replay?: number
  readonly replayMs?: RangeMs
}

export const defaultLink: Required<LinkOptions> = {
  latencyMs: [0.2, 0.8],
  jitterMs: 0,
  loss: 0,
  blocksDatagrams: false,
  duplicate: 0,
  reorder: 0,
  reorderMs: [1, 20],
  corrupt: 0,
  replay: 0,
  replayMs: [10_000, 60_000],
}

/** Maximum number of datagrams under way on one link; further ones are lost, as in a router whose queue is full. */
const datagramsUnderWayMax = 4096

/** One direction between two machines. */
export class Link {
  readonly from: Host
  readonly to: Host
  cut = false
  /** Numbers of the events that cut it, and that changed its settings; 0: none. */
  cutBy = 0
  setBy = 0
  /** Number of datagrams under way. */
  underWay = 0
  #blocksDatagrams: boolean
  readonly #decisions: Decisions
  readonly #identity: Identity
  readonly #hash = new IdentityHash()
  #fates: LinkFates

  constructor(from: Host, to: Host, decisions: Decisions, options: Required<LinkOptions>) {
    this.from = from
    this.to = to
    this.#decisions = decisions
    this.#identity = decisions.identity('link', from.name, to.name)
    this.#fates = fatesOf(options)
    this.#blocksDatagrams = options.blocksDatagrams
  }

  set(options: Required<LinkOptions>): void {
    this.#fates = fatesOf(options)
    this.#blocksDatagrams = options.blocksDatagrams
  }

  /** The shortest delay: that of acknowledgements, which carry no data and have no draws. */
  get leastUs(): number {
    return this.#fates.latency.least
  }

  /** Whether a packet that is under way arrives now. */
  get isWhole(): boolean {
    return !this.cut && this.to.powered
  }

  /** Number of the event because of which packets are lost on it now; 0: its settings are those of the start. */
  get lossBy(): number {
    if (this.cut) return this.cutBy
    return this.to.powered ? this.setBy : this.to.downBy
  }

  /** For readers of the trace: a packet of a connection's protocol, which has no line of its own, is lost. */
  tellLost(trace: Trace, how: 'knock' | 'answer' | 'reset', stream: number, cause = trace.cause): void {
    const causes = [cause, this.lossBy]
    trace.tell('lost', this.from.number, { to: this.to.name, stream, size: 0, how }, causes)
  }

  get hasRoom(): boolean {
    return this.underWay < datagramsUnderWayMax
  }

  /**
   * The decisions about a packet that is sent on the link now: by its ends, its kind, its content, and the number of
   * the occurrence. `port`: the destination port.
   */
  passage(carried: Carried, port: number, content: Uint8Array): Passage {
    const { book } = this.#decisions
    const hash = this.#hash.from(this.#identity).integer(carried).integer(port)
    const occurrence = this.#decisions.occurrence(this.#decisions.content(hash, content))
    const passage = new Passage(occurrence, this.#fates, book)
    book?.describe(passage, this.#identity, [nameOfCarried(carried), port, content])
    return passage
  }

  /** The decisions about a part of it, each time that this part is sent. */
  passageOfPart(carried: Carried, whole: Passage, part: number): Passage {
    const { book } = this.#decisions
    const hash = this.#hash.from(whole).integer(carried).integer(part)
    const passage = new Passage(this.#decisions.occurrence(hash), this.#fates, book)
    book?.describe(passage, whole, [nameOfCarried(carried), part])
    return passage
  }

  /** Whether it is sent: both ends have power, the link is not cut, and it is not lost at random. */
  lets(passage: Passage): boolean {
    return this.isWhole && !passage.isLost()
  }

  /** The same of a datagram. */
  letsDatagram(passage: Passage): boolean {
    return this.lets(passage) && !this.#blocksDatagrams
  }
}

function fatesOf(options: Required<LinkOptions>): LinkFates {
  for (const name of ['loss', 'duplicate', 'reorder', 'corrupt', 'replay'] as const) {
    invariant(options[name] >= 0 && options[name] <= 1, 'a chance is from 0 to 1', { name, chance: options[name] })
  }
  return {
    latency: rangeUs(options.latencyMs),
    jitterUs: microseconds(options.jitterMs),
    loss: options.loss,
    duplicate: options.duplicate,
    reorder: options.reorder,
    reorderBy: rangeUs(options.reorderMs),
    corrupt: options.corrupt,
    replay: options.replay,
    replayBy: rangeUs(options.replayMs),
  }
}
