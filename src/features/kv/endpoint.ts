import { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { kvValueBytesMax } from '../../model/limits.ts'
import { greater, type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { asks, filters, keptOf } from '../contract/access.ts'
import type { CommandDefinition, WriteIdentity } from '../contract/command.ts'
import type { QueryEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { bytes, byteText, isByteText, readWith, uint64, uint64Of } from '../contract/fields.ts'
import { flagReply, listOfAll, orNull, replyWith, textsReply } from '../contract/reply.ts'
import type { WithDuties, WithProposals, WithState } from '../contract/server-context.ts'
import { measured, type WithEnv } from '../contract/surroundings.ts'
import { byRow, newestOf, type Sight } from '../contract/visible-index.ts'
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
import { delayOverOf } from './lock-delays.ts'
import type { KvEntry } from './model.ts'
import { entriesSeenBy } from './operations.ts'
import { isKvEntry } from './replies.ts'
import { listingRefused, readingRefused, treeRefused, writingRefused } from './rights.ts'
import { kvTable, packedRow, reapedFloor, tombstoneTable } from './tables.ts'

/** The server as far as these endpoints use it. */
type KvServer = WithEnv & WithState & WithProposals & WithDuties

const key = byteText.min(1)
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
  if (typeof given !== 'object' || given === null) return undefined
  const { key, value, flags } = given as Readonly<Record<string, unknown>>
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

const putCasArgs = z.object({ key, value, flags: uint64, index: uint64 })

export const putCasEndpoint: WriteEndpoint<z.infer<typeof putCasArgs>, boolean, WithEnv & WithProposals> = {
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

const deleteArgs = z.object({ key })

export const deleteEndpoint: WriteEndpoint<z.infer<typeof deleteArgs>, boolean, WithEnv & WithProposals> = {
  method: 'KV.Delete',
  kind: 'write',
  args: deleteArgs,
  reply: flagReply,
  access: writesKey,
  serve: (server, args, identity) => apply(server, kvDelete, args, identity),
}

const deleteCasArgs = z.object({ key, index: uint64 })

export const deleteCasEndpoint: WriteEndpoint<z.infer<typeof deleteCasArgs>, boolean, WithEnv & WithProposals> = {
  method: 'KV.DeleteCas',
  kind: 'write',
  args: deleteCasArgs,
  reply: flagReply,
  access: writesKey,
  serve: (server, args, identity) => apply(server, kvDeleteCas, args, identity),
}

const prefixArgs = z.object({ prefix: byteText })
type PrefixArgs = z.infer<typeof prefixArgs>

export const deleteTreeEndpoint: WriteEndpoint<PrefixArgs, boolean, WithEnv & WithProposals> = {
  method: 'KV.DeleteTree',
  kind: 'write',
  args: prefixArgs,
  reply: flagReply,
  access: asks((authorizer, { prefix }) => treeRefused(authorizer, prefix)),
  serve: (server, args, identity) => apply(server, kvDeleteTree, args, identity),
}

const getArgs = readWith((given): { readonly key: string } | undefined => {
  const name = typeof given === 'object' && given !== null ? (given as { readonly key?: unknown }).key : undefined
  return isByteText(name) && name !== '' ? { key: name } : undefined
})

export const getEndpoint: QueryEndpoint<z.infer<typeof getArgs>, KvEntry | null> = {
  method: 'KV.Get',
  kind: 'query',
  args: getArgs,
  reply: replyWith(orNull(isKvEntry)),
  access: asks((authorizer, args) => readingRefused(authorizer, args.key)),
  query: (tx, args) => {
    const row = tx.get(kvTable, args.key)
    return { index: row?.modifyIndex ?? tableIndex(tx), value: row ?? null }
  },
  packed: (row) => (row === null ? null : packedRow(row)),
}

export const listEndpoint: QueryEndpoint<PrefixArgs, readonly KvEntry[]> = {
  method: 'KV.List',
  kind: 'query',
  args: prefixArgs,
  reply: replyWith(listOfAll(isKvEntry)),
  access: filters(
    entriesSeenBy,
    keysSight((_authorizer, _state, _args, entries) => newestOf(entries)),
    (authorizer, { prefix }) => listingRefused(authorizer, prefix),
  ),
  query: (tx, { prefix }) => {
    const rows = [...tx.prefix(kvTable, prefix)]
    return { index: prefixIndex(tx, prefix, newestOf(rows)), value: rows }
  },
  packed: (rows) => rows.map(packedRow),
}

const keysArgs = z.object({ prefix: byteText, separator: byteText })
type KeysArgs = z.infer<typeof keysArgs>

/** Keys under a prefix, cut after the first separator beyond it; an empty separator cuts nothing. */
export const keysEndpoint: QueryEndpoint<KeysArgs, readonly string[]> = {
  method: 'KV.Keys',
  kind: 'query',
  args: keysArgs,
  reply: textsReply,
  access: filters(
    (authorizer, keys, args, state) => {
      if (authorizer.readsAll('key')) return keys
      const readable = keptOf(keys, (key) => readsKey(authorizer, key))
      if (args.separator === '') return readable
      const seen = new Set<string>()
      for (const { cut } of rowsBehind(authorizer, state, args, readable)) seen.add(cut)
      return keptOf(readable, (key) => seen.has(key))
    },
    keysSight((authorizer, state, args, seen) => {
      let newest = noChange
      for (const { row } of rowsBehind(authorizer, state, args, seen)) newest = greater(newest, row.modifyIndex)
      return newest
    }),
    (authorizer, { prefix }) => listingRefused(authorizer, prefix),
  ),
  query: (tx, { prefix, separator }) => {
    const keys: string[] = []
    let newest = noChange
    for (const row of tx.prefix(kvTable, prefix)) {
      newest = greater(newest, row.modifyIndex)
      const cut = cutKey(row.key, prefix, separator)
      if (keys[keys.length - 1] !== cut) keys.push(cut)
    }
    return { index: prefixIndex(tx, prefix, newest), value: keys }
  },
}

/**
 * The visible rows under a prefix that are one of these names when they are cut, where the cut name is visible itself.
 * A visible beginning is not enough, or the separator would reveal hidden keys letter by letter.
 */
function* rowsBehind(
  authorizer: Authorizer,
  state: ReadTransaction,
  { prefix, separator }: KeysArgs,
  readable: readonly string[],
) {
  const names = new Set(readable)
  for (const row of state.prefix(kvTable, prefix)) {
    const cut = cutKey(row.key, prefix, separator)
    if (names.has(cut) && (cut === row.key || readsKey(authorizer, row.key))) yield { row, cut }
  }
}

function readsKey(authorizer: Authorizer, key: string): boolean {
  return readingRefused(authorizer, key) === undefined
}

function cutKey(whole: string, prefix: string, separator: string): string {
  const at = separator === '' ? -1 : whole.indexOf(separator, prefix.length)
  return at < 0 ? whole : whole.slice(0, at + separator.length)
}

/**
 * The index of the keys under a prefix: that of its newest key or tombstone, or, if there is no key, of the tables. It
 * never falls (invariant W1):
 * 1. A key that is deleted by itself, or with all keys under a prefix not shorter than this one, leaves a tombstone
 *    here.
 * 2. A reaped tombstone leaves a floor that is not below it.
 * 3. Deleting a shorter prefix leaves no tombstone here, but no key either: the result takes the index of the tables,
 *    which is at least that of every command so far; and later writes have later indexes.
 */
function prefixIndex(tx: ReadTransaction, prefix: string, newestKey: ModifyIndex): ModifyIndex {
  if (newestKey === 0) return tableIndex(tx)
  let newest = greater(newestKey, tx.lastChange(reapedFloor))
  for (const tombstone of tx.prefix(tombstoneTable, prefix)) newest = greater(newest, tombstone.index)
  return newest
}

/**
 * The same for a caller that may not see every key (`../contract/visible-index.ts`): tombstones count by their own
 * names. The tombstone of a deleted prefix may stand for visible keys under a name that is hidden, so the last such
 * deletion is part of the floor.
 */
function keysSight<Args extends PrefixArgs, Reply>(rows: Sight<Args, Reply>['newest']): Sight<Args, Reply> {
  return byRow({
    all: (authorizer) => authorizer.readsAll('key'),
    newest: (authorizer, state, args, seen) => {
      let newest = rows(authorizer, state, args, seen)
      if (newest === 0) return noChange
      for (const { key: name, index } of state.prefix(tombstoneTable, args.prefix)) {
        if (index > newest && readsKey(authorizer, name)) newest = index
      }
      return newest
    },
    floor: (state) => greater(state.lastChange(reapedFloor), state.lastDeparture(kvTable, 'tree')),
    never: tableIndex,
  })
}

function tableIndex(tx: ReadTransaction): ModifyIndex {
  return greater(tx.lastChange(kvTable), tx.lastChange(tombstoneTable))
}
