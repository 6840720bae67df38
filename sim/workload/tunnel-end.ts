import { utf8 } from '../../src/base/bytes.ts'
import type { Closable } from '../../src/env/async.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint, TcpStream } from '../../src/env/net.ts'

/** Time limit for a connection to the listener, and for each byte to return. */
const dialWithinMs = 5_000
const echoWithinMs = 10_000
const word = utf8('x')

/** One end of a connection over the mesh: sends a byte, and receives it again. */
export class TunnelEnd implements Closable {
  readonly #env: Env
  readonly #stream: TcpStream
  #heard: ((why: string | undefined) => void) | undefined
  #over: string | undefined

  private constructor(env: Env, stream: TcpStream) {
    this.#env = env
    this.#stream = stream
    stream.onData(() => this.#settle(undefined))
    stream.onEnd(() => this.#ended('the other end says no more'))
    stream.onClose((why) => this.#ended(`it is over: ${why}`))
  }

  /** Undefined: the connection was not accepted. */
  static async open(env: Env, to: Endpoint): Promise<TunnelEnd | undefined> {
    const dialled = await env.tcp.dial(to, { timeoutMs: dialWithinMs })
    return dialled.ok ? new TunnelEnd(env, dialled.value) : undefined
  }

  /** Why the byte did not return; undefined: it did. One call at a time. */
  async echo(): Promise<string | undefined> {
    if (this.#over !== undefined) return this.#over
    const heard = this.#env.deferred<string | undefined>()
    this.#heard = (why) => heard.resolve(why)
    const late = this.#env.timers.after(echoWithinMs, () => this.#settle('nothing comes back'))
    this.#stream.write(word)
    const why = await heard.promise
    late.close()
    return why
  }

  close(): void {
    this.#stream.close()
  }

  #ended(why: string): void {
    this.#over ??= why
    this.#settle(why)
  }

  #settle(why: string | undefined): void {
    const heard = this.#heard
    this.#heard = undefined
    heard?.(why)
  }
}
