import { decodeCommand } from '../../src/agent/replication/command-codec.ts'
import { decodeMessage } from '../../src/raft/codec.ts'
import { decodeConfiguration } from '../../src/raft/core/configuration.ts'
import type { RaftMessage } from '../../src/raft/core/messages.ts'
import type { Entry } from '../../src/raft/core/types.ts'
import { readLoneBatch } from '../../src/raft/log/batch.ts'
import type { LogRecord } from '../../src/raft/log/record.ts'
import { cut, type EntryMeaning, type Meaning, meaningsMax, shownMax } from '../report/meaning.ts'
import { aboutOf } from './about.ts'
import { unknown } from './unknown.ts'

/** A message of Raft, as a notice between servers carries it. */
export function raftMeaning(bytes: Uint8Array): Meaning {
  const message = decodeMessage(bytes)
  return message.ok ? messageMeaning(message.value) : unknown(bytes.length, message.error)
}

function messageMeaning(message: RaftMessage): Meaning {
  const layer = 'raft'
  switch (message.kind) {
    case 'vote-request': {
      const { pre, term, lastIndex, lastTerm, transfer } = message
      return { layer, name: message.kind, pre, term, lastIndex, lastTerm, transfer }
    }
    case 'vote-response': {
      const { pre, term, granted } = message
      return { layer, name: message.kind, pre, term, granted }
    }
    case 'append-request': {
      const { term, previousIndex: prev, previousTerm: prevTerm, commit, round, entries } = message
      const shown = entries.slice(0, shownMax).map(entryMeaning)
      return { layer, name: message.kind, term, prev, prevTerm, count: entries.length, commit, round, entries: shown }
    }
    case 'append-response': {
      const { term, success, index, hintTerm, round } = message
      return { layer, name: message.kind, term, success, index, hintTerm, round }
    }
    case 'snapshot-chunk': {
      const { term, meta, offset, sizeBytes: size, bytes, round } = message
      return { layer, name: message.kind, term, index: meta.index, offset, bytes: bytes.length, size, round }
    }
    case 'snapshot-response': {
      const { term, index, nextOffset, installed, round } = message
      return { layer, name: message.kind, term, index, nextOffset, installed, round }
    }
    case 'timeout-now':
      return { layer, name: message.kind, term: message.term }
  }
}

function entryMeaning({ index, term, kind, payload }: Entry): EntryMeaning {
  if (kind === 'no-op') return { index, term, kind }
  if (kind === 'configuration') {
    const configuration = decodeConfiguration(payload)
    if (!configuration.ok) return { index, term, kind }
    const servers = configuration.value.servers.map(({ id, suffrage }) => `${id} ${suffrage}`).join(', ')
    return { index, term, kind, servers: cut(servers) }
  }
  const command = decodeCommand(payload)
  if (!command.ok) return { index, term, kind }
  const about = aboutOf(command.value.kind, command.value.body)
  return { index, term, kind, command: cut(command.value.kind), ...(about === undefined ? {} : { about }) }
}

/** The entries that one write to a log file makes durable; undefined: it is not a batch of records. */
export function logMeanings(bytes: Uint8Array): readonly Meaning[] | undefined {
  const records = readLoneBatch(bytes)
  return records.ok ? records.value.slice(0, meaningsMax).map(recordMeaning) : undefined
}

function recordMeaning(record: LogRecord): Meaning {
  const layer = 'log'
  switch (record.kind) {
    case 'hard-state': {
      const { term, votedFor } = record.hardState
      return { layer, name: record.kind, term, ...(votedFor === undefined ? {} : { votedFor: cut(votedFor) }) }
    }
    case 'entry':
      return { layer, name: record.kind, ...entryMeaning(record.entry) }
    case 'truncate':
      return { layer, name: record.kind, from: record.from }
    case 'reset':
      return { layer, name: record.kind, index: record.index, term: record.term }
    case 'continued':
      return { layer, name: record.kind }
  }
}
