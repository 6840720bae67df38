import type { Env } from '../../src/env/env.ts'
import type { HttpRequest, HttpResponse } from '../../src/env/http.ts'
import type { RandomStream } from '../../src/env/random.ts'
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
  /** 429: too many requests. */
  | 'busy'
  /** Performed, and the certificates in the answer cannot be read. */
  | 'garbled'
  /** Performed, and the answer has no data, nor the lifetime of a token. */
  | 'hollow'
  /** Performed, and the answer is longer than any caller accepts. */
  | 'long'
  /** 307 to itself, as a standby that sends callers to the active node, which answers. */
  | 'standby'
  /** 307 to itself, again and again. */
  | 'circular'

/** How one call goes in a bad mood. */
const moods: readonly (FaultKind | 'well')[] = [
  ...(['well', 'well', 'well', 'well', 'well', 'well', 'well', 'well'] as const),
  ...(['broken', 'denied', 'no-active-node', 'half', 'wrong-chain', 'busy', 'garbled', 'hollow'] as const),
  ...(['long', 'standby', 'circular', 'slow'] as const),
]

export interface Fault {
  /** `moody`: drawn for each call. */
  readonly kind: FaultKind | 'moody'
  /** Number of further matching calls that fail. */
  readonly times: number
  /** `PUT connect-root/root/sign-self-issued`: prefix of method and path after `/v1/`. Empty: every call. */
  readonly call: string
  readonly delayMs?: number
}

export interface TakenFault extends Fault {
  readonly kind: FaultKind
}

/** Query of a call that was redirected once. */
const followed = '?followed'
/** Bytes that a long answer has in addition. */
const excessBytes = 300_000

/** Faults on demand; the first matching one applies. */
export class Faults {
  #waiting: { fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times })
  }

  clear(): void {
    this.#waiting = []
  }

  /** The fault that applies to this call, whose count decreases. `draws`: of the mood. */
  take({ method, target }: HttpRequest, draws: () => RandomStream): TakenFault | undefined {
    const call = `${method} ${target.replace(/^\/v1\//, '')}`
    const found = this.#waiting.find(({ fault }) => call.startsWith(fault.call))
    if (found === undefined) return undefined
    found.left--
    if (found.left <= 0) this.#waiting = this.#waiting.filter((each) => each !== found)
    const { kind, ...fault } = found.fault
    if (kind !== 'moody') return { ...fault, kind }
    const mood = moods[draws().below(moods.length)] ?? 'well'
    return mood === 'well' ? undefined : { ...fault, kind: mood }
  }
}

/** The answer if the call is not performed; undefined: it is performed. */
export function answerInPlace({ kind }: TakenFault, { headers, target }: HttpRequest): HttpResponse | undefined {
  if (kind === 'busy') return errors(429, 'request path is rate limited')
  if (kind === 'circular' || (kind === 'standby' && !target.endsWith(followed))) {
    const location = `http://${headers.get('host') ?? ''}${target}${target.endsWith(followed) ? '' : followed}`
    return { status: 307, headers: [['Location', location]], body: '' }
  }
  if (kind === 'broken') return wrapped(500, 'internal error')
  if (kind === 'denied') return wrapped(403, 'permission denied')
  return kind === 'no-active-node' ? errors(500, 'local node not active but active cluster node not found') : undefined
}

function hollow(body: string): string {
  return body.replace(/"data":\{.*\}(?=,"wrap_info")/, '"data":null').replace(/"auth":\{.*\}(?=\}\n$)/, '"auth":null')
}

/** The answer to a performed call, changed by the fault. `other`: PEM of an unrelated certificate. */
export async function spoilt(env: Env, fault: TakenFault, answer: HttpResponse, other: string): Promise<HttpResponse> {
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
  if (kind === 'long') return { ...answer, body: `${body}${' '.repeat(excessBytes)}` }
  if (kind === 'hollow') return { ...answer, body: hollow(body) }
  if (kind === 'garbled') return { ...answer, body: body.replace(/MII[A-Za-z0-9+/]{8}/g, 'MIIunreadabl') }
  if (kind !== 'wrong-chain') return answer
  const escaped = other.replaceAll('\n', '\\n')
  return {
    ...answer,
    body: body
      .replace(/("issuing_ca":)"[^"]*"/, `$1"${escaped}"`)
      .replace(/("ca_chain":)\[[^\]]*\]/, `$1["${escaped}"]`),
  }
}
