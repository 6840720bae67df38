import { z } from 'zod'
import { releaseOf } from '../../model/release.ts'
import { count } from '../contract/fields.ts'
import type { CommandDefinition } from '../contract/server-context.ts'
import { moment, options, rootFacts } from './fields.ts'
import { authorityTable } from './tables.ts'
import { activeRoot, authorityOf, goesMs, rootById } from './views.ts'
import { activate, noteLeaf, putSigner, removeRoot, takeSerials, tidyCrossings } from './writes.ts'

/** Commands of the authority but for rotations (rotation-commands.ts). */

export const meshSince = releaseOf('mesh')

/** Serial numbers in one command at most: leaves of one batch, or a root and what crosses it. */
const serialsAtOnce = 64

const serialsBody = z.strictObject({ count: z.number().int().min(1).max(serialsAtOnce) })

/** So many serial numbers, the first of which comes back, decimal. What is not used is lost, and no harm done. */
export const takeSerialNumbers: CommandDefinition<z.infer<typeof serialsBody>, { readonly first: string }> = {
  kind: 'connect.serials',
  outcome: z.object({ first: z.string() }),
  since: meshSince,
  body: serialsBody,
  apply: (tx, body) => ({ first: String(takeSerials(tx, body.count)) }),
}

const beginBody = z.strictObject({
  provider: z.string(),
  options,
  clusterId: z.string(),
  trustDomain: z.string(),
  root: z.strictObject(rootFacts),
})

/** The first configuration and the first root, at once. False: there are some already, and nothing has changed. */
export const beginAuthority: CommandDefinition<z.infer<typeof beginBody>, boolean> = {
  kind: 'connect.begin',
  outcome: z.boolean(),
  since: meshSince,
  body: beginBody,
  apply: (tx, { root, ...configuration }) => {
    if (authorityOf(tx) !== undefined) return false
    tx.put(
      authorityTable,
      Object.freeze({ ...configuration, primary: '', createIndex: tx.index, modifyIndex: tx.index }),
    )
    activate(tx, root, null, 0)
    return true
  },
}

const leavesBody = z.strictObject({
  /** Under which they are to be signed. */
  rootId: z.string(),
  datacenter: z.string(),
  count: z.number().int().min(1).max(serialsAtOnce),
  /** The latest of them. */
  expiresMs: moment,
})

/** `first`: of as many serial numbers as there are leaves. Null: that root is not active, and nothing may be signed under it. */
export type LeavesRecorded = { readonly first: string } | null

/**
 * Leaves that are about to be signed. Why no leaf is ever given out whose root goes before it expires:
 * 1. A leaf leaves a server only when this command for it has committed, and its server has seen that.
 * 2. The command changes something only while the root is active: what it records is there before the root becomes inactive.
 * 3. From then on nothing adds to it. A root goes by a command that compares what is recorded (`pruneRoots`).
 */
export const recordLeaves: CommandDefinition<z.infer<typeof leavesBody>, LeavesRecorded> = {
  kind: 'connect.leaves',
  since: meshSince,
  body: leavesBody,
  apply: (tx, body) => {
    if (activeRoot(tx)?.id !== body.rootId) return null
    noteLeaf(tx, body.rootId, body.datacenter, body.expiresMs)
    return { first: String(takeSerials(tx, body.count)) }
  },
}

const pruneBody = z.strictObject({
  rootIds: z.array(z.string()).max(64).readonly(),
  /** The leader's wall clock, and how far clocks may be apart. */
  nowMs: moment,
  skewMs: moment,
  /** The least that a leaf may live. */
  leafTtlMinMs: moment,
})

/** Takes out those that are not active, and of which every leaf has expired. How many went. */
export const pruneRoots: CommandDefinition<z.infer<typeof pruneBody>, number> = {
  kind: 'connect.prune',
  outcome: z.number(),
  since: meshSince,
  body: pruneBody,
  apply: (tx, { rootIds, nowMs, ...times }) => {
    let gone = 0
    for (const id of rootIds) {
      const root = rootById(tx, id)
      if (root === undefined || root.active || root.of !== '' || goesMs(tx, root, times) > nowMs) continue
      removeRoot(tx, id)
      gone++
    }
    return gone
  },
}

const reviewBody = z.strictObject({
  root: z.strictObject(rootFacts),
  /** ModifyIndex of the root when its provider was asked. */
  at: count,
})

/** What a provider has renewed below its root by itself. False: the root has changed meanwhile. */
export const renewSigner: CommandDefinition<z.infer<typeof reviewBody>, boolean> = {
  kind: 'connect.renew',
  outcome: z.boolean(),
  since: meshSince,
  body: reviewBody,
  apply: (tx, { root, at }) => {
    const active = activeRoot(tx)
    if (active === undefined || active.id !== root.id || active.modifyIndex !== at) return false
    putSigner(tx, root)
    tidyCrossings(tx)
    return true
  },
}
