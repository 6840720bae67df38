import { z } from 'zod'
import type { Result } from '../../base/result.ts'
import { isRecord } from '../../base/shape.ts'
import type { Failure } from '../../model/failure.ts'
import { kvValueBytesMax } from '../../model/limits.ts'
import { asks } from '../contract/access.ts'
import type { CommandDefinition, WriteIdentity } from '../contract/command.ts'
import type { WriteEndpoint } from '../contract/endpoint.ts'
import { bytes, isByteText, readWith, uint64, uint64Of } from '../contract/fields.ts'
import { flagReply } from '../contract/reply.ts'
import type { WithDuties, WithProposals, WithState } from '../contract/server-context.ts'
import { measured, type WithEnv } from '../contract/surroundings.ts'
import {
  kvDelete,
  kvDeleteCas,
  kvDeleteTree,
  kvLock,
  kvPut,
  kvPutCas,
  kvUnlock,
  type LockAnswer,
  lockAnswer,
} from './commands.ts'
import { type KeyArgs, key, keyArgs, type PrefixArgs, prefixArgs } from './endpoint.ts'
import { delayOverOf } from './lock-delays.ts'
import { treeRefused, writingRefused } from './rights.ts'

/** The part of the server that these endpoints use. */
type KvServer = WithEnv & WithState & WithProposals & WithDuties
const value = bytes.refine((given) => given.length <= kvValueBytesMax, 'value too large')

function apply<Body, Outcome>(
  server: WithEnv & WithProposals,
  command: CommandDefinition<Body, Outcome>,
  body: Body,
  identity: WriteIdentity | undefined,
): Promise<Result<Outcome, Failure>> {
  return measured(server, 'kvs.apply', () => server.propose(command, body, identity))
}

const writesKey = asks<{ readonly key: string }>((authorizer, args) => writingRefused(authorizer, args.key))

interface PutArgs {
  readonly key: string
  readonly value: Uint8Array
  readonly flags: bigint
}

const putArgs = readWith((given): PutArgs | undefined => {
  if (!isRecord(given)) return undefined
  const { key, value, flags } = given
  const bits = uint64Of(flags)
  if (bits === undefined || !isByteText(key) || key === '') return undefined
  if (!(value instanceof Uint8Array) || value.length > kvValueBytesMax) return undefined
  return { key, value, flags: bits }
})

export const putEndpoint: WriteEndpoint<PutArgs, boolean, WithEnv & WithProposals> = {
  method: 'KV.Put',
  kind: 'write',
  args: putArgs,
  reply: flagReply,
  access: writesKey,
  serve: (server, args, identity) => apply(server, kvPut, args, identity),
}

interface PutCasArgs extends PutArgs {
  readonly index: bigint
}

const putCasArgs = readWith((given): PutCasArgs | undefined => {
  const put = putArgs.readDirectly(given)
  const index = isRecord(given) ? uint64Of(given['index']) : undefined
  return put === undefined || index === undefined ? undefined : { ...put, index }
})

export const putCasEndpoint: WriteEndpoint<PutCasArgs, boolean, WithEnv & WithProposals> = {
  method: 'KV.PutCas',
  kind: 'write',
  args: putCasArgs,
  reply: flagReply,
  access: writesKey,
  serve: (server, args, identity) => apply(server, kvPutCas, args, identity),
}

const session = z.string()
const lockArgs = z.object({ key, value, flags: uint64, session })

/** The leader states which lock delays are over; the command decides. */
export const lockEndpoint: WriteEndpoint<z.infer<typeof lockArgs>, LockAnswer, KvServer> = {
  method: 'KV.Lock',
  kind: 'write',
  args: lockArgs,
  reply: lockAnswer,
  access: writesKey,
  serve: (server, args, identity) =>
    apply(server, kvLock, { ...args, delayOver: delayOverOf(server, args.key) }, identity),
}

export const unlockEndpoint: WriteEndpoint<z.infer<typeof lockArgs>, boolean, WithEnv & WithProposals> = {
  method: 'KV.Unlock',
  kind: 'write',
  args: lockArgs,
  reply: flagReply,
  access: writesKey,
  serve: (server, args, identity) => apply(server, kvUnlock, args, identity),
}

export const deleteEndpoint: WriteEndpoint<KeyArgs, boolean, WithEnv & WithProposals> = {
  method: 'KV.Delete',
  kind: 'write',
  args: keyArgs,
  reply: flagReply,
  access: writesKey,
  serve: (server, args, identity) => apply(server, kvDelete, args, identity),
}

interface DeleteCasArgs extends KeyArgs {
  readonly index: bigint
}

const deleteCasArgs = readWith((given): DeleteCasArgs | undefined => {
  const { key, index: at } = isRecord(given) ? given : {}
  const index = uint64Of(at)
  return isByteText(key) && key !== '' && index !== undefined ? { key, index } : undefined
})

export const deleteCasEndpoint: WriteEndpoint<DeleteCasArgs, boolean, WithEnv & WithProposals> = {
  method: 'KV.DeleteCas',
  kind: 'write',
  args: deleteCasArgs,
  reply: flagReply,
  access: writesKey,
  serve: (server, args, identity) => apply(server, kvDeleteCas, args, identity),
}

export const deleteTreeEndpoint: WriteEndpoint<PrefixArgs, boolean, WithEnv & WithProposals> = {
  method: 'KV.DeleteTree',
  kind: 'write',
  args: prefixArgs,
  reply: flagReply,
  access: asks((authorizer, { prefix }) => treeRefused(authorizer, prefix)),
  serve: (server, args, identity) => apply(server, kvDeleteTree, args, identity),
}
