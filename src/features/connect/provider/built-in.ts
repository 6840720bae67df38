import { equalBytes } from '../../../base/bytes.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { KeyKind, SigningKey } from '../../../env/crypto.ts'
import type { Env } from '../../../env/env.ts'
import type { Naming } from '../../../model/naming/naming.ts'
import { type Certificate, readCertificates } from '../../../pki/certificate.ts'
import { signCrossing, signIntermediate, signLeaf, signRoot } from '../../../pki/mesh-certificates.ts'
import { certificatePem } from '../../../pki/pem.ts'
import { publicKeyKindOf } from '../../../pki/public-key.ts'
import { readRequest } from '../../../pki/request.ts'
import { signingUri } from '../../../pki/spiffe.ts'
import type { Issuer } from '../../../pki/tls-certificate.ts'
import { wholeSecond } from '../forecast.ts'
import type { ProviderOptions } from '../model.ts'
import { commonOptions, textOption } from '../options.ts'
import { isSignedByItself, rootProblem, spelledForAll } from './given-root.ts'
import {
  type CrossingWish,
  type LeafWish,
  type MeshIdentity,
  type Provided,
  type ProvidedRoot,
  type Provider,
  type ProviderFailure,
  type ProviderKind,
  refused,
  type SignedCertificate,
  type SignerState,
} from './provider.ts'

/** Lifetime of a root. Reference: mesh.md#profile-notafter. */
const rootLifeMs = 3_650 * 86_400_000

/**
 * The built-in certificate authority: its root signs leaves directly, with a key that exists only in the replicated
 * state.
 */
class BuiltInProvider implements Provider {
  readonly name: string
  readonly #title: string
  readonly #env: Env
  readonly #options: ProviderOptions
  readonly #mesh: MeshIdentity
  #issuer: Issuer | undefined

  constructor({ name, title }: Naming, env: Env, options: ProviderOptions, mesh: MeshIdentity) {
    this.name = name
    this.#title = title
    this.#env = env
    this.#options = options
    this.#mesh = mesh
  }

  /**
   * Nothing to stop: leaves that are being signed when another provider takes over were recorded, and are handed out.
   */
  close(): void {}

  async root(state: SignerState | undefined, serial: string): Provided<ProvidedRoot> {
    const issuer = state === undefined ? await this.#newRoot(serial) : this.#keptRoot(state)
    if (!issuer.ok) return issuer
    const { key, certificate, pem } = issuer.value
    this.#issuer = { key, certificate }
    return ok({
      certificate: pem,
      intermediates: [],
      state: { privateKeyPem: key.privateKeyPem, rootCertificate: pem },
    })
  }

  async signLeaf(wish: LeafWish): Provided<SignedCertificate> {
    const issuer = this.#issuer
    if (issuer === undefined) return refused(notLoaded)
    const { publicKey, commonName, spiffeId: uri, serial, notBeforeMs, notAfterMs } = wish
    const keyKind = publicKeyKindOf(publicKey)
    if (keyKind === 'unknown') return refused('the key of the request is of a kind that is not known')
    const term = { serial: BigInt(serial), notBeforeMs, notAfterMs: withinIssuer(issuer, notAfterMs) }
    const leaf = signLeaf(this.#env.crypto, issuer, { publicKey, keyKind, commonName, uri, ...term })
    return ok({ certificate: certificatePem(leaf), serial, notAfterMs: term.notAfterMs })
  }

  async crossSign({ rootCertificate, serial, notBeforeMs, notAfterMs }: CrossingWish): Provided<SignedCertificate> {
    const issuer = this.#issuer
    if (issuer === undefined) return refused(notLoaded)
    const root = onlyCertificate(rootCertificate, 'the new root')
    if (!root.ok) return root
    const term = { serial: BigInt(serial), notBeforeMs, notAfterMs: withinIssuer(issuer, notAfterMs) }
    const crossing = signCrossing(this.#env.crypto, issuer, root.value, term)
    return ok({ certificate: certificatePem(crossing), serial, notAfterMs: term.notAfterMs })
  }

  async signIntermediate(requestPem: string, serial: string, notAfterMs: number): Provided<SignedCertificate> {
    const issuer = this.#issuer
    if (issuer === undefined) return refused(notLoaded)
    const request = readRequest(requestPem, this.#env.crypto)
    if (!request.ok) return refused(request.error)
    const uri = signingUri(this.#mesh.trustDomain)
    const term = { ...this.#begins(), serial: BigInt(serial), notAfterMs: withinIssuer(issuer, notAfterMs) }
    const intermediate = signIntermediate(this.#env.crypto, issuer, request.value, { uri, ...term })
    return ok({ certificate: certificatePem(intermediate), serial, notAfterMs: term.notAfterMs })
  }

  /** Every certificate is back-dated by the skew, so that slow clocks accept it at once. */
  #begins(): { readonly notBeforeMs: number } {
    return { notBeforeMs: wholeSecond(this.#env.clock.wallMs() - this.#mesh.skewMs) }
  }

  async #newRoot(serial: string): Promise<Loaded> {
    const key = await this.#key()
    if (!key.ok) return key
    const given = textOption(this.#options, 'RootCert')
    if (given !== '') return this.#givenRoot(key.value, given)
    const { notBeforeMs } = this.#begins()
    const wishes = {
      serial: BigInt(serial),
      commonName: `${this.#title} CA ${serial}`,
      uri: signingUri(this.#mesh.trustDomain),
      notBeforeMs,
      notAfterMs: notBeforeMs + rootLifeMs,
    }
    return matching(key.value, certificatePem(signRoot(this.#env.crypto, key.value, wishes)))
  }

  #givenRoot(key: SigningKey, given: string): Loaded {
    const root = matching(key, given)
    if (!root.ok) return root
    const { certificate } = root.value
    if (!isSignedByItself(this.#env.crypto, certificate))
      return refused('RootCert: not a root, because another key signed it')
    return ok({ ...root.value, pem: spelledForAll(given, certificate) })
  }

  async #key(): Promise<Result<SigningKey, ProviderFailure>> {
    const { crypto } = this.#env
    const given = textOption(this.#options, 'PrivateKey')
    if (given === '') return ok(await crypto.generateKey(keyKindOf(this.#options) ?? 'ec-256', 'root'))
    const key = crypto.readSigningKey(given)
    return key === undefined ? refused('PrivateKey: no private key that can be used here') : ok(key)
  }

  #keptRoot({ privateKeyPem = '', rootCertificate = '' }: SignerState): Loaded {
    const key = this.#env.crypto.readSigningKey(privateKeyPem)
    return key === undefined ? refused('the private key of the root cannot be read') : matching(key, rootCertificate)
  }
}

type Loaded = Result<Issuer & { readonly pem: string }, ProviderFailure>

const notLoaded = 'the root has not been requested yet'

function matching(key: SigningKey, pem: string): Loaded {
  const certificate = onlyCertificate(pem, 'the root')
  if (!certificate.ok) return certificate
  const isItsKey = equalBytes(certificate.value.publicKey, key.publicKey)
  return isItsKey
    ? ok({ key, certificate: certificate.value, pem })
    : refused('RootCert does not match the private key')
}

function onlyCertificate(pem: string, what: string): Result<Certificate, ProviderFailure> {
  const read = readCertificates(pem)
  if (!read.ok) return refused(`${what}: ${read.error}`)
  const [certificate, second] = read.value
  if (certificate !== undefined && second === undefined) return ok(certificate)
  return err({ kind: 'refused', message: `${what}: not one certificate` })
}

/** A certificate never outlives its issuer. */
function withinIssuer({ certificate }: Issuer, notAfterMs: number): number {
  return wholeSecond(Math.min(notAfterMs, certificate.notAfterMs))
}

const keyKinds: Readonly<Record<string, KeyKind>> = {
  ec: 'ec-256',
  'ec 256': 'ec-256',
  'ec 384': 'ec-384',
  'ec 521': 'ec-521',
  rsa: 'rsa-2048',
  'rsa 2048': 'rsa-2048',
  'rsa 4096': 'rsa-4096',
}

/** Type of the key to generate; undefined: the type is unknown. */
function keyKindOf(options: ProviderOptions): KeyKind | undefined {
  const kind = `${textOption(options, 'PrivateKeyType') || 'ec'} ${textOption(options, 'PrivateKeyBits')}`.trim()
  return Object.hasOwn(keyKinds, kind) ? keyKinds[kind] : undefined
}

/** The options of a given root. */
const givenRoot = ['PrivateKey', 'RootCert'] as const

/** The provider that is built into the servers. Reference: mesh.md#provider-options. */
export function builtInKindOf(naming: Naming): ProviderKind {
  return {
    ...builtInKind,
    name: naming.name,
    title: naming.title,
    open: (...given) => new BuiltInProvider(naming, ...given),
  }
}

const builtInKind = {
  secretOptions: ['PrivateKey'],
  knownOptions: [...commonOptions, 'RotationPeriod', 'PrivateKey', 'RootCert'],
  problem,
  sameRoot,
} as const satisfies Partial<ProviderKind>

/** Its options by their names on the wire. */
export const builtInOptions = builtInKind.knownOptions

/**
 * Whether both options mean the same root. A given key has its own type. For a generated one the type counts, including
 * its default.
 */
function sameRoot(before: ProviderOptions, after: ProviderOptions): boolean {
  if (!givenRoot.every((name) => textOption(before, name) === textOption(after, name))) return false
  return textOption(after, 'PrivateKey') !== '' || keyKindOf(before) === keyKindOf(after)
}

function problem(options: ProviderOptions): string | undefined {
  const key = textOption(options, 'PrivateKey')
  const root = textOption(options, 'RootCert')
  if (keyKindOf(options) === undefined)
    return 'PrivateKeyType is ec with 256, 384 or 521 bits, or rsa with 2048 or 4096'
  if (key !== '' && !/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key)) {
    return 'error parsing private key: no PEM-encoded data found'
  }
  if (root === '') return undefined
  return key === '' ? 'RootCert needs its PrivateKey' : rootProblem(root)
}
