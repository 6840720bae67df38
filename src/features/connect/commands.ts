import { z } from 'zod'
import { isBuiltInProvider } from '../../model/naming/names.ts'
import { releaseOf } from '../../model/release.ts'
import type { CommandDefinition } from '../contract/command.ts'
import { count } from '../contract/fields.ts'
import { clusterNames } from '../operator/views.ts'
import { moment, options, rootFacts } from './fields.ts'
import { authorityTable } from './tables.ts'
import { activeRoot, authorityOf, goesMs, rootById } from './views.ts'
import { activate, noteLeaf, putSigner, removeRoot, takeSerials, tidyCrossings } from './writes.ts'

/** Commands of the certificate authority except rotations (rotation-commands.ts). */

export const meshSince = releaseOf('mesh')

/** Maximum number of serial numbers in one command: leaves of one batch, or a root and its crossings. */
const serialsAtOnce = 64

const serialsBody = z.strictObject({ count: z.number().int().min(1).max(serialsAtOnce) })

/** Reserves this many serial numbers and returns the first, in decimal. Unused ones are lost, which does no harm. */
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

/** Creates the first configuration and the first root together. False: they already exist, and nothing has changed. */
export const beginAuthority: CommandDefinition<z.infer<typeof beginBody>, boolean> = {
  kind: 'connect.begin',
  outcome: z.boolean(),
  since: meshSince,
  body: beginBody,
  apply: (tx, { root, ...configuration }) => {
    if (authorityOf(tx) !== undefined) return false
    // What is called by the product's name is called by the cluster's.
    if (isBuiltInProvider(configuration.provider) && configuration.provider !== clusterNames(tx)) return false
    tx.put(
      authorityTable,
      Object.freeze({ ...configuration, primary: '', createIndex: tx.index, modifyIndex: tx.index }),
    )
    activate(tx, root, null, 0)
    return true
  },
}

const leavesBody = z.strictObject({
  /** The root that is to sign them. */
  rootId: z.string(),
  datacenter: z.string(),
  count: z.number().int().min(1).max(serialsAtOnce),
  /** The latest expiry among them. */
  expiresMs: moment,
})

/**
 * `first` is the first of as many serial numbers as there are leaves. Null: the root is not active, and must not sign
 * anything.
 */
export type LeavesRecorded = { readonly first: string } | null

/**
 * Records leaves that are about to be signed. Why no root is removed before all leaves under it have expired:
 * 1. A leaf leaves a server only after this command for it has committed, and the server has seen that.
 * 2. The command has an effect only while the root is active, so everything it records is there before the root becomes
 *    inactive.
 * 3. From then on nothing is added. A root is removed by a command that compares what is recorded (`pruneRoots`).
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
  /** The leader's wall clock, and the maximum difference between clocks. */
  nowMs: moment,
  skewMs: moment,
  /** The minimum lifetime of a leaf. */
  leafTtlMinMs: moment,
})

/** Removes inactive roots of which every leaf has expired. Returns how many. */
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

/** Records what a provider renewed below its root by itself. False: the root has changed meanwhile. */
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
