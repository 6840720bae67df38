import { err } from '../../../../base/result.ts'
import type { Env } from '../../../../env/env.ts'
import type { ProviderOptions } from '../../model.ts'
import type { MeshIdentity, Provided, Provider, ProviderKind } from '../provider.ts'
import { ExternalProvider } from './external-provider.ts'
import { readManagerOptions } from './options.ts'

const name = 'vault'

/** The external secrets manager. Reference: connect, section 3. */
export const externalKind: ProviderKind = {
  name,
  title: 'Vault',
  secretOptions: ['Token', 'KeyFile'],
  problem: (options) => {
    const read = readManagerOptions(options)
    return read.ok ? undefined : read.error
  },
  sameRoot,
  open: (env: Env, options: ProviderOptions, mesh: MeshIdentity): Provider => {
    const read = readManagerOptions(options)
    return read.ok ? new ExternalProvider(name, env, read.value, mesh) : new UnusableProvider(read.error)
  },
}

/** One mount at one address. Two addresses may be of one cluster: its root's ID tells. */
function sameRoot(before: ProviderOptions, after: ProviderOptions): boolean {
  const [one, other] = [readManagerOptions(before), readManagerOptions(after)]
  if (!one.ok || !other.ok || one.value.rootPath !== other.value.rootPath) return false
  const [a, b] = [one.value.address, other.value.address]
  return a.scheme === b.scheme && a.host === b.host && a.port === b.port
}

/** Options that got into the state although this release cannot use them: the authority says so, and signs nothing. */
class UnusableProvider implements Provider {
  readonly name = name
  readonly #why: string

  constructor(why: string) {
    this.#why = why
  }

  root(): Provided<never> {
    return this.#refused()
  }

  signLeaf(): Provided<never> {
    return this.#refused()
  }

  crossSign(): Provided<never> {
    return this.#refused()
  }

  signIntermediate(): Provided<never> {
    return this.#refused()
  }

  close(): void {}

  async #refused(): Provided<never> {
    return err({ kind: 'refused', message: this.#why })
  }
}
