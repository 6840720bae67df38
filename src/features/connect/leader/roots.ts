import { utf8 } from '../../../base/bytes.ts'
import { lowerAscii } from '../../../base/letter-case.ts'
import { uuidOf } from '../../../base/uuid.ts'
import { isBuiltInProvider, providerName } from '../../../model/naming/names.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import type { MeshSettings } from '../../contract/mesh.ts'
import { beginAuthority, pruneRoots, renewSigner, takeSerialNumbers } from '../commands.ts'
import { type MeshTimes, rootWithinMs } from '../limits.ts'
import { commonProblem, readOptions } from '../options.ts'
import { type AuthorityParts, did, failedBy, notReplicated, type Step } from '../parts.ts'
import { rootFactsOf } from '../provider/facts.ts'
import type { ActiveSigner, OpenProviders } from '../provider/open-providers.ts'
import { providedWithin } from '../provider/provider.ts'
import { activeRoot, allRoots, goesMs } from '../views.ts'

/**
 * Creates the first root and configuration from the settings of the leader; later values of these settings have no
 * effect. Two leaders may both try: the command of one begins the authority, and that of the other finds it begun.
 * Spec: CA-007, CA-011, CA-012.
 */
export class Bootstrap {
  readonly #parts: AuthorityParts
  readonly #providers: OpenProviders
  /** Chosen once, so that a repeated attempt asks the provider for the same root. */
  #clusterId = ''

  constructor(parts: AuthorityParts, providers: OpenProviders) {
    this.#parts = parts
    this.#providers = providers
  }

  async step(): Promise<Step> {
    const { server } = this.#parts
    const { mesh, env } = server
    if (mesh === undefined) return { kind: 'idle', forMs: Number.POSITIVE_INFINITY }
    const options = readOptions(mesh.options)
    if (!options.ok) return failedBy({ kind: 'refused', message: options.error })
    const problem = commonProblem(options.value, this.#parts)
    if (problem !== undefined) return failedBy({ kind: 'refused', message: `error configuring provider: ${problem}` })
    const provider = providerName(server.naming, mesh.provider)
    const clusterId = this.#identity(mesh.clusterId, provider)
    const trustDomain = trustDomainIn(mesh, clusterId)
    const serial = await server.propose(takeSerialNumbers, { count: 1 })
    if (!serial.ok) return notReplicated(serial.error)
    const wanted = { clusterId, trustDomain }
    const root = await this.#providers.rootOf(provider, options.value, wanted, serial.value.first)
    if (!root.ok) return this.#adopts(mesh, root.error.foreign) ? did : failedBy(root.error)
    const begun = await server.propose(beginAuthority, {
      provider,
      options: options.value,
      ...wanted,
      root: root.value,
    })
    if (!begun.ok) return notReplicated(begun.error)
    if (begun.value) {
      const fields = { provider, trust_domain: trustDomain, root: root.value.id }
      env.log.write('info', 'connect', 'the certificate authority has started', fields)
    }
    return did
  }

  /**
   * Drawn, unless the root is made elsewhere. Such a root stays there if this leader is lost before it is recorded, and
   * names this identity: the next leader must be able to tell it from the root of another cluster.
   */
  #identity(given: string, provider: string): string {
    if (this.#clusterId === '') {
      const { env, raft } = this.#parts.server
      const leader = isBuiltInProvider(provider) ? undefined : raft.status().leader?.id
      const own = leader === undefined ? undefined : this.#identityBy(leader)
      this.#clusterId = given === '' ? (own ?? uuidOf(env.crypto.randomBytes(16, 'cluster id'))) : lowerAscii(given)
    }
    return this.#clusterId
  }

  /** The identity that a server of this ID begins with; undefined: the ID is an address, which others may have, too. */
  #identityBy(serverId: string): string | undefined {
    if (!uuidForm.test(serverId)) return undefined
    const { crypto } = this.#parts.server.env
    return uuidOf(crypto.sha256(utf8(`mesh begun by ${lowerAscii(serverId)}`)).subarray(0, 16))
  }

  /** Whether a server of this cluster has made the root of that trust domain, as a leader before this one. */
  #adopts(mesh: MeshSettings, foreign: string | undefined): boolean {
    if (foreign === undefined || mesh.clusterId !== '') return false
    const { servers } = this.#parts.server.raft.status().configuration
    const found = servers.map(({ id }) => this.#identityBy(id)).find((id) => id && trustDomainIn(mesh, id) === foreign)
    this.#clusterId = found ?? this.#clusterId
    return found !== undefined
  }
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function trustDomainIn({ dnsDomain }: MeshSettings, clusterId: string): string {
  return lowerAscii(`${clusterId}.${withoutDot(dnsDomain)}`)
}

function withoutDot(domain: string): string {
  return domain.endsWith('.') ? domain.slice(0, -1) : domain
}

/** Lets the provider check its state; certificates that it renewed below its root come with leaves from now on. */
export async function reviewStep({ server }: AuthorityParts, tx: ReadTransaction, signer: ActiveSigner): Promise<Step> {
  const { provider, provided, ownIntermediates, kind } = signer
  // Not the signer's: the root's row changes while its provider stays open, for example when an older root is removed.
  const root = activeRoot(tx)
  if (provider.review === undefined || root === undefined) return did
  const known = { ...provided, intermediates: ownIntermediates }
  const review = await providedWithin(server.env, rootWithinMs, provider.review(known))
  if (!review.ok) return failedBy(review.error)
  const { intermediates, problem } = review.value
  if (intermediates.join() !== ownIntermediates.join()) {
    const facts = rootFactsOf(server.env, kind, { ...provided, intermediates })
    if (!facts.ok) return failedBy(facts.error)
    const renewed = await server.propose(renewSigner, { root: facts.value, at: root.modifyIndex })
    if (!renewed.ok) return notReplicated(renewed.error)
    if (renewed.value)
      server.env.log.write('info', 'connect', 'the provider has renewed its intermediate certificate', {
        root: root.id,
      })
  }
  return problem === undefined ? did : failedBy({ kind: 'unavailable', message: problem })
}

/** When the next root is removed, by the wall clock; undefined: none is to be removed. */
export function nextToGoMs(tx: ReadTransaction, times: MeshTimes): number | undefined {
  let next: number | undefined
  for (const root of allRoots(tx)) {
    if (root.active || root.of !== '') continue
    const atMs = goesMs(tx, root, times)
    next = Math.min(next ?? atMs, atMs)
  }
  return next
}

/** Removes every root of which all leaves have expired. Spec: CA-024. */
export async function pruneStep({ server, ...times }: AuthorityParts, tx: ReadTransaction): Promise<Step> {
  const { env } = server
  const { skewMs, leafTtlMinMs } = times
  const nowMs = env.clock.wallMs()
  const rootIds = [...allRoots(tx)].filter((root) => !root.active && root.of === '' && goesMs(tx, root, times) <= nowMs)
  const ids = rootIds.map(({ id }) => id)
  const gone = await server.propose(pruneRoots, { rootIds: ids, nowMs, skewMs, leafTtlMinMs })
  if (!gone.ok) return notReplicated(gone.error)
  for (const root of ids) env.log.write('info', 'connect', 'removed an old root: its last leaf has expired', { root })
  return did
}
