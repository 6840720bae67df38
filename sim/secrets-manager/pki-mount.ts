import { equalBytes } from '../../src/base/bytes.ts'
import { utcText } from '../../src/base/utc-text.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpResponse } from '../../src/env/http.ts'
import type { Certificate } from '../../src/pki/certificate.ts'
import { usesOfAuthority } from '../../src/pki/extensions.ts'
import { errors, frame, type Members, nothing, wrapped } from './answers.ts'
import { authorityUses, crossed, intermediateFor, leafFor, readChain, readCsr, rootOf, serialText } from './issuing.ts'
import { OwnAuthority } from './own-authority.ts'
import { type Body, notConverted, secondsOf, textIn, urisOf } from './request-body.ts'
import { type Role, roleOf } from './roles.ts'

/** Leases of a mount, in seconds. */
export interface Leases {
  readonly max: number
  readonly default: number
}

const outlives =
  "The expiration time for the signed certificate is after the CA's expiration time. If the new certificate is not treated as a root, validation paths with the certificate past the issuing CA's expiration time will fail."
const pathLengthZero =
  'Max path length of the signed certificate is zero. This certificate cannot be used to issue intermediate CA certificates.'

/**
 * One mount of the PKI engine: at most one certificate authority, and roles. It behaves as recorded
 * (`test/golden/secrets-manager`).
 */
export class PkiMount {
  readonly own: OwnAuthority
  readonly #env: Env
  readonly #requestId: () => string
  readonly #roles = new Map<string, Role>()

  constructor(env: Env, requestId: () => string) {
    this.#env = env
    this.#requestId = requestId
    this.own = new OwnAuthority(env, requestId)
  }

  role(name: string): Role | undefined {
    return this.#roles.get(name)
  }

  writeRole(name: string, body: Body): HttpResponse {
    const role = roleOf(body)
    if (typeof role === 'string') return role.startsWith('error converting') ? wrapped(500, role) : errors(400, role)
    this.#roles.set(name, role)
    return nothing
  }

  deleteRole(name: string): HttpResponse {
    this.#roles.delete(name)
    return nothing
  }

  deleteRoles(): void {
    this.#roles.clear()
  }

  async generateRoot(body: Body, leases: Leases, path: string): Promise<HttpResponse> {
    if (this.own.hasKey) {
      const text = `Refusing to generate a root certificate over an existing root certificate. If you really want to destroy the original root certificate, please issue a delete against ${path}/root.`
      return frame(this.#requestId(), null, { warnings: [text] })
    }
    const key = await this.own.newKey(body)
    if (typeof key === 'string') return errors(400, key)
    const ttl = this.#ttl(body, leases)
    if (ttl === undefined) return wrapped(500, notConverted(body['ttl'], 'ttl'))
    const root = rootOf(this.#env, key, textIn(body, 'common_name'), urisOf(body), ttl)
    this.own.isRoot(key, root)
    return this.#issued(root, root, {})
  }

  signLeaf(roleName: string, body: Body, leases: Leases): HttpResponse {
    const role = this.#roles.get(roleName)
    if (role === undefined) return errors(400, `unknown role: ${roleName}`)
    const csr = readCsr(this.#env, body['csr'])
    if (typeof csr === 'string') return errors(400, csr)
    const asked = secondsOf(body['ttl'])
    if (asked === undefined) return wrapped(500, notConverted(body['ttl'], 'ttl'))
    const authority = this.own.toSign()
    if (typeof authority === 'string') return wrapped(500, authority)
    if (csr.uris.some((uri) => !role.allowsUri(uri))) {
      return errors(400, 'URI Subject Alternative Names were provided via CSR which are not valid for this role')
    }
    const ttl = Math.min(asked || role.ttl || leases.default, role.maxTtl || leases.max)
    const endMs = this.#env.clock.wallMs() + ttl * 1000
    const { notAfterMs } = authority.certificate
    if (endMs > notAfterMs) {
      const text = `cannot satisfy request, as TTL would result in notAfter ${utcText(endMs)} that is beyond the expiration of the CA certificate at ${utcText(notAfterMs)}`
      return errors(400, text)
    }
    const commonName = role.usesCsrName ? csr.commonName : textIn(body, 'common_name')
    if (role.requiresName && commonName === '') return errors(400, nameMissing)
    if (commonName.split('.').some((label) => label.length > 63))
      return errors(400, `idna: invalid label "${commonName}"`)
    const named = body['exclude_cn_from_sans'] === true ? '' : commonName
    const leaf = leafFor(this.#env, authority, csr, {
      commonName,
      named,
      ttl,
      backSeconds: role.backSeconds,
      uses: role.uses,
    })
    const { chain } = this.own
    const bundle = body['format'] === 'pem_bundle' ? `\n${chain.join('\n')}` : ''
    const ca_chain = chain.length === 0 ? {} : { ca_chain: chain }
    const unheard = role.usesCsrName && textIn(body, 'common_name') !== '' ? [nameUnheard] : []
    return this.#issued(leaf, authority.certificate, ca_chain, unheard, bundle)
  }

  signIntermediate(body: Body, leases: Leases): HttpResponse {
    const csr = readCsr(this.#env, body['csr'])
    if (typeof csr === 'string') return errors(400, csr)
    const ttl = this.#ttl(body, leases)
    if (ttl === undefined) return wrapped(500, notConverted(body['ttl'], 'ttl'))
    const authority = this.own.toSign()
    if (typeof authority === 'string') return wrapped(500, authority)
    const given = body['max_path_length']
    const pathLength = typeof given === 'number' ? given : undefined
    const renamed = body['use_csr_values'] === true ? '' : textIn(body, 'common_name')
    const commonName = renamed === '' ? csr.commonName : renamed
    const uses = body['use_csr_values'] === true && csr.wantsAuthority ? usesOfAuthority : authorityUses
    const made = intermediateFor(this.#env, authority, csr, { commonName, ttl, pathLength, uses })
    const late = made.notAfterMs > authority.certificate.notAfterMs ? [outlives] : []
    return this.#issued(made, authority.certificate, {}, [...late, ...(pathLength === 0 ? [pathLengthZero] : [])])
  }

  /** Issues the certificate of another authority anew: subject, key, names, dates and serial number stay. */
  signSelfIssued(body: Body): HttpResponse {
    const text = textIn(body, 'certificate')
    const [given] = readChain(text) ?? []
    if (!text.includes('-----BEGIN CERTIFICATE-----')) return errors(400, 'certificate could not be PEM-decoded')
    if (given === undefined) return errors(400, 'error parsing certificate: x509: malformed certificate')
    if (!given.authority) return errors(400, 'given certificate is not a CA certificate')
    if (!equalBytes(given.subject, given.issuer)) return errors(400, 'given certificate is not self-issued')
    const authority = this.own.toSign()
    if (typeof authority === 'string') return wrapped(500, authority)
    const made = crossed(this.#env, authority, given)
    if (made === undefined) {
      const why = 'x509: requested SignatureAlgorithm does not match private key type'
      return wrapped(500, `error signing self-issued certificate: ${why}`)
    }
    const issuing_ca = authority.certificate.pem.trimEnd()
    return frame(this.#requestId(), { certificate: made.pem.trimEnd(), issuing_ca })
  }

  /** The default if none is given, and never beyond the mount's maximum, to which it is cut silently. */
  #ttl(body: Body, leases: Leases): number | undefined {
    const asked = secondsOf(body['ttl'])
    return asked === undefined ? undefined : Math.min(asked === 0 ? leases.default : asked, leases.max)
  }

  #issued(
    made: Certificate,
    issuer: Certificate,
    more: Members,
    warnings: readonly string[] = [],
    behind = '',
  ): HttpResponse {
    const data = {
      ...more,
      certificate: `${made.pem.trimEnd()}${behind}`,
      expiration: Math.floor(made.notAfterMs / 1000),
      issuing_ca: issuer.pem.trimEnd(),
      serial_number: serialText(made.serial),
    }
    return frame(this.#requestId(), data, { warnings })
  }
}

const nameUnheard = 'the common_name field was provided but the role is set with "use_csr_common_name" set to true'
const nameMissing =
  'the common_name field is required, or must be provided in a CSR with "use_csr_common_name" set to true, unless "require_cn" is set to false'
