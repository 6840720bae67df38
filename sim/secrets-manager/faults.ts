import type { Env } from '../../src/env/env.ts'
import type { HttpRequest, HttpResponse } from '../../src/env/http.ts'
import { errors, wrapped } from './answers.ts'

/** What goes wrong with a call. All but `slow` and `half` leave the secrets manager as it was. */
export type FaultKind =
  /** Carried out, and never answered. */
  | 'silent'
  /** Carried out, and answered late. */
  | 'slow'
  /** 500 without a reason that lasts. */
  | 'broken'
  /** 403, as of a policy. */
  | 'denied'
  /** No active node: 500. */
  | 'no-active-node'
  /** Carried out, and half of the answer's body comes. */
  | 'half'
  /** Carried out, and what is given as the issuer is another certificate. */
  | 'wrong-chain'

export interface Fault {
  readonly kind: FaultKind
  /** Of the calls that match: how many more go wrong. */
  readonly times: number
  /** `PUT connect-root/root/sign-self-issued`: method and path behind `/v1/` begin so. Empty: every call. */
  readonly call: string
  readonly delayMs?: number
}

/** Faults on demand, the first that matches. */
export class Faults {
  #waiting: { fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times })
  }

  clear(): void {
    this.#waiting = []
  }

  /** The one that befalls this call, and has one less to go. */
  take({ method, target }: HttpRequest): Fault | undefined {
    const call = `${method} ${target.replace(/^\/v1\//, '')}`
    const found = this.#waiting.find(({ fault }) => call.startsWith(fault.call))
    if (found === undefined) return undefined
    found.left--
    if (found.left <= 0) this.#waiting = this.#waiting.filter((each) => each !== found)
    return found.fault
  }
}

/** What is answered in place of carrying the call out; undefined: it is carried out. */
export function answerInPlace({ kind }: Fault): HttpResponse | undefined {
  if (kind === 'broken') return wrapped(500, 'internal error')
  if (kind === 'denied') return wrapped(403, 'permission denied')
  return kind === 'no-active-node' ? errors(500, 'local node not active but active cluster node not found') : undefined
}

/**
 * What becomes of the answer to a call that was carried out. `other`: PEM of a certificate that has nothing to do with
 * it.
 */
export async function spoilt(env: Env, fault: Fault, answer: HttpResponse, other: string): Promise<HttpResponse> {
  const { kind, delayMs = 5_000 } = fault
  if (kind === 'silent') return env.deferred<HttpResponse>().promise
  if (kind === 'slow') {
    const late = env.deferred<HttpResponse>()
    env.timers.after(delayMs, () => late.resolve(answer))
    return late.promise
  }
  const { body } = answer
  if (typeof body !== 'string') return answer
  if (kind === 'half') return { ...answer, body: body.slice(0, Math.floor(body.length / 2)) }
  const escaped = other.replaceAll('\n', '\\n')
  return {
    ...answer,
    body: body
      .replace(/("issuing_ca":)"[^"]*"/, `$1"${escaped}"`)
      .replace(/("ca_chain":)\[[^\]]*\]/, `$1["${escaped}"]`),
  }
}
