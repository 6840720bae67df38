import { ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { rootsEndpoint } from '../../features/connect/read-endpoints.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { type TrustDomains, trustDomainsOf } from '../../pki/trust-domains.ts'
import type { AnswerCache } from '../requests/asking/answer-cache.ts'

/** How long "the servers have no mesh" is cached: every connection needs this answer. */
const offMs = 10_000

/**
 * The cached trust domain of the mesh, with those of former meshes that are still accepted. It changes when the
 * datacenter joins the mesh of another, or when a snapshot of another mesh is restored, so it is refreshed like
 * everything that agents cache.
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

const anyServer = { consistency: 'stale', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' } as const

/** A server of a release without the mesh does not know this request. */
function isOff({ kind }: Failure): boolean {
  return kind === 'mesh-off' || kind === 'unknown-method'
}
