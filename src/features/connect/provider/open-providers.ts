import { err, ok, type Result } from '../../../base/result.ts'
import type { Closable } from '../../../env/async.ts'
import type { Env } from '../../../env/env.ts'
import { isBuiltInProvider } from '../../../model/naming/names.ts'
import type { Naming } from '../../../model/naming/naming.ts'
import { readCertificates } from '../../../pki/certificate.ts'
import { meshAuthorityProblem } from '../../../pki/chain.ts'
import { signLeaf } from '../../../pki/mesh-certificates.ts'
import { certificatePem } from '../../../pki/pem.ts'
import { publicKeyKindOf } from '../../../pki/public-key.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import { type KeptState, type RootFacts, signerStateOf } from '../fields.ts'
import { rootWithinMs } from '../limits.ts'
import type { AuthorityRow, ProviderOptions, RootRow } from '../model.ts'
import type { AuthorityParts } from '../parts.ts'
import type { SignerRow } from '../tables.ts'
import { activeRoot, authorityOf, signerOf } from '../views.ts'
import { builtInKindOf } from './built-in.ts'
import { otherDomainOf, rootFactsOf } from './facts.ts'
import {
  kindNamed,
  type MeshIdentity,
  type Provided,
  type ProvidedRoot,
  type Provider,
  type ProviderFailure,
  type ProviderKind,
  providedWithin,
  refused,
  unavailable,
} from './provider.ts'

/** The provider that signs now, opened. */
export interface ActiveSigner {
  readonly authority: AuthorityRow
  readonly root: RootRow
  readonly kind: ProviderKind
  readonly provider: Provider
  /** The root as the provider had it when it was opened. */
  readonly provided: ProvidedRoot
  /** Certificates between the root and its leaves. */
  readonly ownIntermediates: readonly string[]
}

interface Open {
  /** Identifies the options that it was opened with. */
  readonly key: string
  readonly provider: Provider
  readonly ready: Provided<ActiveSigner>
}

const leadsNoMore = 'this server no longer leads'

type Wanted = Pick<AuthorityRow, 'clusterId' | 'trustDomain'>

/**
 * The providers that this leader has open: that of the active root, which stays open for all tasks, and others for one
 * task each. If opening fails, the next caller tries again.
 */
export class OpenProviders implements Closable {
  readonly #parts: AuthorityParts
  #active: Open | undefined
  #closed = false

  constructor(parts: AuthorityParts) {
    this.#parts = parts
  }

  close(): void {
    this.#closed = true
    this.#active?.provider.close()
    this.#active = undefined
  }

  /** The provider of the active root in this state. */
  async active(tx: ReadTransaction): Provided<ActiveSigner> {
    // A task that was under way at the end of leadership would open a provider that is never closed.
    if (this.#closed) return unavailable(leadsNoMore)
    const authority = authorityOf(tx)
    const root = activeRoot(tx)
    if (authority === undefined || root === undefined) return unavailable('the authority has not begun yet')
    const signer = signerOf(tx, root.id)
    if (signer === undefined) return refused('the record of how the active root signs is missing')
    const key = `${root.id} ${authority.modifyIndex} ${signer.ownIntermediates.join()}`
    if (this.#active?.key !== key) {
      const opened =
        authority.primary === ''
          ? this.opened(authority.provider, authority.options, authority)
          : ok(belowPrimary(this.#parts.server, root, signer))
      if (!opened.ok) return opened
      this.#active?.provider.close()
      const { kind, provider } = opened.value
      const ready = this.#loaded({ authority, root, kind, provider, ownIntermediates: signer.ownIntermediates }, tx)
      this.#active = { key, provider, ready }
    }
    const open = this.#active
    const found = await open.ready
    if (!found.ok && this.#active === open) {
      open.provider.close()
      this.#active = undefined
    }
    return this.#closed ? unavailable(leadsNoMore) : found
  }

  async #loaded(signer: Omit<ActiveSigner, 'provided'>, tx: ReadTransaction): Provided<ActiveSigner> {
    const { root, kind, provider } = signer
    const kept = signerOf(tx, root.id)
    const { env } = this.#parts.server
    const asked = provider.root(kept === undefined ? undefined : signerStateOf(kept), '0')
    const provided = await providedWithin(env, rootWithinMs, asked)
    if (!provided.ok) return provided
    const facts = rootFactsOf(env, kind, provided.value)
    if (!facts.ok) return facts
    if (facts.value.id !== root.id) return refused('the root of the provider is no longer the active one')
    return ok({ ...signer, provided: provided.value })
  }

  /** Opens a provider with these options for one task; the caller closes it. */
  opened(
    name: string,
    options: ProviderOptions,
    wanted: Wanted,
  ): Result<{ readonly kind: ProviderKind; readonly provider: Provider }, ProviderFailure> {
    const kind = kindNamed(this.#parts.kinds, name)
    if (kind === undefined) return refused(`could not initialize provider: unknown CA provider ${JSON.stringify(name)}`)
    const problem = kind.problem(options)
    if (problem !== undefined) return refused(`error configuring provider: ${problem}`)
    return ok({ kind, provider: kind.open(this.#parts.server.env, options, this.#identity(wanted)) })
  }

  /** The root of these options: a new one, unless `known` describes it. */
  async rootOf(
    name: string,
    options: ProviderOptions,
    wanted: Wanted,
    serial: string,
    known?: KeptState,
  ): Provided<RootFacts> {
    const opened = this.opened(name, options, wanted)
    if (!opened.ok) return opened
    const { kind, provider } = opened.value
    const { env } = this.#parts.server
    const state = known === undefined ? undefined : signerStateOf(known)
    const provided = await providedWithin(env, rootWithinMs, provider.root(state, serial))
    provider.close()
    if (!provided.ok) return provided
    const facts = rootFactsOf(env, kind, provided.value)
    if (!facts.ok) return facts
    // Leaves of the built-in provider are valid below any operator's root, whatever mesh it names; leaves of other
    // providers are checked when they are signed.
    const domain = isBuiltInProvider(kind.name) ? undefined : wanted.trustDomain
    const problem = standingProblem(facts.value, domain)
    return problem === undefined
      ? this.#valid(facts.value)
      : err({ ...refused(problem).error, ...ofOther(facts.value, domain) })
  }

  /** A provider's clock may be fast by the skew: such a root may be valid later. */
  #valid(facts: RootFacts): Result<RootFacts, ProviderFailure> {
    const nowMs = this.#parts.server.env.clock.wallMs()
    const { notBeforeMs, notAfterMs, chainEndMs } = facts
    if (Math.min(notAfterMs, chainEndMs) <= nowMs)
      return refused('the root, or the intermediate certificate of the provider, has expired')
    if (notBeforeMs <= nowMs) return ok(facts)
    const says = notBeforeMs - nowMs <= this.#parts.skewMs ? unavailable : refused
    return says('the root is not valid yet')
  }

  #identity({ clusterId, trustDomain }: Wanted): MeshIdentity {
    const { server, skewMs } = this.#parts
    return { clusterId, trustDomain, title: server.naming.title, datacenter: server.datacenter, skewMs }
  }
}

function ofOther({ certificate }: RootFacts, trustDomain: string | undefined): Pick<ProviderFailure, 'foreign'> {
  const read = readCertificates(certificate)
  const [root] = read.ok ? read.value : []
  const foreign = root === undefined || trustDomain === undefined ? undefined : otherDomainOf(root, trustDomain)
  return foreign === undefined ? {} : { foreign }
}

/** Why verifiers would refuse leaves below this root, or roots that it crosses: it may be an operator's. */
function standingProblem(
  { certificate, ownIntermediates }: RootFacts,
  trustDomain: string | undefined,
): string | undefined {
  for (const pem of [certificate, ...ownIntermediates]) {
    const read = readCertificates(pem)
    const [authority] = read.ok ? read.value : []
    const problem = authority === undefined ? undefined : meshAuthorityProblem(authority, trustDomain)
    if (problem !== undefined) return `no peer would accept what is signed below it: ${problem}`
    if (pem === certificate && authority?.pathLength !== undefined)
      return 'a path length in the root would keep rotations from leading back to it'
  }
  return undefined
}

const notHere = 'roots are those of the primary datacenter'

/** The signer of a secondary datacenter: an authority below the root of the primary one. */
function belowPrimary(
  { env, naming }: { readonly env: Env; readonly naming: Naming },
  root: RootRow,
  { privateKeyPem, ownIntermediates }: SignerRow,
): { readonly kind: ProviderKind; readonly provider: Provider } {
  const kind = builtInKindOf(naming)
  const provider: Provider = {
    name: kind.name,
    root: async () => ok({ certificate: root.certificate, intermediates: ownIntermediates, state: { privateKeyPem } }),
    signLeaf: async (wish) => {
      const key = env.crypto.readSigningKey(privateKeyPem)
      const read = readCertificates(ownIntermediates[0] ?? '')
      const [certificate] = read.ok ? read.value : []
      const keyKind = publicKeyKindOf(wish.publicKey)
      if (key === undefined || certificate === undefined)
        return refused('the certificate authority of this datacenter cannot be read')
      if (keyKind === 'unknown') return refused('the key of the request is of a kind that is not known')
      const { publicKey, commonName, spiffeId: uri, serial, notBeforeMs, notAfterMs } = wish
      const term = { serial: BigInt(serial), notBeforeMs, notAfterMs }
      const leaf = signLeaf(env.crypto, { key, certificate }, { publicKey, keyKind, commonName, uri, ...term })
      return ok({ certificate: certificatePem(leaf), serial, notAfterMs })
    },
    crossSign: async () => refused(notHere),
    signIntermediate: async () => refused(notHere),
    close: () => {},
  }
  return { kind, provider }
}
