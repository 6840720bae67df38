import { z } from 'zod'
import { byteString } from '../../../base/bytes.ts'
import { releaseOf } from '../../../model/release.ts'
import type { WriteTransaction } from '../../../store/types.ts'
import type { CommandDefinition } from '../../contract/command.ts'
import { count } from '../../contract/fields.ts'
import { certificateFacts, crossingFacts, moment, options, pemList } from '../fields.ts'
import { rootsMax } from '../limits.ts'
import type { AuthorityRow, RootRow } from '../model.ts'
import { authorityTable, crossingsTable, leavesKey, leavesTable, rootsTable, signersTable } from '../tables.ts'
import { activeRoot, allRoots, authorityOf, lastLeafExpiry, openRotation, rootById } from '../views.ts'
import { endRotation, newestGeneration, noteLeaf, removeRoot, tidyCrossings } from '../writes.ts'

const federationSince = releaseOf('mesh-federation')

const takenRoot = z.strictObject(certificateFacts)

const federateBody = z.strictObject({
  primary: z.string(),
  clusterId: z.string(),
  trustDomain: z.string(),
  /** The provider, if the authority has not begun here yet. */
  provider: z.string(),
  options,
  /** In order of age, the oldest first. */
  roots: z
    .array(takenRoot)
    .min(1)
    .max(2 * rootsMax)
    .readonly(),
  activeId: z.string(),
  signer: z.strictObject({ ownIntermediates: pemList, chainEndMs: moment, privateKeyPem: z.string() }),
  /**
   * The primary's active root as signed by this datacenter's own root, if the latter has signed until now
   * (`leavesOwnRoot`).
   */
  crossing: z.strictObject(crossingFacts).nullable(),
  /** ModifyIndex of the configuration, and of the active root, when the leader read them; 0: there was none. */
  at: count,
  rootAt: count,
  nowMs: moment,
})

type Federate = z.infer<typeof federateBody>

/**
 * Takes over the roots that the primary datacenter trusts, and the signer here below the primary's active root, in one
 * transaction. The own root, if there was one, becomes an old one, and is removed when its leaves have expired. False:
 * something has changed meanwhile.
 */
export const federate: CommandDefinition<Federate, boolean> = {
  kind: 'connect.federate',
  outcome: z.boolean(),
  since: federationSince,
  body: federateBody,
  apply: (tx, body) => {
    const authority = authorityOf(tx)
    const before = activeRoot(tx)
    if ((authority?.modifyIndex ?? 0) !== body.at || (before?.modifyIndex ?? 0) !== body.rootAt) return false
    const isLeft = leavesOwnRoot(authority, before, body.activeId)
    if (isLeft && body.crossing === null) return false
    const rotation = openRotation(tx)
    if (rotation !== undefined) endRotation(tx, rotation, 'given-up')
    const { provider, options: wished, primary, clusterId, trustDomain, crossing } = body
    if (authority === undefined || authority.primary !== primary || authority.trustDomain !== trustDomain) {
      const kept = authority ?? { provider, options: wished, createIndex: tx.index }
      tx.put(authorityTable, Object.freeze({ ...kept, clusterId, trustDomain, primary, modifyIndex: tx.index }))
    }
    takeRoots(tx, body, before)
    if (before !== undefined) tx.delete(signersTable, byteString(before.id))
    tx.put(signersTable, Object.freeze({ ...body.signer, rootId: body.activeId, rootCertificate: '' }))
    const active = rootById(tx, body.activeId)
    if (crossing !== null && isLeft && before !== undefined && active !== undefined) {
      const ends = {
        generation: active.generation,
        rootId: active.id,
        byGeneration: before.generation,
        byRootId: before.id,
      }
      tx.put(crossingsTable, Object.freeze({ ...crossing, ...ends }))
    }
    tidyCrossings(tx)
    return true
  },
}

/**
 * Whether a joining datacenter has signed with a root of its own until now. Both may have been given the same root,
 * which then needs no crossing.
 */
export function leavesOwnRoot(
  authority: AuthorityRow | undefined,
  before: RootRow | undefined,
  activeId: string,
): boolean {
  return authority?.primary === '' && before !== undefined && before.id !== activeId
}

function takeRoots(tx: WriteTransaction, body: Federate, before: RootRow | undefined): void {
  const { roots, activeId, primary, nowMs } = body
  const listed = new Set(roots.map(({ id }) => id))
  if (before !== undefined && before.id !== activeId)
    put(tx, { ...before, active: false, replacedMs: nowMs, intermediates: [] })
  for (const root of [...allRoots(tx)]) {
    if (root.of === '' || listed.has(root.id)) continue
    // The root belongs to an earlier mesh, because its primary has lost its data, or another datacenter is the primary
    // now; or this datacenter has signed with its key. Only this datacenter still knows when its own leaves under that
    // root expire, so it keeps the root as if it were its own.
    if (root.clusterId === body.clusterId && formerLeavesEndMs(tx, root) <= nowMs) removeRoot(tx, root.id)
    else put(tx, { ...root, of: '' })
  }
  const inOrder = [...roots.filter(({ id }) => id !== activeId), ...roots.filter(({ id }) => id === activeId)]
  for (const root of inOrder) {
    const known = rootById(tx, root.id)
    if (known !== undefined && known.of !== primary) noteFormerLeaves(tx, known)
    const active = root.id === activeId
    const newest = newestGeneration(tx)
    // The active root is always the newest, even if it was active before, and others came and went between two looks.
    const isPlaced = known !== undefined && (active ? known.active && known.generation === newest : true)
    if (isPlaced && known.active === active && known.of === primary) continue
    const generation = isPlaced ? known.generation : newest + 1
    const replacedMs = active ? 0 : (known?.replacedMs ?? nowMs)
    const createIndex = known?.createIndex ?? tx.index
    put(tx, {
      ...root,
      clusterId: body.clusterId,
      of: primary,
      active,
      generation,
      replacedMs,
      intermediates: [],
      createIndex,
    })
  }
}

/** Stands for leaves that this datacenter signed before the root became one of the present primary datacenter's. */
const formerly = ''

/**
 * The primary datacenter knows of the leaves that are signed here below its intermediate, and of no earlier ones. A
 * former primary that comes back has such leaves, a datacenter that was given the same root, and one that followed a
 * former primary for a while after another datacenter had become the primary.
 */
function noteFormerLeaves(tx: WriteTransaction, { id }: RootRow): void {
  const lastMs = lastLeafExpiry(tx, id)
  if (lastMs !== undefined) noteLeaf(tx, id, formerly, lastMs)
}

function formerLeavesEndMs(tx: WriteTransaction, { id }: RootRow): number {
  return tx.get(leavesTable, leavesKey(id, formerly))?.expiresMs ?? 0
}

function put(tx: WriteTransaction, row: Omit<RootRow, 'modifyIndex'>): void {
  tx.put(rootsTable, Object.freeze({ ...row, modifyIndex: tx.index }))
}
