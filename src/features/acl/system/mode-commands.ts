import { z } from 'zod'
import type { ModifyIndex } from '../../../model/log-position.ts'
import type { ReadTransaction, WriteTransaction } from '../../../store/types.ts'
import type { CommandDefinition } from '../../contract/command.ts'
import { count, stateIndex } from '../../contract/fields.ts'
import { newSystemSince } from '../commands.ts'
import { tokenFields, uuid } from '../fields.ts'
import { anonymousAccessor, anonymousSecret, managementLink, type TokenRow } from '../model.ts'
import { bootstrapTable, migrationTable, modeTable } from '../tables.ts'
import { bootstrapIndex, isNewMode, migrationOf, tokenByAccessor, tokenBySecret, unmigratedTokens } from '../views.ts'
import { ensureManagementPolicy, managementToken, putToken } from '../writes.ts'

/** How a datacenter switches to the new kind of access control, and the leader's commands for that. */

const nothing = z.strictObject({})

/** Puts the datacenter into the new mode for ever, whichever server leads it. False: it already was. */
export const enterNewMode: CommandDefinition<z.infer<typeof nothing>, boolean> = {
  kind: 'acl.enter-new-mode',
  outcome: z.boolean(),
  since: newSystemSince,
  body: nothing,
  apply: (tx) => {
    if (isNewMode(tx)) return false
    tx.put(modeTable, Object.freeze({ index: tx.index }))
    return true
  },
}

const { secret, createdMs } = tokenFields
const drawnToken = { accessor: uuid, secret, createdMs }

const builtinsBody = z.strictObject({ createdMs, master: z.strictObject({ accessor: uuid, secret }).nullable() })

/**
 * Creates the built-ins of the primary datacenter that are missing: the policy that grants everything, the anonymous
 * token and, if the leader is configured with one, the master token. A legacy token with the secret of one of them
 * stays as it is: the migration handles it.
 */
export const putBuiltins: CommandDefinition<z.infer<typeof builtinsBody>, boolean> = {
  kind: 'acl.builtins',
  outcome: z.boolean(),
  since: newSystemSince,
  body: builtinsBody,
  apply: (tx, { createdMs, master }) => {
    ensureManagementPolicy(tx)
    if (tokenBySecret(tx, anonymousSecret) === undefined) putToken(tx, anonymousToken(createdMs))
    if (master === null || tokenBySecret(tx, master.secret) !== undefined) return true
    if (tokenByAccessor(tx, master.accessor) !== undefined) return true
    putToken(tx, managementToken({ ...master, description: 'Master Token', createdMs }))
    if (bootstrapIndex(tx) === 0) useUpBootstrap(tx)
    return true
  },
}

function anonymousToken(createdMs: number): Omit<TokenRow, 'hash' | 'createIndex' | 'modifyIndex'> {
  return {
    accessor: anonymousAccessor,
    secret: anonymousSecret,
    description: 'Anonymous Token',
    type: '',
    rules: '',
    policies: [],
    local: false,
    createdMs,
  }
}

function useUpBootstrap(tx: WriteTransaction): void {
  tx.put(bootstrapTable, Object.freeze({ index: tx.index }))
}

const bootstrapBody = z.strictObject({ ...drawnToken, resetIndex: stateIndex })

/** `resetIndex`: the index that a reset would have had to name. */
export type Bootstrapped = { readonly id: string } | { readonly resetIndex: ModifyIndex }

/** Creates the first token with all rights; another one only if the body names the index of the last. */
export const bootstrap: CommandDefinition<z.infer<typeof bootstrapBody>, Bootstrapped> = {
  kind: 'acl.bootstrap',
  since: newSystemSince,
  body: bootstrapBody,
  withoutEffect: alreadyDone,
  apply: (tx, { resetIndex, ...drawn }) => {
    const done = alreadyDone(tx, { resetIndex })
    if (done !== undefined) return done
    ensureManagementPolicy(tx)
    putToken(tx, managementToken({ ...drawn, description: 'Bootstrap Token (Global Management)' }))
    useUpBootstrap(tx)
    return { id: drawn.accessor }
  },
}

/** The index of the last bootstrap only grows: a reset that does not name it now never will. */
function alreadyDone(
  tx: ReadTransaction,
  { resetIndex }: { readonly resetIndex: ModifyIndex },
): Bootstrapped | undefined {
  const usedUp = bootstrapIndex(tx)
  return usedUp !== 0 && usedUp !== resetIndex ? { resetIndex: usedUp } : undefined
}

/** Tokens in one batch of the migration. Spec: ACL-036. */
export const migratedAtOnce = 128

const migrateBody = z.strictObject({
  tokens: z
    .array(z.strictObject({ secret, accessor: uuid, at: count }))
    .max(migratedAtOnce)
    .readonly(),
})

/**
 * Gives legacy tokens accessors. Why each gets one, and keeps it for ever:
 * 1. A token that has an accessor is skipped: of several accessors drawn for it, that of the first applied batch
 *    counts.
 * 2. A token that has changed since the leader read it (`at`) is skipped, and comes with a later batch.
 * 3. No two tokens get the same accessor: one that is taken is skipped. When no token is left, the row records the
 *    index since when: that is the proof.
 */
export const migrateTokens: CommandDefinition<z.infer<typeof migrateBody>, number> = {
  kind: 'acl.migrate',
  outcome: z.number(),
  since: newSystemSince,
  body: migrateBody,
  apply: (tx, { tokens }) => {
    let migrated = 0
    for (const { secret, accessor, at } of tokens) {
      const token = tokenBySecret(tx, secret)
      if (token === undefined || token.accessor !== '' || token.modifyIndex !== at) continue
      const given = secret === anonymousSecret ? anonymousAccessor : accessor
      if (tokenByAccessor(tx, given) !== undefined) continue
      putToken(tx, { ...token, accessor: given, policies: token.type === 'management' ? [managementLink] : [] })
      migrated++
    }
    noteProgress(tx, migrated)
    return migrated
  },
}

function noteProgress(tx: WriteTransaction, migrated: number): void {
  const before = migrationOf(tx) ?? { tokens: 0, batches: 0, completeIndex: 0, modifyIndex: 0 }
  const left = unmigratedTokens(tx)[Symbol.iterator]().next().done !== true
  const completeIndex = left ? 0 : before.completeIndex === 0 || migrated > 0 ? tx.index : before.completeIndex
  tx.put(
    migrationTable,
    Object.freeze({
      tokens: before.tokens + migrated,
      batches: before.batches + (migrated > 0 ? 1 : 0),
      completeIndex,
      modifyIndex: tx.index,
    }),
  )
}
