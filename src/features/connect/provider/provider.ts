import { lowerAscii } from '../../../base/letter-case.ts'
import { err, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import { isBuiltInProvider } from '../../../model/naming/names.ts'
import type { ProviderOptions } from '../model.ts'

/** Why a provider failed: `refused` is permanent for the same options, `unavailable` may pass by itself. */
export interface ProviderFailure {
  readonly kind: 'refused' | 'unavailable'
  /** Contains no key and no token. */
  readonly message: string
  /** The root that the state describes is not there any more: another one is in its place, or none. */
  readonly isGone?: boolean
  /** The trust domain that the root there names, if it is not the mesh's. */
  readonly foreign?: string
}

export type Provided<T> = Promise<Result<T, ProviderFailure>>

/** The identity of the mesh. */
export interface MeshIdentity {
  readonly clusterId: string
  readonly trustDomain: string
  /** The text with which the common names of its authorities begin. */
  readonly title: string
  readonly datacenter: string
  /** Maximum difference between clocks: every certificate is back-dated by it. */
  readonly skewMs: number
}

/** What a provider stores in the replicated state: for the built-in one, the key of its root. Never in an answer. */
export interface SignerState {
  readonly privateKeyPem?: string
  readonly rootCertificate?: string
}

/**
 * A root as a provider has it, PEM. `intermediates` are the certificates between the root and its leaves, the one that
 * signs leaves first.
 */
export interface ProvidedRoot {
  readonly certificate: string
  readonly intermediates: readonly string[]
  /** Must be stored in the replicated state before the root may be used. */
  readonly state: SignerState
}

export interface LeafWish {
  /** SubjectPublicKeyInfo, DER, of the request, whose signature has been verified. */
  readonly publicKey: Uint8Array
  /** The request itself, PEM, for providers that accept only that. */
  readonly requestPem: string
  readonly commonName: string
  readonly spiffeId: string
  /** From the replicated state, decimal; a provider that draws its own returns that one. */
  readonly serial: string
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

/** PEM of a single certificate, and its parsed content: a provider may have shortened the lifetime. */
export interface SignedCertificate {
  readonly certificate: string
  readonly serial: string
  readonly notAfterMs: number
  /**
   * PEM, in the order of the chain: the certificates that lead to the signing root. Undefined: for a leaf, the
   * `intermediates` of `root`; for others, none. An external provider may have another intermediate by now, and may
   * need an intermediate for a crossing.
   */
  readonly behind?: readonly string[]
}

/** The result of a provider's check of its root. */
export interface ProviderReview {
  /**
   * As in `ProvidedRoot`; different from before if the provider has renewed them. Leaves signed from now on come with
   * these.
   */
  readonly intermediates: readonly string[]
  /**
   * What an operator has to fix, such as another root in its place; undefined if nothing. Contains no key and no token.
   */
  readonly problem: string | undefined
}

export interface CrossingWish {
  /** The new root's own certificate, PEM: the crossing has the same subject and key. */
  readonly rootCertificate: string
  readonly serial: string
  readonly notBeforeMs: number
  /** Minimum expiry of the crossing, which never outlives the signing root. */
  readonly notAfterMs: number
}

/**
 * One provider with one set of options: it has a root, signs leaves below it, and certifies other roots. The caller
 * limits the time of a call; a system behind the provider may still complete a call that was given up.
 */
export interface Provider {
  readonly name: string
  /**
   * The root of these options: the one that `state` describes; otherwise generated, taken from the options, or
   * requested from elsewhere.
   */
  root(state: SignerState | undefined, serial: string): Provided<ProvidedRoot>
  signLeaf(wish: LeafWish): Provided<SignedCertificate>
  /** The next root, signed by this one. */
  crossSign(wish: CrossingWish): Provided<SignedCertificate>
  /** A certificate authority below this root for another datacenter, according to its request. */
  signIntermediate(requestPem: string, serial: string, notAfterMs: number): Provided<SignedCertificate>
  /**
   * Checks from time to time (`reviewIntervalMs`) whether the result of `root` is still true, and renews what the
   * provider manages by itself. Absent: nothing to check.
   */
  review?(known: ProvidedRoot): Provided<ProviderReview>
  /** Whether the provider can be reached: makes a call that changes nothing. Absent: always. */
  contact?(): Provided<undefined>
  /** No new calls will come; stops timers. Leaves that were recorded before may still finish for a while. */
  close(): void
}

/** Interval at which the leader lets a provider check its root. */
export const reviewIntervalMs = 5 * 60_000

/** A kind of provider that `Provider` in the configuration may name. */
export interface ProviderKind {
  readonly name: string
  /** Prefix of the display name of its roots. */
  readonly title: string
  /** Options that reads hide, and that keep their value when they are written back hidden. */
  readonly secretOptions: readonly string[]
  /** Options that it supports. Others are stored, and have no effect. */
  readonly knownOptions: readonly string[]
  /** What is wrong with the options; undefined if nothing. Contains no secret. */
  problem(options: ProviderOptions): string | undefined
  /**
   * Whether both options certainly mean the same root, so that no rotation is needed. Otherwise the ID of `root`
   * decides.
   */
  sameRoot(before: ProviderOptions, after: ProviderOptions): boolean
  /**
   * Why secrets stored with one set of options must not be reused for another, when they are written back hidden;
   * undefined if they may. A caller that may write the configuration but does not know a secret must not be able to
   * send it elsewhere.
   */
  hiddenProblem?(stored: ProviderOptions, wished: ProviderOptions): string | undefined
  open(env: Env, options: ProviderOptions, mesh: MeshIdentity): Provider
}

export function refused(message: string): { readonly ok: false; readonly error: ProviderFailure } {
  return err({ kind: 'refused', message })
}

export function unavailable(message: string): { readonly ok: false; readonly error: ProviderFailure } {
  return err({ kind: 'unavailable', message })
}

/** The result of a provider if it comes in time; a later one is ignored. */
export async function providedWithin<T>(
  env: Pick<Env, 'timers' | 'deferred' | 'detach'>,
  limitMs: number,
  asked: Provided<T>,
): Provided<T> {
  const first = env.deferred<Awaited<Provided<T>>>()
  const timer = env.timers.after(limitMs, () => {
    first.resolve(err({ kind: 'unavailable', message: 'the provider has not answered in time' }))
  })
  env.detach(asked.then((given) => first.resolve(given)))
  const given = await first.promise
  timer.close()
  return given
}

/** The kind with that name; the built-in one under each of the product's names. */
export function kindNamed(kinds: readonly ProviderKind[], name: string): ProviderKind | undefined {
  const wanted = lowerAscii(name)
  const isBuiltIn = wanted === '' || isBuiltInProvider(wanted)
  return kinds.find((kind) => (isBuiltIn ? isBuiltInProvider(kind.name) : kind.name === wanted))
}
