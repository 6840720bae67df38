import { type Failure, failureText } from '../../../model/failure.ts'
import { productTitle } from '../../../model/names.ts'
import { readCertificates } from '../../../pki/certificate.ts'
import { makeRequest, requestPem } from '../../../pki/request.ts'
import { signingUri } from '../../../pki/spiffe.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import type { MeshFederation } from '../../federation.ts'
import type { ReadOptions } from '../../reading.ts'
import { takeSerialNumbers } from '../commands.ts'
import type { CrossingFacts } from '../fields.ts'
import { wholeSecond } from '../forecast.ts'
import { did, failedBy, notReplicated, type Step } from '../leader/step.ts'
import { leafLeftMinMs, rootWithinMs } from '../limits.ts'
import type { RootRow, RootsList } from '../model.ts'
import { readOptions } from '../options.ts'
import { crossingFactsOf } from '../provider/facts.ts'
import { nameOfKind } from '../provider/kind-names.ts'
import type { OpenProviders } from '../provider/open-providers.ts'
import { providedWithin } from '../provider/within.ts'
import { rootsEndpoint } from '../read-endpoints.ts'
import type { AuthorityParts } from '../settings.ts'
import type { SignerRow } from '../tables.ts'
import { activeRoot, allRoots, authorityOf, signerOf } from '../views.ts'
import { federate } from './federation-commands.ts'
import { signIntermediateEndpoint } from './intermediate-endpoint.ts'
import { renewedWithLeft } from './intermediates.ts'

/** How often a secondary datacenter looks at whom the primary trusts. Spec: every few minutes. */
const lookAtPrimaryMs = 120_000
/** How often it looks, before it has joined, whether all servers of both know of it: what it sees of their pools tells. */
const lookAtPoolsMs = 5_000
/** Whatever is due, its leader rests for this long when there was nothing to do. */
const soonestMs = 100
/** What has failed is tried again after this. */
const retryMs = 10_000

/**
 * A secondary datacenter is one with the mesh of the primary one: it trusts the same roots, and signs its leaves by an authority
 * that the primary has signed. It begins when all servers of both know of it; before, and without, it is for itself.
 * Spec: multi-datacenter mesh CA.
 */
export class Joining {
  readonly #parts: AuthorityParts
  readonly #providers: OpenProviders
  /** When it looks at the primary again. One number for who asks and who rests: differences of it would be rounded each in its way. */
  #lookAtMs = Number.NEGATIVE_INFINITY
  #notBeforeMs = 0
  #problem = ''

  constructor(parts: AuthorityParts, providers: OpenProviders) {
    this.#parts = parts
    this.#providers = providers
  }

  /** After which it is to look again; infinite: there is nothing to join. */
  restMs(tx: ReadTransaction): number {
    const { federation, env } = this.#parts.server
    if (federation === undefined) return Number.POSITIVE_INFINITY
    const isJoined = authorityOf(tx)?.primary === federation.primaryDatacenter
    if (!isJoined && !federation.joins) return Number.POSITIVE_INFINITY
    const isWell = isJoined && this.#problem === ''
    // Counted from when it looked last: whatever else its leader did meanwhile does not put it off.
    return isWell ? Math.max(soonestMs, this.#lookAtMs - env.clock.monoMs()) : lookAtPoolsMs
  }

  /** Why it does not go on at present, while leaves are signed all the same; empty: it does. */
  get problem(): string {
    return this.#problem
  }

  /** Undefined: there is nothing of it to do now, or it failed, and what else there is goes on without it. */
  async step(tx: ReadTransaction): Promise<Step | undefined> {
    const { env } = this.#parts.server
    if (env.clock.monoMs() < this.#notBeforeMs) return undefined
    const step = await this.#look(tx)
    const problem = step?.kind === 'failed' ? step.message : ''
    const isNews = problem !== this.#problem && problem !== ''
    this.#problem = problem
    if (step?.kind !== 'failed' || authorityOf(tx) === undefined) return step
    if (isNews)
      env.log.write('warn', 'connect', 'the mesh does not follow that of the primary datacenter', { why: problem })
    this.#notBeforeMs = env.clock.monoMs() + retryMs
    return undefined
  }

  async #look(tx: ReadTransaction): Promise<Step | undefined> {
    const { server } = this.#parts
    const { federation, env } = server
    if (federation === undefined) return undefined
    const isJoined = authorityOf(tx)?.primary === federation.primaryDatacenter
    if (!isJoined && (!federation.joins || federation.missing().length > 0)) return undefined
    if (env.clock.monoMs() < this.#lookAtMs) return undefined
    const listed = await server.readElsewhere(
      rootsEndpoint,
      {},
      readAt(federation.primaryDatacenter),
      federation.token(),
    )
    if (!listed.ok) return notJoined(listed.error)
    const list = listed.value.value
    const { roots, activeRootId } = list
    const active = roots.find(({ id }) => id === activeRootId)
    if (active === undefined)
      return failedBy({ kind: 'unavailable', message: 'the primary datacenter has no authority yet' })
    const signer = this.#signer(tx, active, isJoined)
    if (signer !== undefined && sameRoots(tx, roots)) {
      this.#lookAtMs = env.clock.monoMs() + lookAtPrimaryMs
      return undefined
    }
    return this.#join(tx, federation, { list, active, signer })
  }

  /** What signs here, where that is below the root that is active there, and lives long enough. */
  #signer(tx: ReadTransaction, active: RootRow, isJoined: boolean): SignerRow | undefined {
    const signer = signerOf(tx, active.id)
    if (!isJoined || signer === undefined) return undefined
    const nowMs = this.#parts.server.env.clock.wallMs()
    const [own] = certificatesIn(signer.ownIntermediates.slice(0, 1))
    if (own === undefined) return undefined
    const isLong = own.notAfterMs - nowMs >= renewedWithLeft * (own.notAfterMs - own.notBeforeMs)
    // Behind it may be what leads to a root that is about to expire: with that no leaf would be worth having.
    const isWhole = signer.chainEndMs - nowMs >= this.#worthHavingMs()
    const hasSame = this.#lasting(active).every((pem) => signer.ownIntermediates.includes(pem))
    return isLong && isWhole && hasSame ? signer : undefined
  }

  /** What leads back from the active root, without what is about to expire: who trusts nothing but that root has no leaf either. */
  #lasting({ intermediates }: RootRow): readonly string[] {
    const untilMs = this.#parts.server.env.clock.wallMs() + this.#worthHavingMs()
    return intermediates.filter((pem) => certificatesIn([pem]).every(({ notAfterMs }) => notAfterMs >= untilMs))
  }

  /** Twice what a leaf must have left: until it is looked at again it still has that. */
  #worthHavingMs(): number {
    return 2 * leafLeftMinMs(this.#parts)
  }

  async #join(
    tx: ReadTransaction,
    federation: MeshFederation,
    found: { readonly list: RootsList; readonly active: RootRow; readonly signer: SignerRow | undefined },
  ): Promise<Step> {
    const { server } = this.#parts
    const { list, active } = found
    const before = activeRoot(tx)
    const crossing = before?.of === '' ? await this.#crossed(tx, before, active) : undefined
    if (crossing !== undefined && 'kind' in crossing) return crossing
    const signed = found.signer ?? (await this.#signed(federation, list, active))
    if ('kind' in signed) return signed
    const options = readOptions(server.mesh?.options ?? {})
    const byAge = [...list.roots].sort((a, b) => a.generation - b.generation)
    const done = await server.propose(federate, {
      primary: federation.primaryDatacenter,
      clusterId: active.clusterId,
      trustDomain: list.trustDomain,
      provider: nameOfKind(server.mesh?.provider ?? ''),
      options: options.ok ? options.value : {},
      roots: byAge.map(takenOf),
      activeId: active.id,
      signer: {
        ownIntermediates: signed.ownIntermediates,
        chainEndMs: signed.chainEndMs,
        privateKeyPem: signed.privateKeyPem,
      },
      crossing: crossing ?? null,
      at: authorityOf(tx)?.modifyIndex ?? 0,
      rootAt: before?.modifyIndex ?? 0,
      nowMs: server.env.clock.wallMs(),
    })
    if (!done.ok) return notReplicated(done.error)
    const fields = { primary: federation.primaryDatacenter, root: active.id, roots: list.roots.length }
    if (done.value) {
      // Whatever it was given holds until it looks again, however short that is.
      this.#lookAtMs = server.env.clock.monoMs() + lookAtPrimaryMs
      server.env.log.write('info', 'connect', 'the mesh is one with that of the primary datacenter', fields)
    }
    return did
  }

  async #signed(
    federation: MeshFederation,
    { trustDomain }: RootsList,
    active: RootRow,
  ): Promise<Omit<SignerRow, 'rootId' | 'rootCertificate'> | Step> {
    const { env, datacenter } = this.#parts.server
    const key = await env.crypto.generateKey('ec-256')
    const wishes = {
      commonName: `${productTitle} CA ${datacenter}`.slice(0, 64),
      uris: [signingUri(trustDomain)],
      authority: true,
    }
    const csr = requestPem(makeRequest(key, wishes))
    const to = { datacenter: federation.primaryDatacenter, token: federation.token() }
    const signed = await this.#parts.server.writeElsewhere(signIntermediateEndpoint, { csr, datacenter }, to)
    if (!signed.ok) return notJoined(signed.error)
    const { rootId, certificate, behind } = signed.value
    if (rootId !== active.id)
      return failedBy({ kind: 'unavailable', message: 'the primary datacenter has another root meanwhile' })
    const ownIntermediates = [certificate, ...behind, ...this.#lasting(active)]
    const ends = certificatesIn(ownIntermediates).map(({ notAfterMs }) => notAfterMs)
    if (ends.length < ownIntermediates.length) {
      return failedBy({ kind: 'refused', message: 'what the primary datacenter has signed cannot be read' })
    }
    return { ownIntermediates, chainEndMs: Math.min(active.notAfterMs, ...ends), privateKeyPem: key.privateKeyPem }
  }

  /** Who trusts nothing but the own root until now accepts what is signed below that of the primary. */
  async #crossed(tx: ReadTransaction, own: RootRow, active: RootRow): Promise<CrossingFacts | Step> {
    const { server, skewMs } = this.#parts
    const signer = await this.#providers.active(tx)
    if (!signer.ok) return failedBy(signer.error)
    const serial = await server.propose(takeSerialNumbers, { count: 1 })
    if (!serial.ok) return notReplicated(serial.error)
    const wish = {
      rootCertificate: active.certificate,
      serial: serial.value.first,
      notBeforeMs: wholeSecond(server.env.clock.wallMs() - skewMs),
      notAfterMs: Math.min(own.notAfterMs, active.notAfterMs),
    }
    const signed = await providedWithin(server.env, rootWithinMs, signer.value.provider.crossSign(wish))
    if (!signed.ok) return failedBy(signed.error)
    const facts = crossingFactsOf(signed.value, active.certificate)
    return facts.ok ? facts.value : failedBy(facts.error)
  }
}

function readAt(datacenter: string): ReadOptions {
  return { consistency: 'default', minIndex: 0, waitMs: 0, maxStaleMs: 0, datacenter }
}

function takenOf(root: RootRow) {
  const { id, name, serialNumber, signingKeyId, notBeforeMs, notAfterMs, certificate, provider } = root
  return { id, name, serialNumber, signingKeyId, notBeforeMs, notAfterMs, certificate, provider }
}

function sameRoots(tx: ReadTransaction, roots: readonly RootRow[]): boolean {
  const taken = [...allRoots(tx)].filter(({ of }) => of !== '')
  return (
    taken.length === roots.length &&
    roots.every((root) => taken.some(({ id, active }) => id === root.id && active === root.active))
  )
}

function certificatesIn(pems: readonly string[]) {
  return pems.flatMap((pem) => {
    const read = readCertificates(pem)
    return read.ok ? read.value : []
  })
}

function notJoined(failure: Failure): Step {
  return { kind: 'failed', by: 'replication', message: `the primary datacenter: ${failureText(failure)}` }
}
