import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { msOfDigits } from '../pki/utc-time.ts'

/** The wall clock may be set, so it is looked at this often at least. */
const lookMs = 60_000
/** While there is no new leaf it is said again after this. */
const sayAgainMs = 3_600_000
/** An agent renews a leaf before nine tenths of its life are over. */
const lateFraction = 0.92

/** When a leaf holds, as the agent writes it: RFC 3339 in UTC. */
export interface LeafTerm {
  readonly ValidAfter: string
  readonly ValidBefore: string
}

/** Says when the leaf of a proxy is about to expire or has, because its agent gives no new one. */
export class LeafExpiry implements Closable {
  readonly #env: Pick<Env, 'clock' | 'timers' | 'log'>
  readonly #service: string
  #timer: Closable | undefined
  #saidMs: number | undefined
  #saidExpired = false

  constructor(env: Pick<Env, 'clock' | 'timers' | 'log'>, service: string) {
    this.#env = env
    this.#service = service
  }

  /** From now on this one counts. One whose term cannot be read is not watched. */
  follow({ ValidAfter, ValidBefore }: LeafTerm): void {
    this.close()
    this.#saidMs = undefined
    this.#saidExpired = false
    const from = momentOf(ValidAfter)
    const until = momentOf(ValidBefore)
    if (from !== undefined && until !== undefined) this.#look(from + (until - from) * lateFraction, until, ValidBefore)
  }

  close(): void {
    this.#timer?.close()
  }

  #look(lateMs: number, untilMs: number, until: string): void {
    const nowMs = this.#env.clock.wallMs()
    if (nowMs >= lateMs) this.#say(nowMs >= untilMs, until)
    const nextMs = nowMs < lateMs ? lateMs : untilMs
    const waitMs = nowMs < nextMs ? Math.min(lookMs, nextMs - nowMs) : lookMs
    this.#timer = this.#env.timers.after(waitMs, () => this.#look(lateMs, untilMs, until))
  }

  #say(isExpired: boolean, until: string): void {
    const nowMs = this.#env.clock.monoMs()
    const isNew = isExpired && !this.#saidExpired
    if (this.#saidMs !== undefined && nowMs - this.#saidMs < sayAgainMs && !isNew) return
    this.#saidMs = nowMs
    this.#saidExpired = isExpired
    const text = isExpired
      ? 'The leaf certificate has expired, and the agent gives no new one: new connections fail until it does'
      : 'The leaf certificate expires soon, and the agent gives no new one'
    this.#env.log.write(isExpired ? 'error' : 'warn', 'proxy', text, { service: this.#service, until })
  }
}

function momentOf(text: string): number | undefined {
  return msOfDigits(text.replace(/\D/g, '').slice(0, 14))
}
