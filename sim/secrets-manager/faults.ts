import type { Env } from '../../src/env/env.ts'
import type { HttpRequest, HttpResponse } from '../../src/env/http.ts'
import { errors, wrapped } from './answers.ts'

/** How a call fails. All but `slow` and `half` leave the state of the secrets manager unchanged. */
export type FaultKind =
  /** Performed, and never answered. */
  | 'silent'
  /** Performed, and answered late. */
  | 'slow'
  /** 500 for no permanent reason. */
  | 'broken'
  /** 403, as by a policy. */
  | 'denied'
  /** No active node: 500. */
  | 'no-active-node'
  /** Performed, and only half of the answer's body arrives. */
  | 'half'
  /** Performed, and the issuer in the answer is another certificate. */
  | 'wrong-chain'

export interface Fault {
  readonly kind: FaultKind
  /** Number of further matching calls that fail. */
  readonly times: number
  /** `PUT connect-root/root/sign-self-issued`: prefix of method and path after `/v1/`. Empty: every call. */
  readonly call: string
  readonly delayMs?: number
}

/** Faults on demand; the first matching one applies. */
export class Faults {
  #waiting: { fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times })
  }

  clear(): void {
    this.#waiting = []
  }

  /** The fault that applies to this call, whose count decreases. */
  take({ method, target }: HttpRequest): Fault | undefined {
    const call = `${method} ${target.replace(/^\/v1\//, '')}`
    const found = this.#waiting.find(({ fault }) => call.startsWith(fault.call))
    if (found === undefined) return undefined
    found.left--
    if (found.left <= 0) this.#waiting = this.#waiting.filter((each) => each !== found)
    return found.fault
  }
}

/** The answer if the call is not performed; undefined: it is performed. */
export function answerInPlace({ kind }: Fault): HttpResponse | undefined {
  if (kind === 'broken') return wrapped(500, 'internal error')
  if (kind === 'denied') return wrapped(403, 'permission denied')
  return kind === 'no-active-node' ? errors(500, 'local node not active but active cluster node not found') : undefined
}

/** The answer to a performed call, changed by the fault. `other`: PEM of an unrelated certificate. */
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
