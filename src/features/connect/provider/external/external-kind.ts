import { err } from '../../../../base/result.ts'
import type { Env } from '../../../../env/env.ts'
import type { ProviderOptions } from '../../model.ts'
import { commonOptions, isHidden, textOption } from '../../options.ts'
import type { MeshIdentity, Provided, Provider, ProviderKind } from '../provider.ts'
import { ExternalProvider } from './external-provider.ts'
import { readAddress, readManagerOptions } from './options.ts'

const name = 'vault'

const mountOptions = ['RootPKIPath', 'IntermediatePKIPath'] as const
/** Options that decide which server receives the token. */
const toWhomOptions = ['Address', 'CAFile', 'TLSServerName', 'TLSSkipVerify'] as const

/** The external secrets manager. Reference: mesh.md#option-external. */
export const externalKind: ProviderKind = {
  name,
  title: 'Vault',
  secretOptions: ['Token', 'KeyFile'],
  knownOptions: [...commonOptions, ...mountOptions, ...toWhomOptions, 'Token', 'CertFile', 'KeyFile'],
  problem: (options) => {
    const read = readManagerOptions(options)
    return read.ok ? undefined : read.error
  },
  sameRoot,
  hiddenProblem,
  open: (env: Env, options: ProviderOptions, mesh: MeshIdentity): Provider => {
    const read = readManagerOptions(options)
    return read.ok ? new ExternalProvider(name, env, read.value, mesh) : new UnusableProvider(read.error)
  },
}

/**
 * The token is sent to the server at the address, if TLS proves its name. The key of `KeyFile` never leaves the
 * servers, so it may stay hidden.
 */
function hiddenProblem(stored: ProviderOptions, wished: ProviderOptions): string | undefined {
  if (!isHidden(wished, 'Token')) return undefined
  const [before, after] = [toWhom(stored), toWhom(wished)]
  const changed = toWhomOptions.filter((_, at) => before[at] !== after[at])
  if (changed.length === 0) return undefined
  const why = `the stored Token was given for another ${changed.join(', ')}, and is not sent to another place`
  return `${why}: give the Token again`
}

/** In the order of `toWhomOptions`, normalized so that two spellings of one address are equal. */
function toWhom(options: ProviderOptions): readonly string[] {
  const texts = toWhomOptions.map((option) => textOption(options, option))
  const address = readAddress(options)
  const skips = options['TLSSkipVerify'] === true
  return [address ?? texts[0] ?? '', texts[1] ?? '', texts[2] ?? '', String(skips)]
}

/**
 * Whether both options name one mount at one address. Two addresses may belong to one cluster, which the ID of the root
 * shows.
 */
function sameRoot(before: ProviderOptions, after: ProviderOptions): boolean {
  const [one, other] = [readManagerOptions(before), readManagerOptions(after)]
  if (!one.ok || !other.ok || one.value.rootPath !== other.value.rootPath) return false
  const [a, b] = [one.value.address, other.value.address]
  return a.scheme === b.scheme && a.host === b.host && a.port === b.port
}

/** Stands for stored options that this release cannot use: the authority reports that, and signs nothing. */
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
