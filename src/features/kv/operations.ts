import { z } from 'zod'
import type { Ask, Authorizer } from '../../access/authorizer.ts'
import { emptyBytes, textOfByteString } from '../../base/bytes.ts'
import type { ReadTransaction, WriteTransaction } from '../../store/types.ts'
import { keptOf } from '../contract/access.ts'
import { bytes, byteText, count, uint64 } from '../contract/fields.ts'
import type { WithDuties, WithState } from '../contract/server-context.ts'
import { delayOverOf } from './lock-delays.ts'
import { type KvEntry, type KvRow, valueBytes } from './model.ts'
import { readingRefused, treeRefused, writingRefused } from './rights.ts'
import { kvTable } from './tables.ts'
import { deleteKey, deleteKeyAt, deleteTree, isAt, lockKey, setKey, unlockKey } from './writes.ts'

/** Operations on keys within a transaction. Reference: keys.md#transaction-verbs. */

const operationFields = {
  /** In the client's spelling: an operation with an unknown verb fails by itself. */
  verb: z.string(),
  key: byteText,
  value: bytes,
  flags: uint64,
  index: uint64,
  session: z.string(),
}

/** As a client requests it; members that the verb does not need are ignored. */
export const keyOperation = z.object(operationFields)
export type KeyOperation = z.infer<typeof keyOperation>

/** With the leader's part: the index up to which lock delays of the key are over. */
export const judgedOperation = z.strictObject({ ...operationFields, delayOver: count })
export type JudgedOperation = z.infer<typeof judgedOperation>

export function judged(server: WithState & WithDuties, operation: KeyOperation): JudgedOperation {
  return { ...operation, delayOver: operation.verb === 'lock' ? delayOverOf(server, operation.key) : 0 }
}

/**
 * The result of an operation within its transaction, or why it fails. Written entries come without their value, others
 * with its bytes: outcomes are stored as plain data, also in snapshots.
 */
export type OperationOutcome =
  | { readonly kind: 'done'; readonly entries: readonly KvEntry[] }
  | { readonly kind: 'failed'; readonly what: string }

const nothing: OperationOutcome = { kind: 'done', entries: [] }

/**
 * Maximum size of all trees that one transaction reads: about what an answer between agents holds. Every server runs
 * the transaction, and 64 operations could each read all keys: with a hundred thousand of them that took more memory
 * than a server has, again at each of its starts.
 */
export const treesBytesMax = 8 << 20
/** Size of an entry beside its key and its value. */
const entryBytes = 128

/** What the trees of a transaction may still take; negative from the first entry on that does not fit. */
export interface TreeRoom {
  left: number
}

export function wholeRoom(): TreeRoom {
  return { left: treesBytesMax }
}

/** The place of the operation by which the trees that a transaction reads are too large in this state, if they are. */
export function excessOf(server: WithState, operations: readonly KeyQuestion[]): number | undefined {
  const readsTree = ({ verb, key }: KeyQuestion): boolean => verb === 'get-tree' && key !== ''
  if (!operations.some(readsTree)) return undefined
  const [tx, room] = [server.read(), wholeRoom()]
  const at = operations.findIndex((operation) => {
    if (readsTree(operation)) rowsWithin(tx, operation.key, room)
    return room.left < 0
  })
  return at < 0 ? undefined : at
}

function rowsWithin(tx: ReadTransaction, prefix: string, room: TreeRoom): readonly KvRow[] {
  const within: KvRow[] = []
  for (const row of tx.prefix(kvTable, prefix)) {
    room.left -= entryBytes + row.key.length + row.value.length
    if (room.left < 0) break
    within.push(row)
  }
  return within
}

/** The members of an operation that reads need. */
export type KeyQuestion = Pick<KeyOperation, 'verb' | 'key' | 'index' | 'session'>

/** Without a session there is nothing that could hold or release a lock. */
const missingSession: OperationOutcome = { kind: 'failed', what: 'missing session' }

type Read = (tx: ReadTransaction, question: KeyQuestion, room: TreeRoom) => OperationOutcome

const reads: Readonly<Record<string, Read>> = {
  get: (tx, { key }) => {
    const row = tx.get(kvTable, key)
    return row === undefined ? failed(`key ${quoted(key)} doesn't exist`) : found([row])
  },
  'get-tree': (tx, { key }, room) => found(rowsWithin(tx, key, room)),
  'check-index': (tx, { key, index }) => {
    const row = tx.get(kvTable, key)
    if (row === undefined) return failed(`failed to check index, key ${quoted(key)} doesn't exist`)
    if (BigInt(row.modifyIndex) === index) return written(row)
    return failed(`failed index check for key ${quoted(key)}, current modify index ${row.modifyIndex} != ${index}`)
  },
  'check-session': (tx, { key, session }) => {
    const row = tx.get(kvTable, key)
    if (row === undefined) return failed(`failed to check session, key ${quoted(key)} doesn't exist`)
    if (row.session === session) return written(row)
    return failed(`failed session check for key ${quoted(key)}, current session "${row.session}" != "${session}"`)
  },
  'check-not-exists': (tx, { key }) => {
    return tx.get(kvTable, key) === undefined ? nothing : failed(`key ${quoted(key)} exists`)
  },
}

type Write = (tx: WriteTransaction, operation: JudgedOperation) => OperationOutcome

const writes: Readonly<Record<string, Write>> = {
  set: (tx, operation) => written(setKey(tx, operation)),
  cas: (tx, operation) => {
    const { key, index } = operation
    return isAt(tx, key, index)
      ? written(setKey(tx, operation))
      : failed(`failed to set key ${quoted(key)}, index is stale`)
  },
  lock: (tx, operation) => {
    if (operation.session === '') return missingSession
    const key = quoted(operation.key)
    const outcome = lockKey(tx, operation)
    switch (outcome.kind) {
      case 'held':
        return written(outcome.row)
      case 'no-session':
        return failed(`invalid session "${operation.session}"`)
      case 'held-by-another':
        return failed(`failed to lock key ${key}, lock is already held`)
      case 'delayed':
        return failed(`failed to lock key ${key} due to lock delay`)
    }
  },
  unlock: (tx, operation) => {
    if (operation.session === '') return missingSession
    const row = unlockKey(tx, operation)
    if (row !== undefined) return written(row)
    return failed(`failed to unlock key ${quoted(operation.key)}, lock isn't held, or is held by another session`)
  },
  delete: (tx, { key }) => {
    deleteKey(tx, key)
    return nothing
  },
  'delete-tree': (tx, { key }) => {
    deleteTree(tx, key)
    return nothing
  },
  'delete-cas': (tx, { key, index }) => {
    return deleteKeyAt(tx, key, index) ? nothing : failed(`failed to delete key ${quoted(key)}, index is stale`)
  },
}

/**
 * The rights that an operation's token lacks. The results of `get` and `get-tree` are filtered elsewhere; the other
 * checks reveal something about a key whether they succeed or not. Reference: keys.md#txn-refused.
 */
export function operationRefused(
  authorizer: Authorizer,
  { verb, key }: Pick<KeyOperation, 'verb' | 'key'>,
): Ask | undefined {
  switch (verb) {
    case 'get':
    case 'get-tree':
      return undefined
    case 'check-index':
    case 'check-session':
      return readingRefused(authorizer, key)
    case 'delete-tree':
      return treeRefused(authorizer, key)
    default:
      return writingRefused(authorizer, key)
  }
}

export function entriesSeenBy(authorizer: Authorizer, entries: readonly KvEntry[]): readonly KvEntry[] {
  if (authorizer.readsAll('key')) return entries
  return keptOf(entries, ({ key }) => readingRefused(authorizer, key) === undefined)
}

export function isWrite({ verb }: Pick<KeyOperation, 'verb'>): boolean {
  return Object.hasOwn(writes, verb)
}

export function runRead(tx: ReadTransaction, question: KeyQuestion, room: TreeRoom): OperationOutcome {
  if (question.key === '') return missingKey
  const read = Object.hasOwn(reads, question.verb) ? reads[question.verb] : undefined
  return read === undefined ? failed(`unknown KV verb ${JSON.stringify(question.verb)}`) : read(tx, question, room)
}

const missingKey: OperationOutcome = { kind: 'failed', what: 'Must provide key' }

/** Every operation names a key, except the one that deletes a whole tree. */
export function runOperation(tx: WriteTransaction, operation: JudgedOperation, room: TreeRoom): OperationOutcome {
  if (operation.key === '' && operation.verb !== 'delete-tree') return missingKey
  const write = Object.hasOwn(writes, operation.verb) ? writes[operation.verb] : undefined
  return write === undefined ? runRead(tx, operation, room) : write(tx, operation)
}

function found(rows: readonly KvRow[]): OperationOutcome {
  return { kind: 'done', entries: rows.map((row) => ({ ...row, value: valueBytes(row.value) })) }
}

function written(row: KvRow): OperationOutcome {
  return { kind: 'done', entries: [{ ...row, value: emptyBytes }] }
}

function failed(what: string): OperationOutcome {
  return { kind: 'failed', what }
}

function quoted(key: string): string {
  return JSON.stringify(textOfByteString(key))
}
