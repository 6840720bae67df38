import { emptyBytes } from '../base/bytes.ts'
import { pack, unpack } from '../base/msgpack.ts'
import { err, ok, type Result } from '../base/result.ts'
import { isList } from '../base/shape.ts'
import { isCount, isLogIndex, isTerm, type LogIndex, plus } from '../model/log-position.ts'
import { decodeConfiguration, encodeConfiguration } from './core/configuration.ts'
import type { AppendRequest, RaftMessage } from './core/messages.ts'
import type { Entry, EntryKind, SnapshotMeta } from './core/types.ts'

const bufferBytes = 16 << 10
/** A larger copy gets memory of its own. */
const sharedBytesMax = 1 << 10

/**
 * Copies of byte arrays that are kept for long and released in about the order of copying. Small ones share memory,
 * because a buffer for each would cost more than most contents; each may keep `bufferBytes` alive.
 */
class KeptBytes {
  #buffer = new ArrayBuffer(bufferBytes)
  #used = 0

  copy(bytes: Uint8Array): Uint8Array {
    const { length } = bytes
    if (length > sharedBytesMax) return new Uint8Array(bytes)
    if (this.#used + length > bufferBytes) {
      this.#buffer = new ArrayBuffer(bufferBytes)
      this.#used = 0
    }
    const copy = new Uint8Array(this.#buffer, this.#used, length)
    copy.set(bytes)
    this.#used += length
    return copy
  }
}

/**
 * Messages between servers: a MessagePack array of format, code and fields. Entries follow `previousIndex`, so they
 * carry no index of their own.
 */
const messageFormat = 1

const code = {
  'vote-request': 1,
  'vote-response': 2,
  'append-request': 3,
  'append-response': 4,
  'snapshot-chunk': 5,
  'snapshot-response': 6,
  'timeout-now': 7,
} as const

const entryKinds: readonly EntryKind[] = ['command', 'no-op', 'configuration']

/** Maximum number of entries in one message; no leader sends as many (`RaftLimits.appendEntriesMax`). */
export const messageEntriesMax = 4096

export function encodeMessage(message: RaftMessage): Uint8Array {
  return pack([messageFormat, code[message.kind], ...fieldsOf(message)])
}

/**
 * Encodes the messages of one server. While followers keep up, an append to all of them is the same message: they share
 * its bytes, which no code modifies.
 */
export class MessageEncoder {
  #append: AppendRequest | undefined
  #bytes: Uint8Array = emptyBytes

  encode(message: RaftMessage): Uint8Array {
    if (message.kind !== 'append-request') return encodeMessage(message)
    if (this.#append === undefined || !isSameAppend(message, this.#append)) {
      this.#append = message
      this.#bytes = encodeMessage(message)
    }
    return this.#bytes
  }
}

function isSameAppend(a: AppendRequest, b: AppendRequest): boolean {
  const { entries } = a
  if (a.term !== b.term || a.previousIndex !== b.previousIndex || a.previousTerm !== b.previousTerm) return false
  if (a.commit !== b.commit || a.round !== b.round || entries.length !== b.entries.length) return false
  for (let i = 0; i < entries.length; i++) if (entries[i] !== b.entries[i]) return false
  return true
}

function fieldsOf(message: RaftMessage): readonly unknown[] {
  switch (message.kind) {
    case 'vote-request':
      return [message.pre, message.term, message.lastIndex, message.lastTerm, message.transfer]
    case 'vote-response':
      return [message.pre, message.term, message.granted]
    case 'append-request': {
      const { term, previousIndex, previousTerm, commit, round } = message
      const entries = message.entries.map((entry) => [entry.term, entryKinds.indexOf(entry.kind), entry.payload])
      return [term, previousIndex, previousTerm, commit, round, entries]
    }
    case 'append-response':
      return [message.term, message.success, message.index, message.hintTerm, message.round]
    case 'snapshot-chunk': {
      const { term, meta, sizeBytes, offset, bytes, round } = message
      const { index, term: metaTerm, configuration, configurationIndex } = meta
      const fields = [index, metaTerm, encodeConfiguration(configuration), configurationIndex]
      return [term, fields, sizeBytes, offset, bytes, round]
    }
    case 'snapshot-response':
      return [message.term, message.index, message.nextOffset, message.installed, message.round]
    case 'timeout-now':
      return [message.term]
  }
}

/**
 * Decodes a message, or says in one clause why the bytes are not one. They come from outside: the shape of every field
 * is checked, and kept parts are copied. The core judges whether a message makes sense.
 */
export function decodeMessage(bytes: Uint8Array): Result<RaftMessage, string> {
  const unpacked = unpack(bytes)
  if (!unpacked.ok) return unpacked
  const fields = unpacked.value
  if (!isList(fields)) return err('a message is an array')
  if (fields[0] !== messageFormat) return err('an unknown format of messages')
  const message = messageOf(fields)
  return message === undefined ? err('a message of an unknown kind or shape') : ok(message)
}

function messageOf(fields: readonly unknown[]): RaftMessage | undefined {
  switch (fields[1]) {
    case code['vote-request']:
      return voteRequestOf(fields)
    case code['vote-response']:
      return voteResponseOf(fields)
    case code['append-request']:
      return appendRequestOf(fields)
    case code['append-response']:
      return appendResponseOf(fields)
    case code['snapshot-chunk']:
      return snapshotChunkOf(fields)
    case code['snapshot-response']:
      return snapshotResponseOf(fields)
    case code['timeout-now']: {
      const term = fields[2]
      return fields.length === 3 && isTerm(term) ? { kind: 'timeout-now', term } : undefined
    }
    default:
      return undefined
  }
}

function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function voteRequestOf(fields: readonly unknown[]): RaftMessage | undefined {
  const [, , pre, term, lastIndex, lastTerm, transfer] = fields
  if (fields.length !== 7 || !isFlag(pre) || !isFlag(transfer)) return undefined
  if (!isTerm(term) || !isLogIndex(lastIndex) || !isTerm(lastTerm)) return undefined
  return { kind: 'vote-request', pre, term, lastIndex, lastTerm, transfer }
}

function voteResponseOf(fields: readonly unknown[]): RaftMessage | undefined {
  const [, , pre, term, granted] = fields
  if (fields.length !== 5 || !isFlag(pre) || !isTerm(term) || !isFlag(granted)) return undefined
  return { kind: 'vote-response', pre, term, granted }
}

function appendRequestOf(fields: readonly unknown[]): RaftMessage | undefined {
  const [, , term, previousIndex, previousTerm, commit, round, packed] = fields
  if (fields.length !== 8 || !isTerm(term) || !isLogIndex(previousIndex) || !isTerm(previousTerm)) return undefined
  if (!isLogIndex(commit) || !isCount(round) || !isList(packed)) return undefined
  const entries = packed.length === 0 ? noEntries : entriesOf(packed, previousIndex)
  if (entries === undefined) return undefined
  return { kind: 'append-request', term, previousIndex, previousTerm, entries, commit, round }
}

const noEntries: readonly Entry[] = []
/** For payloads: entries are kept for long, and dropped in about the order in which they came. */
const kept = new KeptBytes()

function entriesOf(packed: readonly unknown[], previousIndex: LogIndex): readonly Entry[] | undefined {
  if (packed.length > messageEntriesMax || !isCount(previousIndex + packed.length)) return undefined
  const entries: Entry[] = []
  for (const fields of packed) {
    if (!isList(fields) || fields.length !== 3) return undefined
    const [term, kindCode, payload] = fields
    const kind = isCount(kindCode) ? entryKinds[kindCode] : undefined
    if (!isTerm(term) || kind === undefined || !(payload instanceof Uint8Array)) return undefined
    entries.push({ index: plus(previousIndex, 1 + entries.length), term, kind, payload: kept.copy(payload) })
  }
  return entries
}

function appendResponseOf(fields: readonly unknown[]): RaftMessage | undefined {
  const [, , term, success, index, hintTerm, round] = fields
  if (fields.length !== 7 || !isTerm(term) || !isFlag(success)) return undefined
  if (!isLogIndex(index) || !isTerm(hintTerm) || !isCount(round)) return undefined
  return { kind: 'append-response', term, success, index, hintTerm, round }
}

function snapshotChunkOf(fields: readonly unknown[]): RaftMessage | undefined {
  const [, , term, packedMeta, sizeBytes, offset, bytes, round] = fields
  if (fields.length !== 8 || !isTerm(term) || !isCount(sizeBytes) || !isCount(offset) || !isCount(round)) {
    return undefined
  }
  const meta = metaOf(packedMeta)
  if (meta === undefined || !(bytes instanceof Uint8Array)) return undefined
  return { kind: 'snapshot-chunk', term, meta, sizeBytes, offset, bytes: new Uint8Array(bytes), round }
}

function metaOf(packed: unknown): SnapshotMeta | undefined {
  if (!isList(packed) || packed.length !== 4) return undefined
  const [index, term, encoded, configurationIndex] = packed
  if (!isLogIndex(index) || !isTerm(term) || !isLogIndex(configurationIndex)) return undefined
  const configuration = encoded instanceof Uint8Array ? decodeConfiguration(encoded) : undefined
  return configuration?.ok === true
    ? { index, term, configuration: configuration.value, configurationIndex }
    : undefined
}

function snapshotResponseOf(fields: readonly unknown[]): RaftMessage | undefined {
  const [, , term, index, nextOffset, installed, round] = fields
  if (fields.length !== 7 || !isTerm(term) || !isLogIndex(index)) return undefined
  if (!isCount(nextOffset) || !isFlag(installed) || !isCount(round)) return undefined
  return { kind: 'snapshot-response', term, index, nextOffset, installed, round }
}
