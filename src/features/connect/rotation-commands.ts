import { z } from 'zod'
import { isBuiltInProvider } from '../../model/naming/names.ts'
import type { WriteTransaction } from '../../store/types.ts'
import type { CommandDefinition } from '../contract/command.ts'
import { count } from '../contract/fields.ts'
import { meshSince } from './commands.ts'
import { crossingFacts, moment, options, type RootFacts, rootFacts } from './fields.ts'
import type { AuthorityRow, ProviderOptions } from './model.ts'
import { authorityTable, type RotationRow, rootsTable, rotationsTable } from './tables.ts'
import { activeRoot, allRoots, authorityOf, isOpen, lastLeafExpiry, openRotation, rotationById } from './views.ts'
import { activate, endRotation, noteLeaf, putSigner, tidyCrossings } from './writes.ts'

/**
 * Changes of the configuration, and of the root if needed. A rotation is a row with its state. Each step is a command
 * that names the rotation, and does nothing if the rotation is not at the step before. So whichever leader continues,
 * and however often a step is tried, each step happens once and in order. Spec: CA-018, CA-019, CA-020.
 */

const updateBody = z.strictObject({
  /**
   * What the leader found to be due: nothing; waiting for the rotation under way, which leads to the same
   * configuration; other options for the same root; another root; or canceling the rotation under way.
   */
  due: z.enum(['nothing', 'joining', 'options', 'rotation', 'giving-up']),
  provider: z.string(),
  options,
  /** ModifyIndex of the configuration that the leader based this on. */
  at: count,
  /** The rotation to be canceled; 0: none. */
  rotation: count,
  /**
   * The rotation omits the old root's signature: with a provider that is gone for good, it could never end otherwise.
   */
  uncrossed: z.boolean().default(false),
  /** The caller wants the change only if the configuration has this ModifyIndex. Null: always. */
  onlyAt: count.nullable(),
  nowMs: moment,
})

export type Updated =
  /** The configuration is as wished. */
  | { readonly kind: 'done' }
  /** It will be when that rotation has ended. */
  | { readonly kind: 'rotating'; readonly rotation: number }
  /** The configuration does not have the index of `onlyAt`. */
  | { readonly kind: 'other-index' }
  /** The configuration is not the one that the leader read: it looks again. */
  | { readonly kind: 'changed' }

export const updateAuthority: CommandDefinition<z.infer<typeof updateBody>, Updated> = {
  kind: 'connect.update',
  since: meshSince,
  body: updateBody,
  apply: (tx, body) => {
    const authority = authorityOf(tx)
    if (authority === undefined) return { kind: 'changed' }
    if (body.onlyAt !== null && body.onlyAt !== authority.modifyIndex) return { kind: 'other-index' }
    const rotation = openRotation(tx)
    if (authority.modifyIndex !== body.at || (rotation?.id ?? 0) !== body.rotation) return { kind: 'changed' }
    if (body.due === 'nothing') return { kind: 'done' }
    // Not `done`: a repetition of this write gets the same outcome, however that rotation has ended by then.
    if (body.due === 'joining') {
      if (rotation !== undefined && body.uncrossed) put(tx, { ...rotation, uncrossed: true })
      return { kind: 'rotating', rotation: body.rotation }
    }
    if (body.due === 'rotation') return rotation === undefined ? begun(tx, body) : { kind: 'changed' }
    if (rotation !== undefined) endRotation(tx, rotation, 'given-up')
    if (body.due === 'options') configure(tx, authority, body)
    return { kind: 'done' }
  },
}

function begun(
  tx: WriteTransaction,
  body: Pick<z.infer<typeof updateBody>, 'provider' | 'options' | 'nowMs' | 'uncrossed'>,
): Updated {
  const { provider, options: wished, nowMs: startedMs, uncrossed } = body
  const row = {
    id: tx.index,
    step: 'begun',
    why: '',
    provider,
    options: wished,
    startedMs,
    uncrossed,
    root: null,
    crossing: null,
  } as const
  tx.put(rotationsTable, Object.freeze({ ...row, modifyIndex: tx.index }))
  return { kind: 'rotating', rotation: tx.index }
}

function configure(
  tx: WriteTransaction,
  authority: AuthorityRow,
  { provider, options: wished }: { readonly provider: string; readonly options: ProviderOptions },
): void {
  tx.put(authorityTable, Object.freeze({ ...authority, provider, options: wished, modifyIndex: tx.index }))
}

const rotation = count

const requestedBody = z.strictObject({ rotation, root: z.strictObject(rootFacts) })

/**
 * Step 1: the new root, as the certificate that the old one is to sign. Another root than the recorded one, of a
 * provider that may lose it, starts the rotation again. True: the rotation continues from there.
 */
export const rotationRequested: CommandDefinition<z.infer<typeof requestedBody>, boolean> = {
  kind: 'connect.rotation-requested',
  outcome: z.boolean(),
  since: meshSince,
  body: requestedBody,
  apply: (tx, body) => {
    const row = rotationById(tx, body.rotation)
    if (row === undefined || !mayGetRoot(row) || row.root?.id === body.root.id) return false
    put(tx, { ...row, step: 'requested', root: body.root, crossing: null })
    return true
  },
}

const crossedBody = z.strictObject({ rotation, byRootId: z.string(), crossing: z.strictObject(crossingFacts) })

/** Step 2: the old root has signed the new one. */
export const rotationCrossed: CommandDefinition<z.infer<typeof crossedBody>, boolean> = {
  kind: 'connect.rotation-crossed',
  outcome: z.boolean(),
  since: meshSince,
  body: crossedBody,
  apply: (tx, body) => {
    const row = rotationAt(tx, body.rotation, 'requested')
    if (row === undefined || activeRoot(tx)?.id !== body.byRootId) return false
    put(tx, { ...row, step: 'crossed', crossing: body.crossing })
    return true
  },
}

const activateBody = z.strictObject({
  rotation,
  nowMs: moment,
  /** The old root has expired, so that nothing can be signed with it. */
  oldIsOver: z.boolean().default(false),
  /** If the old root belongs to another datacenter: the latest possible expiry of leaves below it elsewhere. */
  othersUntilMs: moment.default(0),
})

/**
 * Step 3: the new root becomes active, with its crossing and the new configuration, in one transaction. If the old root
 * has meanwhile signed a leaf that outlives the crossing, the rotation returns to step 2 for a longer one.
 *
 * There is no crossing if none can be made: a datacenter that followed another and is the primary now has no key of the
 * old root; the provider with the old root's key may be gone for good, as the operator declares (`uncrossed`); and an
 * expired root cannot sign. Both roots are trusted at once, and a verifier that has not heard of the new one yet
 * refuses its leaves until it has. The alternative would be to sign nothing at all, sooner or later.
 */
export const rotationActivate: CommandDefinition<
  z.infer<typeof activateBody>,
  'activated' | 'crossing-short' | 'not-there'
> = {
  kind: 'connect.rotation-activate',
  since: meshSince,
  body: activateBody,
  apply: (tx, body) => {
    const row = rotationById(tx, body.rotation)
    const authority = authorityOf(tx)
    const active = activeRoot(tx)
    if (row === undefined || !isOpen(row) || row.root === null) return 'not-there'
    if (authority === undefined || active === undefined) return 'not-there'
    const isTaken = active.of !== ''
    if (isTaken) keepTaken(tx, { ...body, followed: authority.primary })
    if (row.root.id === active.id) takeOver(tx, row.root)
    else if (isTaken) activate(tx, row.root, null, body.nowMs)
    else if (row.crossing === null) {
      if (!row.uncrossed && !body.oldIsOver) return 'not-there'
      activate(tx, row.root, null, body.nowMs)
    } else if ((lastLeafExpiry(tx, active.id) ?? 0) > row.crossing.notAfterMs) {
      put(tx, { ...row, step: 'requested', crossing: null })
      return 'crossing-short'
    } else activate(tx, row.root, row.crossing, body.nowMs)
    configure(tx, { ...authority, primary: '' }, row)
    endRotation(tx, row, 'activated')
    return 'activated'
  },
}

const refusedBody = z.strictObject({ rotation, why: z.string().max(1_024) })

/** The new provider refuses these options, or its root is of no use: the rotation ends, and nothing has changed. */
export const rotationRefused: CommandDefinition<z.infer<typeof refusedBody>, boolean> = {
  kind: 'connect.rotation-refused',
  outcome: z.boolean(),
  since: meshSince,
  body: refusedBody,
  apply: (tx, { rotation: id, why }) => {
    const row = rotationById(tx, id)
    if (row === undefined || !isOpen(row)) return false
    endRotation(tx, row, 'refused', why)
    return true
  },
}

/** Another configuration has turned out to have the same root, perhaps with another provider. */
function takeOver(tx: WriteTransaction, root: RootFacts): void {
  const active = activeRoot(tx)
  const { name, provider } = root
  if (active !== undefined && active.provider !== provider)
    tx.put(rootsTable, Object.freeze({ ...active, name, provider, modifyIndex: tx.index }))
  putSigner(tx, root)
  tidyCrossings(tx)
}

/** Roots that were taken over become roots of this datacenter, which alone knows when to remove them. */
function keepTaken(
  tx: WriteTransaction,
  { othersUntilMs, followed }: { readonly othersUntilMs: number; readonly followed: string },
): void {
  for (const taken of [...allRoots(tx)].filter(({ of }) => of !== '')) {
    tx.put(rootsTable, Object.freeze({ ...taken, of: '', modifyIndex: tx.index }))
    noteLeaf(tx, taken.id, followed, Math.min(taken.notAfterMs, othersUntilMs))
  }
}

/**
 * The servers get a root of their own once. A root that is kept elsewhere may be replaced there before it is active
 * here; without another one the rotation could never end.
 */
function mayGetRoot(row: RotationRow): boolean {
  return row.step === 'begun' || (isOpen(row) && !isBuiltInProvider(row.provider))
}

function rotationAt(tx: WriteTransaction, id: number, step: RotationRow['step']): RotationRow | undefined {
  const row = rotationById(tx, id)
  return row?.step === step ? row : undefined
}

function put(tx: WriteTransaction, row: RotationRow): void {
  tx.put(rotationsTable, Object.freeze({ ...row, modifyIndex: tx.index }))
}
