import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { TcpStream } from '../env/net.ts'
import { Splice } from './splice.ts'

/** Connections through one listener at a time, those counted that wait to be let through; one more is closed at once. */
const splicesMax = 4_096

/** What goes on through one listener. */
export class Splices implements Closable {
  readonly #open = new Set<Splice>()
  #whenOver: (() => void)[] = []

  /** In the turn in which the stream is handed over. Undefined: there is no room. */
  begin(first: TcpStream): Splice | undefined {
    if (this.#open.size >= splicesMax) {
      first.onClose(() => undefined)
      first.close()
      return undefined
    }
    const splice: Splice = new Splice(first, () => this.#over(splice))
    this.#open.add(splice)
    return splice
  }

  /** Settled when nothing goes on any more. */
  over(env: Pick<Env, 'deferred'>): Promise<void> {
    const over = env.deferred<void>()
    if (this.#open.size === 0) over.resolve()
    else this.#whenOver.push(() => over.resolve())
    return over.promise
  }

  close(): void {
    for (const splice of [...this.#open]) splice.close()
  }

  #over(splice: Splice): void {
    this.#open.delete(splice)
    if (this.#open.size === 0) for (const tell of this.#whenOver.splice(0)) tell()
  }
}
