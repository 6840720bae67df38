import { z } from 'zod'
import { hex, utf8 } from '../../base/bytes.ts'
import { parseDuration } from '../../base/duration.ts'
import { type Json, writeJson } from '../../base/json.ts'
import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Failure } from '../../model/failure.ts'
import { blockingJitterFraction, blockingWaitDefaultMs, blockingWaitMaxMs } from '../../model/limits.ts'
import type { CallOptions } from '../contract/call.ts'
import { badRequest, failed, type NamesOf, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithLocal } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { durationText, parameter } from '../http/declared.ts'

export const hashParameters = [
  parameter('hash', z.string(), 'Wait until the hash differs from this one.'),
  parameter('wait', durationText, 'Maximum wait: 5 minutes if absent, and at most 10.'),
] as const

export type HashRequest = RouteRequest<NamesOf<typeof hashParameters>>

/** The answer, and the part of it that is hashed. */
export interface Hashed {
  readonly hashed: Json
  shown(contentHash: string): Json
}

/**
 * Answers with a service of this agent. A caller that passes a hash is answered when the hash changes, or when its wait
 * is over. `look` may wait for rights, and is called once more after that. Reference: agent.md#hash-based-blocking.
 */
export async function whenAnother(
  context: WithEnv & WithLocal,
  request: HashRequest,
  look: () => Promise<Result<Hashed, Failure>>,
): Promise<RouteResponse> {
  const { env } = context
  const waitMs = waitFrom(request)
  if (waitMs === undefined) return badRequest('Invalid wait time')
  const known = request.query.get('hash') ?? ''
  const drawn = env.random.draws('blocking.jitter', 'hash', known).fraction()
  const endMs = env.clock.monoMs() + waitMs + (drawn * waitMs) / blockingJitterFraction
  let waiting: WaitingCaller | undefined
  for (;;) {
    const found = await look()
    if (!found.ok) return failed(found.error)
    // 64 bits in hexadecimal digits, without leading zeros.
    const content = hex(env.crypto.sha256(utf8(writeJson(found.value.hashed))))
    const contentHash = content.slice(0, 16).replace(/^0+(?=.)/, '')
    const leftMs = endMs - env.clock.monoMs()
    if (known !== contentHash || leftMs <= 0) {
      return { kind: 'json', value: found.value.shown(contentHash), contentHash }
    }
    waiting ??= new WaitingCaller(context, request.call)
    await waiting.forChange(leftMs)
    if (waiting.isGone) return failed({ kind: 'cancelled' })
  }
}

/** Undefined: not a duration. */
function waitFrom(request: HashRequest): number | undefined {
  const text = request.query.get('wait') ?? ''
  const wait = parseDuration(text === '' ? '0' : text)
  if (!wait.ok) return undefined
  return wait.value <= 0 ? blockingWaitDefaultMs : Math.min(wait.value, blockingWaitMaxMs)
}

/** It is told once that its caller has gone, however many changes it waits for: each listener lives as long as the call. */
class WaitingCaller {
  readonly #context: WithEnv & WithLocal
  #end: () => void = () => undefined
  #isGone = false

  constructor(context: WithEnv & WithLocal, call: CallOptions) {
    this.#context = context
    call.onAbort?.(() => {
      this.#isGone = true
      this.#end()
    })
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Settles when services changed, the wait is over, or the caller has gone away. */
  async forChange(waitMs: number): Promise<void> {
    if (this.#isGone) return
    const { env, local } = this.#context
    const { promise, resolve } = env.deferred<void>()
    this.#end = () => resolve()
    const open: Closable[] = [local.onServicesChange(this.#end), env.timers.after(waitMs, this.#end)]
    await promise
    for (const each of open) each.close()
  }
}
