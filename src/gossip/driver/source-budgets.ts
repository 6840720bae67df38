import type { Clock } from '../../env/clock.ts'
import { ipBytes } from '../wire/ip-bytes.ts'
import { WorkBudget } from './work-budget.ts'

/**
 * The work that the streams of one source may cause. A source is an IPv4 address, or a network of IPv6 (64 bits), of
 * which one machine may have all addresses. At once: two exchanges of a pool of 10,000 members, each some 15,000,000
 * with decoding, merging and the answer. In the long run: one in 15 seconds, 3 % of a core, where such a pool exchanges
 * states every five minutes.
 */
const burstWork = 32 << 20
const workPerMs = 1 << 10

/** Number of sources that have budgets of their own; all beyond this number share one budget. */
const sourcesMax = 4_096

/** Minimum interval between searches for sources that have used nothing lately. */
const sweepMs = 1_000

/** Budgets by source. A stream's source has proved its address by the handshake, so that each can have a budget. */
export class SourceBudgets {
  readonly #clock: Clock
  readonly #sources = new Map<string, WorkBudget>()
  readonly #others: WorkBudget
  #sweptMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
    this.#others = new WorkBudget(clock, burstWork, workPerMs)
  }

  of(host: string): WorkBudget {
    const source = sourceOf(host)
    const known = this.#sources.get(source)
    if (known !== undefined) return known
    if (this.#sources.size >= sourcesMax) this.#sweep()
    if (this.#sources.size >= sourcesMax) return this.#others
    const budget = new WorkBudget(this.#clock, burstWork, workPerMs)
    this.#sources.set(source, budget)
    return budget
  }

  #sweep(): void {
    const nowMs = this.#clock.monoMs()
    if (nowMs - this.#sweptMs < sweepMs) return
    this.#sweptMs = nowMs
    for (const [source, budget] of this.#sources) if (budget.isFull) this.#sources.delete(source)
  }
}

function sourceOf(host: string): string {
  const bytes = ipBytes(host)
  return bytes?.length === 16 ? bytes.subarray(0, 8).join('.') : (bytes?.join('.') ?? host)
}
