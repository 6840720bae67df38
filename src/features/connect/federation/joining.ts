import type { ReadTransaction } from '../../../store/types.ts'
import type { MeshFederation } from '../../contract/federation.ts'
import type { ReadOptions } from '../../contract/reading.ts'
import { did, failedBy, notReplicated, type Step } from '../leader/step.ts'
import { leafLeftMinMs, retryMaxMs } from '../limits.ts'
import type { RootRow, RootsList } from '../model.ts'
import { readOptions } from '../options.ts'
import { nameOfKind } from '../provider/kind-names.ts'
import type { OpenProviders } from '../provider/open-providers.ts'
import { rootsEndpoint } from '../read-endpoints.ts'
import type { AuthorityParts } from '../settings.ts'
import type { SignerRow } from '../tables.ts'
import { activeRoot, allRoots, authorityOf, rootById, signerOf } from '../views.ts'
import { authorityBelow, certificatesIn, crossedByOwn, notJoined } from './authority-below.ts'
import { federate, leavesOwnRoot } from './federation-commands.ts'
import { renewedWithLeft } from './intermediates.ts'

/** How often a secondary datacenter looks at whom the primary trusts. Spec: FED-006. */
const lookAtPrimaryMs = 120_000
/** How often it looks, before it has joined, whether all servers of both know of it: what it sees of their pools tells. */
const lookAtPoolsMs = 5_000
/** What has failed is tried again after this, and after twice as long each time. */
const retryMs = 10_000

/**
 * A secondary datacenter is one with the mesh of the primary one: it trusts the same roots, and signs its leaves by an authority
 * that the primary has signed. It begins when all servers of both know of it; before, and without, it is for itself.
 * Spec: FED-001, FED-007, FED-009.
 */
export class Joining {
  readonly #parts: AuthorityParts
  readonly #providers: OpenProviders
  /** When it looks at the primary again. One number for who asks and who rests: differences of it would be rounded each in its way. */
  #lookAtMs = Number.NEGATIVE_INFINITY
  #notBeforeMs = 0
  #pauseMs = retryMs
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
    return isWell ? this.#lookAtMs - env.clock.monoMs() : lookAtPoolsMs
  }

  /** Why it does not go on at present, while leaves are signed all the same; empty: it does. */
  get problem(): string {
    return this.#problem
  }

  /** Undefined: there is nothing of it to do now, or it failed, and what else there is goes on without it. */
  async step(tx: ReadTransaction): Promise<Step | undefined> {
    const { env, federation } = this.#parts.server
    if (federation !== undefined && env.clock.monoMs() < this.#notBeforeMs) return undefined
    const step = federation === undefined ? leftAlone(this.#parts, tx) : await this.#look(tx, federation)
    const problem = step?.kind === 'failed' ? step.message : ''
    const isNews = problem !== this.#problem && problem !== ''
    this.#problem = problem
    if (step?.kind !== 'failed') this.#pauseMs = retryMs
    if (step?.kind !== 'failed' || authorityOf(tx) === undefined) return step
    if (isNews)
      env.log.write('warn', 'connect', 'the mesh does not follow that of the primary datacenter', { why: problem })
    this.#notBeforeMs = env.clock.monoMs() + this.#pauseMs
    this.#pauseMs = Math.min(2 * this.#pauseMs, retryMaxMs)
    return undefined
  }

  async #look(tx: ReadTransaction, federation: MeshFederation): Promise<Step | undefined> {
    const { server } = this.#parts
    const { env } = server
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
    // First what the primary may refuse for good: all else costs a command each time.
    const signed = found.signer ?? (await authorityBelow(this.#parts, federation, list, this.#lasting(active)))
    if ('kind' in signed) return signed
    const before = activeRoot(tx)
    const own = before !== undefined && leavesOwnRoot(authorityOf(tx), before, active.id) ? before : undefined
    const crossing = own && (await crossedByOwn(this.#parts, this.#providers, tx, { own, active }))
    if (crossing !== undefined && 'kind' in crossing) return crossing
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
    taken.every(({ id }) => roots.some((root) => root.id === id)) &&
    roots.every(({ id, active }) => rootById(tx, id)?.active === active)
  )
}

/** A datacenter that signs below the root of another, which it cannot follow any more by the configuration of this server. */
function leftAlone({ server }: AuthorityParts, tx: ReadTransaction): Step | undefined {
  const followed = authorityOf(tx)?.primary ?? ''
  if (followed === '') return undefined
  const remedy = server.isPrimary
    ? 'this datacenter is the primary one now: svc connect ca set-config gives it a root of its own'
    : 'this server is in no pool of all datacenters'
  const message = `leaves are signed below the root of ${followed}, and nobody renews what signs them: ${remedy}`
  return failedBy({ kind: 'refused', message })
}
