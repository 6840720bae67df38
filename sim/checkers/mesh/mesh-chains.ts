import { byteStringOf, hex } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Crypto } from '../../../src/env/crypto.ts'
import { type Certificate, readCertificates } from '../../../src/pki/certificate.ts'
import { verifyChain } from '../../../src/pki/chain.ts'
import type { Chains, SeenCertificate, Span } from './mesh-facts.ts'

/** Maximum number of parsed texts that are kept: a mesh presents the same few again and again. */
const textsMax = 4096
/** Maximum number of signatures whose verification is kept. */
const signaturesMax = 16_384

type Verifier = Pick<Crypto, 'verify'>

/** Certificates as production parses and verifies them; each signature is verified once. */
export class PkiChains implements Chains {
  readonly #verifier: Verifier
  readonly #read = new Map<string, readonly SeenCertificate[] | undefined>()
  readonly #sources = new WeakMap<SeenCertificate, Certificate>()
  readonly #signatures = new Map<string, boolean>()

  constructor({ verify }: Verifier) {
    this.#verifier = {
      verify: (publicKey, algorithm, bytes, signature) => {
        const name = `${algorithm} ${byteStringOf(publicKey)} ${byteStringOf(signature)} ${byteStringOf(bytes)}`
        const known = this.#signatures.get(name)
        if (known !== undefined) return known
        if (this.#signatures.size >= signaturesMax) this.#signatures.clear()
        const isGood = verify(publicKey, algorithm, bytes, signature)
        this.#signatures.set(name, isGood)
        return isGood
      },
    }
  }

  read(pem: string): readonly SeenCertificate[] | undefined {
    if (this.#read.has(pem)) return this.#read.get(pem)
    if (this.#read.size >= textsMax) this.#read.clear()
    const found = readCertificates(pem)
    const seen = found.ok ? found.value.map((certificate) => this.#seen(certificate)) : undefined
    this.#read.set(pem, seen)
    return seen
  }

  path(
    leaf: SeenCertificate,
    between: readonly SeenCertificate[],
    roots: readonly SeenCertificate[],
    atMs: number,
  ): Result<Span, string> {
    const [own] = this.#all([leaf])
    if (own === undefined) return err('nobody has read it')
    const above = [this.#all(between), this.#all(roots)] as const
    // A proxy both accepts connections and dials.
    const served = verifyChain(this.#verifier, own, ...above, { atMs, usage: 'server' })
    if (!served.ok) return served
    const dialled = verifyChain(this.#verifier, own, ...above, { atMs, usage: 'client' })
    if (!dialled.ok) return dialled
    const path = [...served.value, ...dialled.value]
    return ok({
      fromMs: Math.max(...path.map(({ notBeforeMs }) => notBeforeMs)),
      toMs: Math.min(...path.map(({ notAfterMs }) => notAfterMs)),
    })
  }

  #all(seen: readonly SeenCertificate[]): readonly Certificate[] {
    return seen.flatMap((certificate) => this.#sources.get(certificate) ?? [])
  }

  #seen(certificate: Certificate): SeenCertificate {
    const { subjectKeyId, authorityKeyId, notBeforeMs, notAfterMs } = certificate
    const seen = {
      identity: byteStringOf(certificate.der),
      serial: String(certificate.serial),
      subject: byteStringOf(certificate.subject),
      issuer: byteStringOf(certificate.issuer),
      name: certificate.commonName,
      uris: certificate.uris,
      notBeforeMs,
      notAfterMs,
      keyId: subjectKeyId === undefined ? '' : hex(subjectKeyId),
      issuerKeyId: authorityKeyId === undefined ? '' : hex(authorityKeyId),
    }
    this.#sources.set(seen, certificate)
    return seen
  }
}
