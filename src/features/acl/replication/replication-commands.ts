import { z } from 'zod'
import type { WriteTransaction } from '../../../store/types.ts'
import type { CommandDefinition } from '../../contract/command.ts'
import { newSystemSince } from '../commands.ts'
import { policyFields, tokenFields, uuid } from '../fields.ts'
import { policiesTable, secretKey, tokensTable } from '../tables.ts'
import { tokenByAccessor, tokenBySecret, unmigratedTokens } from '../views.ts'
import { putPolicy, putToken, type TokenContent } from '../writes.ts'

/** Commands of a secondary datacenter that replicates the primary one. */

/** Maximum number of policies or tokens in one command. */
export const replicatedAtOnce = 128

const policiesBody = z.strictObject({
  put: z.array(z.strictObject(policyFields)).max(replicatedAtOnce).readonly(),
  remove: z.array(uuid).max(replicatedAtOnce).readonly(),
})

/** Two policies may have the same name until the last batch of a round: the primary datacenter keeps names unique. */
export const replicatePolicies: CommandDefinition<z.infer<typeof policiesBody>, boolean> = {
  kind: 'acl.replicate-policies',
  outcome: z.boolean(),
  since: newSystemSince,
  body: policiesBody,
  apply: (tx, { put, remove }) => {
    for (const id of remove) tx.delete(policiesTable, id)
    for (const policy of put) putPolicy(tx, policy)
    return true
  },
}

const tokensBody = z.strictObject({
  put: z
    .array(z.strictObject({ ...tokenFields, accessor: uuid }))
    .max(replicatedAtOnce)
    .readonly(),
  remove: z.array(uuid).max(replicatedAtOnce).readonly(),
  /** Removes at most this many legacy tokens without an accessor: the primary datacenter has none left. */
  removeUnmigrated: z.number().int().min(0).max(replicatedAtOnce),
})

/** Local tokens are not touched. */
export const replicateTokens: CommandDefinition<z.infer<typeof tokensBody>, boolean> = {
  kind: 'acl.replicate-tokens',
  outcome: z.boolean(),
  since: newSystemSince,
  body: tokensBody,
  apply: (tx, { put, remove, removeUnmigrated }) => {
    for (const accessor of remove) {
      const token = tokenByAccessor(tx, accessor)
      if (token !== undefined && !token.local) tx.delete(tokensTable, secretKey(token.secret))
    }
    for (const token of put) takeOver(tx, token)
    let left = removeUnmigrated
    for (const { secret } of unmigratedTokens(tx)) {
      if (left-- <= 0) break
      tx.delete(tokensTable, secretKey(secret))
    }
    return true
  },
}

/** Accessors and secrets are unique: tokens that had either of them before are removed. */
function takeOver(tx: WriteTransaction, token: TokenContent): void {
  const before = tokenByAccessor(tx, token.accessor)
  if (token.local || before?.local === true || tokenBySecret(tx, token.secret)?.local === true) return
  if (before !== undefined && before.secret !== token.secret) tx.delete(tokensTable, secretKey(before.secret))
  putToken(tx, token)
}
