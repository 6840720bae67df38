import { invariant } from '../../base/invariant.ts'
import { indexAfter, type LogIndex } from '../../model/log-position.ts'
import { decodeConfiguration } from './configuration.ts'
import { emit } from './outbox.ts'
import type { RaftCore } from './state.ts'
import type { Entry, EntryKind } from './types.ts'

/** Adds an entry of the leader's own term to its log. */
export function appendOwn(raft: RaftCore, kind: EntryKind, payload: Uint8Array): Entry {
  invariant(raft.role.kind === 'leader', 'only a leader makes entries', { role: raft.role.kind })
  const entry: Entry = { index: indexAfter(raft.log.lastIndex), term: raft.term, kind, payload }
  appendEntry(raft, entry)
  return entry
}

/** Adds an entry to the log. A configuration is in use from now on, committed or not (thesis 4.1). */
export function appendEntry(raft: RaftCore, entry: Entry): void {
  raft.log.append(entry)
  raft.turn.entries.push(entry)
  if (entry.kind !== 'configuration') return
  const configuration = decodeConfiguration(entry.payload)
  invariant(configuration.ok, 'a configuration is checked before it enters the log', { index: entry.index })
  raft.configurations.append(configuration.value, entry.index)
  emit(raft, {
    kind: 'configuration-changed',
    configuration: configuration.value,
    index: entry.index,
    committed: false,
  })
}

/** Drops the entries from `index` on, which contradict the leader's log, and with them their configurations. */
export function truncateLog(raft: RaftCore, index: LogIndex): void {
  const { commit, turn } = raft
  invariant(raft.role.kind !== 'leader', 'a leader never drops entries of its log', { index, term: raft.term })
  invariant(index > commit, 'no committed entry is dropped: two leaders, or a lost disk?', { index, commit })
  invariant(turn.entries.length === 0 && turn.truncateFrom === undefined, 'a step truncates once, before it appends')
  raft.log.truncateFrom(index)
  raft.durability.truncatedFrom(index)
  turn.truncateFrom = index
  if (!raft.configurations.truncateFrom(index)) return
  const back = raft.configurations.latest
  emit(raft, { kind: 'configuration-changed', ...back, committed: back.index <= commit })
}
