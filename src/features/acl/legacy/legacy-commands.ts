import { z } from 'zod'
import type { ModifyIndex } from '../../../model/log-position.ts'
import { type Release, releaseOf } from '../../../model/release.ts'
import type { ReadTransaction, WriteTransaction } from '../../../store/types.ts'
import type { CommandDefinition } from '../../contract/command.ts'
import { legacyType, tokenFields } from '../fields.ts'
import { anonymousSecret, type LegacyType, managementLink, type TokenRow } from '../model.ts'
import { bootstrapTable, secretKey, tokensTable } from '../tables.ts'
import { allTokens, bootstrapIndex, tokenBySecret } from '../views.ts'
import { putToken } from '../writes.ts'

/**
 * Tokens that carry their own rules, as all releases know them. They have no accessor until a leader of a later release
 * gives them one.
 */

const first: Release = { major: 0, minor: 4, patch: 0 }

/** The ID is the secret. A refusal contains the message that clients of the field know. */
export type LegacyWritten = { readonly id: string } | { readonly refusal: string }

const foreign = { refusal: 'Cannot use legacy endpoint to modify a non-legacy token' } as const

const setBody = z.strictObject({
  id: tokenFields.secret,
  name: z.string(),
  type: legacyType,
  rules: z.string(),
  /** An existing token stays as it is. */
  unlessThere: z.boolean(),
})

/** Replaces the whole token. */
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

/**
 * As `legacySet`, with rules for events or the keyring, which earlier releases do not know: it waits until all servers
 * do.
 */
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
  // Without an accessor no release reads the policies of a legacy token: the migration adds them.
  const policies = accessor !== '' && given.type === 'management' ? [managementLink] : []
  putToken(tx, { ...given, accessor, policies, local: false, createdMs: before?.createdMs ?? 0 })
}

const deleteBody = z.strictObject({ id: tokenFields.secret })

/** A token that does not exist counts as deleted. */
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

/** `resetIndex`: the bootstrap was already used. 0: a management token existed before. */
export type LegacyBootstrapped = { readonly id: string } | { readonly resetIndex: ModifyIndex }

/** Creates the first management token, once. */
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
 * The bootstrap was already used, or a management token exists. That token may be deleted later: an attempt of this
 * write that is still in flight then uses up the bootstrap unseen.
 */
function alreadyDone(tx: ReadTransaction): LegacyBootstrapped | undefined {
  const resetIndex = bootstrapIndex(tx)
  if (resetIndex > 0) return { resetIndex }
  for (const { type } of allTokens(tx)) if (type === 'management') return { resetIndex }
  return undefined
}
