import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { WriteIdentity } from '../contract/command.ts'
import type { LeaderDuty, RunningDuty } from '../contract/duty.ts'
import { forecastOf } from './forecast.ts'
import { Steward } from './leader/steward.ts'
import { type ConfigurationWish, Updates } from './leader/updates.ts'
import { Signing } from './leaves/signing.ts'
import type { AuthorityForecast, IssuedLeaf } from './model.ts'
import { type AuthorityParts, type AuthorityServer, partsOf } from './parts.ts'
import { OpenProviders } from './provider/open-providers.ts'
import type { ProviderKind } from './provider/provider.ts'
import { providerKinds } from './provider/providers.ts'
import { meshIsOff } from './read-endpoints.ts'

/** The leader's part of the certificate authority. */
export const authorityDuty: LeaderDuty<AuthorityDuty, AuthorityServer> = {
  name: 'connect.authority',
  start: (server) => new AuthorityDuty(server, providerKinds(server.naming)),
}

export class AuthorityDuty implements RunningDuty {
  readonly #parts: AuthorityParts
  readonly #providers: OpenProviders
  readonly #steward: Steward | undefined
  readonly #updates: Updates
  readonly #signing: Signing

  constructor(server: AuthorityServer, kinds: readonly ProviderKind[]) {
    this.#parts = partsOf(server, kinds)
    this.#providers = new OpenProviders(this.#parts)
    this.#steward = meshIsOff(server) === undefined ? new Steward(this.#parts, this.#providers) : undefined
    this.#updates = new Updates(this.#parts, () => this.#steward?.problem ?? '')
    this.#signing = new Signing(this.#parts, this.#providers)
  }

  measure(): void {
    this.#steward?.measure()
  }

  close(): void {
    this.#signing.close()
    this.#updates.close()
    this.#steward?.close()
    this.#providers.close()
  }

  /** True: the configuration took effect. False: the configuration has another index than the wish named. */
  update(wish: ConfigurationWish, identity: WriteIdentity | undefined): Promise<Result<boolean, Failure>> {
    return this.#updates.update(wish, identity)
  }

  sign(requestPem: string, authorizer: Authorizer): Promise<Result<IssuedLeaf, Failure>> {
    return this.#signing.sign(requestPem, authorizer)
  }

  forecast(): AuthorityForecast {
    const { server, skewMs, leafTtlMinMs } = this.#parts
    const problem = this.#steward?.problem ?? ''
    return forecastOf(server.read(), { nowMs: server.env.clock.wallMs(), skewMs, leafTtlMinMs, problem })
  }
}
