import { z } from 'zod'
import { textOf } from '../../../base/bytes.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ModifyIndex } from '../../../model/log-position.ts'
import { open, permissionDenied } from '../../contract/access.ts'
import { legacyModeFailure, type MissingServer, type ServerAccess } from '../../contract/access-control.ts'
import type { WriteIdentity } from '../../contract/command.ts'
import type { ServerEndpoint, WriteEndpoint } from '../../contract/endpoint.ts'
import { count } from '../../contract/fields.ts'
import type { WithPlace, WithProposals, WithServerAccess, WithState } from '../../contract/server-context.ts'
import type { WithEnv } from '../../contract/surroundings.ts'
import { drawnUuid, eitherSystem, isPrimary, proposed, refused } from '../asked.ts'
import { legacyBootstrap } from '../legacy/legacy-commands.ts'
import type { TokenRow } from '../model.ts'
import { tokenReply } from '../replies.ts'
import { bootstrapIndex, isNewMode, migrationOf, newModeIndex, tokenByAccessor, unmigratedTokens } from '../views.ts'
import { bootstrap } from './mode-commands.ts'

/** The part of the server that these endpoints use. */
type SystemServer = WithEnv & WithState & WithProposals & WithPlace & WithServerAccess

const bootstrapReply = z.union([z.object({ token: tokenReply }), z.object({ legacy: z.string() })])

const accessStanding = z.object({
  mode: z.enum(['legacy', 'new']),
  newSince: count,
  missing: z.array(z.object({ name: z.string(), datacenter: z.string(), why: z.string() })),
  tokensLeft: count,
  migratedTokens: count,
  migratedBatches: count,
  completeSince: count,
})

const bootstrapArgs = z.object({
  /** In the legacy mode: create the first legacy management token. */
  legacy: z.boolean(),
})

/** `legacy`: the ID of a legacy token. */
type BootstrapReply = { readonly token: TokenRow } | { readonly legacy: string }

export const bootstrapEndpoint: WriteEndpoint<z.infer<typeof bootstrapArgs>, BootstrapReply, SystemServer> = {
  method: 'ACL.Bootstrap',
  kind: 'write',
  args: bootstrapArgs,
  reply: bootstrapReply,
  access: open('the first caller gets all rights, once'),
  serve: async (server, { legacy }, identity) => {
    const access = eitherSystem(server)
    if (!access.ok) return access
    if (!isPrimary(server, access.value)) return refused('the bootstrap is done in the primary datacenter')
    if (isNewMode(server.read())) return bootstrapped(server, access.value, identity)
    if (legacy) return legacyBootstrapped(server, identity)
    return err(legacyModeFailure(access.value.missing()))
  },
}

async function bootstrapped(
  server: SystemServer,
  access: ServerAccess,
  identity: WriteIdentity | undefined,
): Promise<Result<BootstrapReply, Failure>> {
  const usedUp = bootstrapIndex(server.read())
  const given = usedUp === 0 ? undefined : await resetGiven(server.env, access.dataDir)
  if (given !== undefined && given !== usedUp) {
    return refused(`Invalid bootstrap reset index (specified ${given}, reset index: ${usedUp})`)
  }
  if (given !== undefined) await forgetReset(server.env, access.dataDir)
  const drawn = {
    accessor: drawnUuid(server, 'accessor'),
    secret: drawnUuid(server, 'secret'),
    createdMs: server.env.clock.wallMs(),
  }
  const done = await proposed(server, 'acl.apply', bootstrap, { ...drawn, resetIndex: given ?? 0 }, identity)
  if (!done.ok) return done
  if ('resetIndex' in done.value) return err(noLongerAllowed(done.value.resetIndex))
  const token = tokenByAccessor(server.read(), done.value.id)
  return token === undefined ? refused(`token ${done.value.id} was deleted meanwhile`) : ok({ token })
}

async function legacyBootstrapped(
  server: WithEnv & WithProposals,
  identity: WriteIdentity | undefined,
): Promise<Result<BootstrapReply, Failure>> {
  const done = await proposed(server, 'acl.apply', legacyBootstrap, { id: drawnUuid(server, 'bootstrap') }, identity)
  if (!done.ok) return done
  return 'id' in done.value ? ok({ legacy: done.value.id }) : err(noLongerAllowed(done.value.resetIndex))
}

function noLongerAllowed(resetIndex: ModifyIndex): Failure {
  return permissionDenied(`ACL bootstrap no longer allowed (reset index: ${resetIndex})`)
}

const noArgs = z.object({})

/** How far a datacenter has migrated from the legacy kind of access control to the new one. */
export interface AccessStanding {
  readonly mode: 'legacy' | 'new'
  /** Index at which it switched; 0: it has not. */
  readonly newSince: number
  readonly missing: readonly MissingServer[]
  /** Legacy tokens without an accessor. */
  readonly tokensLeft: number
  readonly migratedTokens: number
  readonly migratedBatches: number
  /** Index at which no token was left: the proof. 0: some are left, or the migration has not begun. */
  readonly completeSince: number
}

/** Answered from any server's state: it is needed most while there is no leader. */
export const standingEndpoint: ServerEndpoint<z.infer<typeof noArgs>, AccessStanding, WithState & WithServerAccess> = {
  method: 'ACL.Standing',
  kind: 'server',
  args: noArgs,
  reply: accessStanding,
  leader: false,
  access: open('names the servers that the error of the legacy mode names to every caller'),
  serve: async (server) => {
    const access = eitherSystem(server)
    return access.ok ? ok(standingOf(server, access.value)) : access
  },
}

function standingOf(server: WithState, access: ServerAccess): AccessStanding {
  const tx = server.read()
  const migration = migrationOf(tx)
  let tokensLeft = 0
  for (const _ of unmigratedTokens(tx)) tokensLeft++
  const mode = isNewMode(tx) ? 'new' : 'legacy'
  return {
    mode,
    newSince: newModeIndex(tx),
    missing: mode === 'new' ? [] : access.missing(),
    tokensLeft,
    migratedTokens: migration?.tokens ?? 0,
    migratedBatches: migration?.batches ?? 0,
    completeSince: tokensLeft === 0 ? (migration?.completeIndex ?? 0) : 0,
  }
}

/** A file in the data directory of the leader with which an operator allows another bootstrap. */
const fileName = 'acl-bootstrap-reset'

/** Enough for the digits of an index and some whitespace. */
const bytesMax = 64

/** The index that the operator has written into the file; undefined: there is no file, or no index in it. */
async function resetGiven({ disk, log }: Env, dataDir: string): Promise<number | undefined> {
  const file = await disk.open(pathIn(dataDir), 'read')
  if (!file.ok) {
    if (file.error.kind !== 'not-found')
      log.write('warn', 'acl', 'could not read the reset', { why: file.error.message })
    return undefined
  }
  const bytes = await file.value.read(0, bytesMax)
  await file.value.close()
  if (!bytes.ok) {
    log.write('warn', 'acl', 'could not read the reset', { why: bytes.error.message })
    return undefined
  }
  const text = textOf(bytes.value).trim()
  if (/^\d{1,15}$/.test(text)) return Number(text)
  log.write('warn', 'acl', `${fileName} holds no index`, {})
  return undefined
}

/**
 * Removes the file before the reset, whose outcome may remain unknown. A file that stayed would refuse the repetition
 * of this write, and would allow a reset to every caller when a snapshot brings its index back.
 */
async function forgetReset({ disk, log }: Env, dataDir: string): Promise<void> {
  const removed = await disk.remove(pathIn(dataDir))
  const synced = removed.ok ? await disk.syncDirectory(dataDir) : removed
  if (synced.ok || synced.error.kind === 'not-found') return
  log.write('warn', 'acl', `could not remove ${fileName}`, { why: synced.error.message })
}

function pathIn(dataDir: string): string {
  return `${dataDir}/${fileName}`
}
