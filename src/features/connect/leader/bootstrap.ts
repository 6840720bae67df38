import { lowerAscii } from '../../../base/letter-case.ts'
import { uuidOf } from '../../../base/uuid.ts'
import { beginAuthority, takeSerialNumbers } from '../commands.ts'
import { commonProblem, readOptions } from '../options.ts'
import { nameOfKind } from '../provider/kind-names.ts'
import type { OpenProviders } from '../provider/open-providers.ts'
import type { AuthorityParts } from '../settings.ts'
import { did, failedBy, notReplicated, type Step } from './step.ts'

/**
 * Creates the first root and configuration from the settings of the leader; later values of these settings have no
 * effect. Two leaders may both try: the command of one begins the authority, and that of the other finds it begun.
 * Spec: CA-007, CA-011, CA-012.
 */
export class Bootstrap {
  readonly #parts: AuthorityParts
  readonly #providers: OpenProviders
  /** Drawn once, so that a repeated attempt asks the provider for the same root. */
  #clusterId = ''

  constructor(parts: AuthorityParts, providers: OpenProviders) {
    this.#parts = parts
    this.#providers = providers
  }

  async step(): Promise<Step> {
    const { server } = this.#parts
    const { mesh, env } = server
    if (mesh === undefined) return { kind: 'idle', forMs: Number.POSITIVE_INFINITY }
    const options = readOptions(mesh.options)
    if (!options.ok) return failedBy({ kind: 'refused', message: options.error })
    const problem = commonProblem(options.value, this.#parts.leafTtlMinMs)
    if (problem !== undefined) return failedBy({ kind: 'refused', message: `error configuring provider: ${problem}` })
    const clusterId = this.#identity(mesh.clusterId)
    const trustDomain = lowerAscii(`${clusterId}.${withoutDot(mesh.dnsDomain)}`)
    const provider = nameOfKind(mesh.provider)
    const serial = await server.propose(takeSerialNumbers, { count: 1 })
    if (!serial.ok) return notReplicated(serial.error)
    const wanted = { clusterId, trustDomain }
    const root = await this.#providers.rootOf(provider, options.value, wanted, serial.value.first)
    if (!root.ok) return failedBy(root.error)
    const begun = await server.propose(beginAuthority, {
      provider,
      options: options.value,
      ...wanted,
      root: root.value,
    })
    if (!begun.ok) return notReplicated(begun.error)
    if (begun.value) {
      const fields = { provider, trust_domain: trustDomain, root: root.value.id }
      env.log.write('info', 'connect', 'the certificate authority has begun', fields)
    }
    return did
  }

  #identity(given: string): string {
    if (this.#clusterId === '') {
      const { crypto } = this.#parts.server.env
      this.#clusterId = given === '' ? uuidOf(crypto.randomBytes(16)) : lowerAscii(given)
    }
    return this.#clusterId
  }
}

function withoutDot(domain: string): string {
  return domain.endsWith('.') ? domain.slice(0, -1) : domain
}
