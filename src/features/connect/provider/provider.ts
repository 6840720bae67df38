import type { Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { ProviderOptions } from '../model.ts'

/** Why a provider did not do what was asked: `refused` stays so with the same options, `unavailable` may pass by itself. */
export interface ProviderFailure {
  readonly kind: 'refused' | 'unavailable'
  /** Never with a key or a token in it. */
  readonly message: string
}

export type Provided<T> = Promise<Result<T, ProviderFailure>>

/** What identifies the mesh to a provider. */
export interface MeshIdentity {
  readonly clusterId: string
  readonly trustDomain: string
  readonly datacenter: string
  /** How far clocks may be apart: every certificate is back-dated by that. */
  readonly skewMs: number
}

/** What a provider keeps in the replicated state, if it must: for the built-in one the key of its root. Never in an answer. */
export interface SignerState {
  readonly privateKeyPem?: string
  readonly rootCertificate?: string
}

/** A root as a provider has it, PEM. `intermediates`: between the root and its leaves, the one that signs leaves first. */
export interface ProvidedRoot {
  readonly certificate: string
  readonly intermediates: readonly string[]
  /** To be kept in replicated state before the root may be used. */
  readonly state: SignerState
}

export interface LeafWish {
  /** SubjectPublicKeyInfo, DER: of the request, whose signature has been verified. */
  readonly publicKey: Uint8Array
  /** The request itself, PEM, for providers that take nothing else. */
  readonly requestPem: string
  readonly commonName: string
  readonly spiffeId: string
  /** From replicated state, decimal; a provider that draws its own says so in what it gives back. */
  readonly serial: string
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

/** PEM of a certificate alone, and what it says: a provider may have cut the time short. */
export interface SignedCertificate {
  readonly certificate: string
  readonly serial: string
  readonly notAfterMs: number
  /**
   * PEM, the one that signed first: what goes out behind it so that it leads to the root that signed. Undefined: of a leaf, the
   * `intermediates` that `root` told; of any other, nothing. An external provider may have another intermediate by now, and may
   * have to cross by way of one.
   */
  readonly behind?: readonly string[]
}

/** What a provider finds when it looks at its root again. */
export interface ProviderReview {
  /** As in `ProvidedRoot`: others than before when the provider has renewed them. Leaves signed from now on have these behind them. */
  readonly intermediates: readonly string[]
  /** What an operator has to mend, such as another root in its place; undefined: nothing. Never with a key or a token in it. */
  readonly problem: string | undefined
}

export interface CrossingWish {
  /** The new root's own certificate, PEM: same subject, same key, in the crossing. */
  readonly rootCertificate: string
  readonly serial: string
  readonly notBeforeMs: number
  /** At least until here the crossing must hold; never longer than the root that signs it. */
  readonly notAfterMs: number
}

/**
 * One provider with one set of options: it has a root, signs leaves below it, and certifies another root by it. Whoever asks
 * bounds how long it may take; a call that was given up may still be carried out by what is behind the provider.
 */
export interface Provider {
  readonly name: string
  /** The root of these options: the one that `state` tells of, else made, taken from the options, or asked for elsewhere. */
  root(state: SignerState | undefined, serial: string): Provided<ProvidedRoot>
  signLeaf(wish: LeafWish): Provided<SignedCertificate>
  /** The root that is to follow, signed by this one. */
  crossSign(wish: CrossingWish): Provided<SignedCertificate>
  /** A certificate authority below this root for another datacenter, as its request asks. */
  signIntermediate(requestPem: string, serial: string, notAfterMs: number): Provided<SignedCertificate>
  /**
   * Looks from time to time (`reviewIntervalMs`) whether what `root` gave is still so, and renews what the provider keeps by itself.
   * A provider without this has nothing to look at.
   */
  review?(known: ProvidedRoot): Provided<ProviderReview>
  /** Whether there is an answer at all: asks for something and changes nothing. A provider without this is always there. */
  contact?(): Provided<undefined>
  /** Nothing new will be asked, timers end. Leaves that were recorded before are finished, for a while. */
  close(): void
}

/** The leader has a provider look at its root again this often. */
export const reviewIntervalMs = 5 * 60_000

/** A kind of provider that `Provider` in the configuration may name. */
export interface ProviderKind {
  readonly name: string
  /** What the display name of its roots begins with. */
  readonly title: string
  /** Options that reads hide, and that keep their value when they are written back hidden. */
  readonly secretOptions: readonly string[]
  /** Options that it knows. Others are kept as they are, and have no effect. */
  readonly knownOptions: readonly string[]
  /** What is wrong with the options; undefined: nothing. Never with a secret in the text. */
  problem(options: ProviderOptions): string | undefined
  /** Whether roots made with these two are surely one and the same: no rotation is due. Else `root` tells, by the root's ID. */
  sameRoot(before: ProviderOptions, after: ProviderOptions): boolean
  /**
   * Why secrets that are stored with one set of options are not kept for another, where they are written back hidden; undefined: they
   * are. Who may write the configuration but has never known a secret must not have it sent elsewhere.
   */
  hiddenProblem?(stored: ProviderOptions, wished: ProviderOptions): string | undefined
  open(env: Env, options: ProviderOptions, mesh: MeshIdentity): Provider
}
