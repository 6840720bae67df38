import { noChange } from '../../../model/log-position.ts'
import { providerName } from '../../../model/naming/names.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import type { MeshFederation } from '../../contract/mesh.ts'
import type { ReadOptions } from '../../contract/reading.ts'
import { leafLeftMinMs, retryMaxMs } from '../limits.ts'
import type { RootRow, RootsList } from '../model.ts'
import { readOptions } from '../options.ts'
import { type AuthorityParts, did, failedBy, notReplicated, type Step } from '../parts.ts'
import type { OpenProviders } from '../provider/open-providers.ts'
import { rootsEndpoint } from '../read-endpoints.ts'
import type { SignerRow } from '../tables.ts'
import { activeRoot, allRoots, authorityOf, rootById, signerOf } from '../views.ts'
import { authorityBelow, certificatesIn, crossedByOwn, notJoined } from './authority-below.ts'
import { federate, leavesOwnRoot } from './federation-commands.ts'
import { renewedWithLeft } from './intermediates.ts'

/** Interval at which a secondary datacenter reads the primary's roots. Spec: FED-006. */
const lookAtPrimaryMs = 120_000
/**
 * Interval, before it has joined, at which it checks in the pools whether all servers of both datacenters support
 * federation.
 */
const lookAtPoolsMs = 5_000
/** Pause before a failed attempt is repeated, doubled each time. */
const retryMs = 10_000

/**
 * Makes a secondary datacenter part of the primary's mesh: it trusts the same roots, and signs its leaves by an
 * authority that the primary has signed. It joins when all servers of both datacenters support that; before, and
 * without a primary, it has a mesh of its own. Spec: FED-001, FED-007, FED-009.
 */
export class Joining {
  readonly #parts: AuthorityParts
  readonly #providers: OpenProviders
  /**
   * Next read of the primary. All code uses this one number: differences computed twice would be rounded differently.
   */
  #lookAtMs = Number.NEGATIVE_INFINITY
  #notBeforeMs = 0
  #pauseMs = retryMs
  #problem = ''

  constructor(parts: AuthorityParts, providers: OpenProviders) {
    this.#parts = parts
    this.#providers = providers
  }

  /** Pause until the next step; infinite if there is nothing to join. */
  restMs(tx: ReadTransaction): number {
    const { federation, env } = this.#parts.server
    if (federation === undefined) return Number.POSITIVE_INFINITY
    const isJoined = authorityOf(tx)?.primary === federation.primaryDatacenter
    if (!isJoined && !federation.joins) return Number.POSITIVE_INFINITY
    const isWell = isJoined && this.#problem === ''
    // Counted from the last read: other work of the leader does not delay it.
    return isWell ? this.#lookAtMs - env.clock.monoMs() : lookAtPoolsMs
  }

  /** Why it does not proceed at present, although leaves are signed; empty if it proceeds. */
  get problem(): string {
    return this.#problem
  }

  /** Undefined: there is nothing to do now, or it failed, and the other work goes on without it. */
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
      return failedBy({ kind: 'unavailable', message: 'the primary datacenter has no certificate authority yet' })
    // New servers of the primary datacenter may have been given its former root, below another trust domain.
    const isSameMesh = isJoined && authorityOf(tx)?.trustDomain === list.trustDomain
    const signer = this.#signer(tx, active, isSameMesh)
    if (signer !== undefined && sameRoots(tx, roots)) {
      this.#lookAtMs = env.clock.monoMs() + lookAtPrimaryMs
      return undefined
    }
    return this.#join(tx, federation, { list, active, signer })
  }

  /** The signer of this datacenter, if it is below the primary's active root and lives long enough. */
  #signer(tx: ReadTransaction, active: RootRow, isSameMesh: boolean): SignerRow | undefined {
    const signer = signerOf(tx, active.id)
    if (!isSameMesh || signer === undefined) return undefined
    const nowMs = this.#parts.server.env.clock.wallMs()
    const [own] = certificatesIn(signer.ownIntermediates.slice(0, 1))
    if (own === undefined) return undefined
    const isLong = own.notAfterMs - nowMs >= renewedWithLeft * (own.notAfterMs - own.notBeforeMs)
    // The chain may contain a certificate that is about to expire, which would cut every leaf short.
    const isWhole = signer.chainEndMs - nowMs >= this.#worthHavingMs()
    const hasSame = this.#lasting(active).every((pem) => signer.ownIntermediates.includes(pem))
    return isLong && isWhole && hasSame ? signer : undefined
  }

  /**
   * The chain back from the active root without certificates that are about to expire: verifiers that trust only such a
   * root have no valid leaf either.
   */
  #lasting({ intermediates }: RootRow): readonly string[] {
    const untilMs = this.#parts.server.env.clock.wallMs() + this.#worthHavingMs()
    return intermediates.filter((pem) => certificatesIn([pem]).every(({ notAfterMs }) => notAfterMs >= untilMs))
  }

  /** Twice the minimum lifetime of a leaf, so that the minimum is still left at the next look. */
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
    // Begins with what the primary may refuse for good: everything else costs a command each time.
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
      provider: providerName(server.naming, server.mesh?.provider ?? ''),
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
      // The new authority is used until the next read, however short its lifetime is.
      this.#lookAtMs = server.env.clock.monoMs() + lookAtPrimaryMs
      server.env.log.write('info', 'connect', 'the mesh is one with that of the primary datacenter', fields)
    }
    return did
  }
}

function readAt(datacenter: string): ReadOptions {
  return { consistency: 'default', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter }
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

/**
 * A datacenter that signs below the root of another one, which it can no longer follow according to this server's
 * configuration.
 */
function leftAlone({ server }: AuthorityParts, tx: ReadTransaction): Step | undefined {
  const followed = authorityOf(tx)?.primary ?? ''
  if (followed === '') return undefined
  const remedy = server.isPrimary
    ? 'this datacenter is the primary one now: PUT /v1/connect/ca/configuration gives it a root of its own'
    : 'this server is not in the pool of all datacenters'
  const message = `leaves are signed below the root of ${followed}, and nothing renews the intermediate certificate: ${remedy}`
  return failedBy({ kind: 'refused', message })
}
