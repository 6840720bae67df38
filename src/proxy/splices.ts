import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type TcpStream } from '../env/net.ts'
import { Splice } from './splice.ts'

/**
 * Maximum number of connections through one listener at a time, including those that wait for authorization; a further
 * one is closed at once. Fewer than a host's listener accepts, so that this can be logged here.
 */
export const splicesMax = 8_000
/** Minimum interval between reports that there is no room. */
const sayAgainMs = 10_000

/** The connections through one listener. */
export class Splices implements Closable {
  readonly #env: Pick<Env, 'deferred' | 'clock' | 'log' | 'metrics'>
  readonly #at: Endpoint
  readonly #open = new Set<Splice>()
  #whenOver: (() => void)[] = []
  #turnedAway = 0
  #saidMs = Number.NEGATIVE_INFINITY

  /** `at`: the address of the listener, for the log. */
  constructor(env: Pick<Env, 'deferred' | 'clock' | 'log' | 'metrics'>, at: Endpoint) {
    this.#env = env
    this.#at = at
  }

  /** Must be called in the turn in which the stream is received. Undefined: there is no room. */
  begin(first: TcpStream): Splice | undefined {
    if (this.#open.size >= splicesMax) {
      first.onClose(() => undefined)
      first.close()
      this.#turnAway()
      return undefined
    }
    const splice: Splice = new Splice(first, () => this.#over(splice))
    this.#open.add(splice)
    return splice
  }

  /** Settles when all have ended. */
  over(): Promise<void> {
    const over = this.#env.deferred<void>()
    if (this.#open.size === 0) over.resolve()
    else this.#whenOver.push(() => over.resolve())
    return over.promise
  }

  close(): void {
    for (const splice of [...this.#open]) splice.close()
  }

  #turnAway(): void {
    this.#turnedAway++
    this.#env.metrics.count('proxy.full')
    const nowMs = this.#env.clock.monoMs()
    if (nowMs - this.#saidMs < sayAgainMs) return
    this.#saidMs = nowMs
    const text = 'Connections are refused: the listener of the proxy has reached its limit of open connections'
    const fields = { at: endpointText(this.#at), open: this.#open.size, turnedAway: this.#turnedAway }
    this.#env.log.write('warn', 'proxy', text, fields, 'sampled')
  }

  #over(splice: Splice): void {
    this.#open.delete(splice)
    if (this.#open.size === 0) for (const tell of this.#whenOver.splice(0)) tell()
  }
}
