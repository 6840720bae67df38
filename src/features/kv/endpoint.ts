import { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import { isRecord } from '../../base/shape.ts'
import { greater, type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { asks, filters, keptOf } from '../contract/access.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import { byteText, isByteText, readWith } from '../contract/fields.ts'
import { listOfAll, orNull, replyWith, textsReply } from '../contract/reply.ts'
import { byRow, newestOf, type Sight } from '../contract/visible-index.ts'
import type { KvEntry } from './model.ts'
import { entriesSeenBy } from './operations.ts'
import { isKvEntry } from './replies.ts'
import { listingRefused, readingRefused } from './rights.ts'
import { kvTable, packedRow, reapedFloor, tombstoneTable } from './tables.ts'

export const key = byteText.min(1)

export interface PrefixArgs {
  readonly prefix: string
}

export const prefixArgs = readWith((given): PrefixArgs | undefined => {
  const prefix = isRecord(given) ? given['prefix'] : undefined
  return isByteText(prefix) ? { prefix } : undefined
})

export interface KeyArgs {
  readonly key: string
}

export const keyArgs = readWith((given): KeyArgs | undefined => {
  const key = isRecord(given) ? given['key'] : undefined
  return isByteText(key) && key !== '' ? { key } : undefined
})

export const getEndpoint: QueryEndpoint<KeyArgs, KvEntry | null> = {
  method: 'KV.Get',
  kind: 'query',
  args: keyArgs,
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
