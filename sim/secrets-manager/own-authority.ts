import { equalBytes } from '../../src/base/bytes.ts'
import type { SigningKey } from '../../src/env/crypto.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpResponse } from '../../src/env/http.ts'
import type { Certificate } from '../../src/pki/certificate.ts'
import { errors, frame, nothing, wrapped } from './answers.ts'
import { type Authority, readChain, requestFor } from './issuing.ts'
import { type Body, textIn, urisOf } from './request-body.ts'

const noAuthority =
  'could not fetch the CA certificate (was one set?): backend must be configured with a CA certificate/key'
const pending = 'error fetching CA certificate: stored CA information not able to be parsed'

/** The certificate authority of one mount: a root of its own, or one whose certificate another has signed. */
export class OwnAuthority {
  readonly #env: Env
  readonly #requestId: () => string
  #key: SigningKey | undefined
  /** Undefined while its certificate is requested, although `ca/pem` shows the former one. */
  #certificate: Certificate | undefined
  /** The certificates after its own, which are returned with it. */
  #chain: readonly Certificate[] = []
  #shown = ''

  constructor(env: Env, requestId: () => string) {
    this.#env = env
    this.#requestId = requestId
  }

  get hasKey(): boolean {
    return this.#key !== undefined
  }

  /** PEM without a newline at its end; empty: there is none yet. */
  get shown(): string {
    return this.#shown
  }

  /** Each as PEM without a newline at its end. */
  get chain(): readonly string[] {
    return this.#chain.map(({ pem }) => pem.trimEnd())
  }

  /** With the newline that the main recorded release writes before the first. */
  get shownChain(): string {
    return this.#chain.length === 0 ? '' : `\n${this.chain.join('\n')}`
  }

  /** The certificate and key that sign; or why nothing can be signed. */
  toSign(): Authority | string {
    if (this.#key === undefined) return noAuthority
    return this.#certificate === undefined ? pending : { key: this.#key, certificate: this.#certificate }
  }

  /** A key of the type that a request names; or why there is no such type. */
  async newKey(body: Body): Promise<SigningKey | string> {
    const type = body['key_type'] ?? 'rsa'
    const bits = body['key_bits'] ?? 2048
    if (type === 'ec' && (bits === 256 || bits === 384 || bits === 521))
      return this.#env.crypto.generateKey(`ec-${bits}`, 'mount')
    if (type === 'rsa' && (bits === 2048 || bits === 4096)) return this.#env.crypto.generateKey(`rsa-${bits}`, 'mount')
    if (type === 'ec') return `unsupported bit length for EC key: ${String(bits)}`
    return type === 'rsa' ? `unsupported bit length for RSA key: ${String(bits)}` : `unknown key type ${String(type)}`
  }

  isRoot(key: SigningKey, root: Certificate): void {
    this.#key = key
    this.#certificate = root
    this.#chain = []
    this.#shown = root.pem.trimEnd()
  }

  /** Its key and certificates as they are now, to be put back by the returned function. */
  remember(): () => void {
    const [key, certificate, chain, shown] = [this.#key, this.#certificate, this.#chain, this.#shown]
    return () => {
      this.#key = key
      this.#certificate = certificate
      this.#chain = chain
      this.#shown = shown
    }
  }

  deleteRoot(): HttpResponse {
    this.#key = undefined
    this.#certificate = undefined
    return nothing
  }

  async generateRequest(body: Body): Promise<HttpResponse> {
    const key = await this.newKey(body)
    if (typeof key === 'string') return errors(400, key)
    this.#key = key
    this.#certificate = undefined
    const csr = requestFor(key, textIn(body, 'common_name'), urisOf(body))
    return frame(this.#requestId(), { csr: csr.trimEnd() })
  }

  setSigned(body: Body): HttpResponse {
    const text = textIn(body, 'certificate')
    if (text === '') return errors(400, 'no certificate provided in the "certificate" parameter')
    const chain = readChain(text)
    const [first, ...rest] = chain ?? []
    if (first === undefined) return errors(400, 'no data found in PEM block')
    if (this.#key === undefined) return errors(400, 'could not find any existing entry with a private key')
    const problem = chainProblem([first, ...rest])
    if (problem !== undefined) return errors(400, `verification of parsed bundle failed: ${problem}`)
    if (!equalBytes(first.publicKey, this.#key.publicKey)) {
      return wrapped(500, 'verification of parsed bundle failed: public key of certificate does not match private key')
    }
    this.#certificate = first
    this.#chain = [first, ...rest]
    this.#shown = first.pem.trimEnd()
    return nothing
  }
}

/** Each must be signed in the name of the next. */
function chainProblem(chain: readonly Certificate[]): string | undefined {
  for (const [at, certificate] of chain.entries()) {
    const next = chain[at + 1]
    if (next === undefined || equalBytes(certificate.issuer, next.subject)) continue
    const names = `("${certificate.commonName}"/"${next.commonName}")`
    return `certificate ${at + 1} of certificate chain ca trust path is incorrect ${names}`
  }
  return undefined
}
