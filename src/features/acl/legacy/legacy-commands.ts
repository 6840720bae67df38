import { z } from 'zod'
import { type Release, releaseOf } from '../../../model/release.ts'
import type { ReadTransaction, WriteTransaction } from '../../../store/types.ts'
import type { CommandDefinition } from '../../contract/server-context.ts'
import { legacyType, tokenFields } from '../fields.ts'
import { anonymousSecret, type LegacyType, managementLink, type TokenRow } from '../model.ts'
import { bootstrapTable, secretKey, tokensTable } from '../tables.ts'
import { allTokens, bootstrapIndex, tokenBySecret } from '../views.ts'
import { putToken } from '../writes.ts'

/** Tokens that carry their rules, as all releases know them. They have no accessor until the leader of a later one gives them one. */

const first: Release = { major: 0, minor: 4, patch: 0 }

/** The ID is the secret. A refusal is the line that clients of the field know. */
export type LegacyWritten = { readonly id: string } | { readonly refusal: string }

const foreign = { refusal: 'Cannot use legacy endpoint to modify a non-legacy token' } as const

const setBody = z.strictObject({
  id: tokenFields.secret,
  name: z.string(),
  type: legacyType,
  rules: z.string(),
  /** One that is there stays as it is. */
  unlessThere: z.boolean(),
})

/** Everything in it is replaced. */
export const legacySet: CommandDefinition<z.infer<typeof setBody>, LegacyWritten> = {
  kind: 'acl.set',
  since: first,
  body: setBody,
  apply: (tx, { id, name, type, rules, unlessThere }) => {
    const before = tokenBySecret(tx, id)
    if (before !== undefined && unlessThere) return { id }
    if (before?.type === '') return foreign
    putLegacy(tx, before, { secret: id, description: name, type, rules })
    return { id }
  },
}

/** The same with rules for events or the keyring, of which earlier releases know nothing: it waits until all servers do. */
export const legacySetLater: CommandDefinition<z.infer<typeof setBody>, LegacyWritten> = {
  ...legacySet,
  kind: 'acl.set-later-rules',
  since: releaseOf('events-and-keyring-need-a-rule'),
  waitsForAll: true,
}

function putLegacy(
  tx: WriteTransaction,
  before: TokenRow | undefined,
  given: { readonly secret: string; readonly description: string; readonly type: LegacyType; readonly rules: string },
): void {
  const accessor = before?.accessor ?? ''
  // Before there is an accessor nobody reads policies of it: the migration adds them.
  const policies = accessor !== '' && given.type === 'management' ? [managementLink] : []
  putToken(tx, { ...given, accessor, policies, local: false, createdMs: before?.createdMs ?? 0 })
}

const deleteBody = z.strictObject({ id: tokenFields.secret })

/** One that is not there is deleted already. */
export const legacyDelete: CommandDefinition<z.infer<typeof deleteBody>, LegacyWritten> = {
  kind: 'acl.delete',
  since: first,
  body: deleteBody,
  apply: (tx, { id }) => {
    const before = tokenBySecret(tx, id)
    if (before?.type === '') return foreign
    if (id !== anonymousSecret) tx.delete(tokensTable, secretKey(id))
    return { id }
  },
}

const bootstrapBody = z.strictObject({ id: tokenFields.secret })

/** `resetIndex`: the bootstrap has been used up, then. 0: there was a management token before. */
export type LegacyBootstrapped = { readonly id: string } | { readonly resetIndex: number }

/** The first management token, once. */
export const legacyBootstrap: CommandDefinition<z.infer<typeof bootstrapBody>, LegacyBootstrapped> = {
  kind: 'acl.bootstrap-legacy',
  since: { major: 0, minor: 9, patch: 1 },
  body: bootstrapBody,
  withoutEffect: alreadyDone,
  apply: (tx, { id }) => {
    const done = alreadyDone(tx)
    if (done !== undefined) return done
    putLegacy(tx, undefined, { secret: id, description: 'Bootstrap Token', type: 'management', rules: '' })
    tx.put(bootstrapTable, Object.freeze({ index: tx.index }))
    return { id }
  },
}

/**
 * Used up for ever, or there is a management token. That one may be deleted later: an attempt of this write that is on its
 * way even then uses up the bootstrap unseen.
 */
function alreadyDone(tx: ReadTransaction): LegacyBootstrapped | undefined {
  const resetIndex = bootstrapIndex(tx)
  if (resetIndex > 0) return { resetIndex }
  for (const { type } of allTokens(tx)) if (type === 'management') return { resetIndex }
  return undefined
}
