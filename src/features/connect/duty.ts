import type { Authorizer } from '../../access/authorizer.ts'
import { err, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Failure } from '../../model/failure.ts'
import type { LeaderDuty, ServerContext, WriteIdentity } from '../manifest.ts'
import { forecastOf } from './forecast.ts'
import { defaultSkewMs } from './limits.ts'
import type { AuthorityForecast, IssuedLeaf, ProviderOptions } from './model.ts'

/** The leader's part of the certificate authority. */
export const authorityDuty: LeaderDuty<AuthorityDuty> = {
  name: 'connect.authority',
  start: (server) => new AuthorityDuty(server),
}

export interface ConfigurationWish {
  readonly provider: string
  readonly options: ProviderOptions
  /** Only where the configuration has this ModifyIndex; null: wherever. */
  readonly onlyAt: number | null
}

export class AuthorityDuty implements Closable {
  readonly #server: ServerContext

  constructor(server: ServerContext) {
    this.#server = server
  }

  close(): void {}

  async update(_wish: ConfigurationWish, _identity: WriteIdentity | undefined): Promise<Result<boolean, Failure>> {
    return err(notYet)
  }

  async sign(_csr: string, _authorizer: Authorizer): Promise<Result<IssuedLeaf, Failure>> {
    return err(notYet)
  }

  forecast(): AuthorityForecast {
    const { env, mesh } = this.#server
    const basis = { nowMs: env.clock.wallMs(), skewMs: mesh?.skewMs ?? defaultSkewMs, problem: '' }
    return forecastOf(this.#server.read(), basis)
  }
}

const notYet: Failure = { kind: 'refused', message: 'this server has no provider of certificates yet' }
