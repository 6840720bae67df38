import { ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { meshIsOffLine } from '../../features/connect/model.ts'
import { rootsEndpoint } from '../../features/connect/read-endpoints.ts'
import type { Failure } from '../../model/failure.ts'
import { type TrustDomains, trustDomainsOf } from '../../pki/trust-domains.ts'
import type { AnswerCache } from '../asking/answer-cache.ts'

/** How long the answer that servers have no mesh is kept: it is needed for each connection. */
const offMs = 10_000

/**
 * The trust domain of the mesh, as an agent keeps it, with those of former meshes that count still. It changes when the datacenter
 * joins the mesh of another, and a state that is restored may be that of another mesh: so it is kept fresh, like all that agents keep.
 */
export class MeshDomains {
  readonly #clock: Env['clock']
  readonly #answers: Pick<AnswerCache, 'get'>
  #offSinceMs: number | undefined

  constructor({ clock }: Pick<Env, 'clock'>, answers: Pick<AnswerCache, 'get'>) {
    this.#clock = clock
    this.#answers = answers
  }

  /** Undefined: the servers have no mesh. */
  async of(): Promise<Result<TrustDomains | undefined, Failure>> {
    if (this.#offSinceMs !== undefined && this.#clock.monoMs() - this.#offSinceMs < offMs) return ok(undefined)
    this.#offSinceMs = undefined
    const asked = await this.#answers.get(rootsEndpoint, {}, anyServer, { revalidate: false }, {})
    if (asked.ok) {
      const { trustDomain, roots } = asked.value.answer.value
      return ok(
        trustDomainsOf(
          trustDomain,
          roots.map(({ clusterId }) => clusterId),
        ),
      )
    }
    if (!isOff(asked.error)) return asked
    this.#offSinceMs = this.#clock.monoMs()
    return ok(undefined)
  }
}

const anyServer = { consistency: 'stale', minIndex: 0, waitMs: 0, maxStaleMs: 0, datacenter: '' } as const

function isOff(failure: Failure): boolean {
  // A server of a release without the mesh does not know the question.
  if (failure.kind === 'unknown-method') return true
  return failure.kind === 'refused' && failure.message === meshIsOffLine
}
