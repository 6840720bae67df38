import { concatBytes, textOf } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { DialOptions, Endpoint, TcpListener, TcpStream } from '../../../src/env/net.ts'

/** Things that were told, in order, and promises of those to come. */
export class Notes {
  readonly told: string[] = []
  readonly #env: Env
  #waiting: { readonly until: () => boolean; readonly go: () => void }[] = []

  constructor(env: Env) {
    this.#env = env
  }

  tell(event: string): void {
    this.told.push(event)
    this.look()
  }

  has(event: string): boolean {
    return this.told.includes(event)
  }

  /** Resolves once `condition` holds, looked at after everything that is told. */
  until(condition: () => boolean): Promise<void> {
    const { promise, resolve } = this.#env.deferred<void>()
    this.#waiting.push({ until: condition, go: () => resolve() })
    this.look()
    return promise
  }

  heard(event: string): Promise<void> {
    return this.until(() => this.has(event))
  }

  look(): void {
    const ready = this.#waiting.filter((each) => each.until())
    this.#waiting = this.#waiting.filter((each) => !ready.includes(each))
    for (const each of ready) each.go()
  }
}

/** Sets every handler of a stream: `end`, `drain`, `close:<why>` are told; data is kept. */
export class Observed extends Notes {
  readonly stream: TcpStream
  readonly #pieces: Uint8Array[] = []
  length = 0

  constructor(env: Env, stream: TcpStream) {
    super(env)
    this.stream = stream
    stream.onData((bytes) => {
      this.#pieces.push(bytes)
      this.length += bytes.length
      this.look()
    })
    stream.onEnd(() => this.tell('end'))
    stream.onDrain(() => this.tell('drain'))
    stream.onClose((why) => this.tell(`close:${why}`))
  }

  get bytes(): Uint8Array {
    return concatBytes(this.#pieces)
  }

  get text(): string {
    return textOf(this.bytes)
  }

  received(length: number): Promise<void> {
    return this.until(() => this.length >= length)
  }
}

export async function pause(env: Env, ms: number): Promise<void> {
  const { promise, resolve } = env.deferred<void>()
  env.timers.after(ms, () => resolve())
  await promise
}

/**
 * Looks again and again until this is so, doing `between` before each look: for what comes by itself, on a busy machine
 * late, or what may be lost and is sent again. Bounded, so that the law says what it waited for.
 */
export async function eventually(
  env: Env,
  what: string,
  isSo: () => boolean | Promise<boolean>,
  between: () => void = () => undefined,
): Promise<void> {
  for (let looks = 0; looks < 4_000; looks++) {
    between()
    await pause(env, 5)
    if (await isSo()) return
  }
  throw new Error(`in vain: ${what}`)
}

/** The value, or the failure thrown: for what a law takes for granted. */
export async function got<T>(
  result: Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }>,
): Promise<T> {
  const settled = await result
  if (settled.ok) return settled.value
  throw new Error(`taken for granted, but: ${JSON.stringify(settled.error)}`)
}

/** The kind of failure, or `none`. */
export async function failureOf(
  result: Promise<
    { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: { readonly kind: string } }
  >,
): Promise<string> {
  const settled = await result
  return settled.ok ? 'none' : settled.error.kind
}

export interface Pair {
  readonly dialler: Observed
  readonly accepted: Observed
  readonly listener: TcpListener
}

/** A connection from `peer` to a listener of `env`. */
export async function connected(
  env: Env,
  peer: Env,
  host: string,
  options: DialOptions = { timeoutMs: 5_000 },
): Promise<Pair> {
  const arrived = env.deferred<Observed>()
  const listener = await got(env.tcp.listen({ host, port: 0 }, (stream) => arrived.resolve(new Observed(env, stream))))
  const dialler = new Observed(peer, await got(peer.tcp.dial(listener.local, options)))
  return { dialler, accepted: await arrived.promise, listener }
}

/** Bytes that tell their place. */
export function pattern(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  let value = seed
  for (let at = 0; at < length; at++) {
    value = (Math.imul(value, 1_103_515_245) + 12_345) | 0
    bytes[at] = value >>> 16
  }
  return bytes
}

/** An address of which no machine here has any. */
export const foreign: Endpoint = { host: '192.0.2.1', port: 7 }
