import { logIndexOf } from '../../../src/model/log-position.ts'
import { decodeConfiguration } from '../../../src/raft/core/configuration.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { RaftCore } from '../../../src/raft/core/state.ts'
import type { Configuration, Entry, HardState, RequestRefusal } from '../../../src/raft/core/types.ts'

/** `3@2 x`: the entry at index 3, of term 2. The first holds the first members, and is told without them. */
export function entryText(entry: Entry): string {
  const at = `${entry.index}@${entry.term}`
  if (entry.kind === 'no-op') return `${at} no-op`
  if (entry.index === 1) return at
  if (entry.kind === 'command') return `${at} ${new TextDecoder().decode(entry.payload)}`.trimEnd()
  const configuration = decodeConfiguration(entry.payload)
  return `${at} ${configuration.ok ? membersText(configuration.value) : 'unreadable members'}`
}

export function entriesText(entries: readonly Entry[]): string {
  return entries.map(entryText).join(', ')
}

/** Voters, and non-voters in brackets: `{1 2 3 (4)}`. */
export function membersText({ servers }: Configuration): string {
  return `{${servers.map(({ id, suffrage }) => (suffrage === 'voter' ? id : `(${id})`)).join(' ')}}`
}

export function messageText(message: RaftMessage): string {
  const { term } = message
  switch (message.kind) {
    case 'vote-request': {
      const asks = message.pre ? `would you vote for me in term ${term}?` : `vote for me in term ${term}!`
      return `${asks} my log ends at ${message.lastIndex}@${message.lastTerm}${message.transfer ? '; the leader wants it' : ''}`
    }
    case 'vote-response':
      if (message.pre) return message.granted ? `I would, in term ${term}` : `I would not; my term is ${term}`
      return message.granted ? `my vote in term ${term}` : `no vote in term ${term}`
    case 'append-request': {
      const { previousIndex, previousTerm, entries, commit, round } = message
      const what = entries.length === 0 ? (round === 0 ? 'news' : 'heartbeat') : `append ${entriesText(entries)}`
      return `${what} after ${previousIndex}@${previousTerm}, commit ${commit}, term ${term}${round === 0 ? '' : `, round ${round}`}`
    }
    case 'append-response': {
      const { success, index, hintTerm, round } = message
      const end = `term ${term}, round ${round}`
      if (!success) return `no: may agree up to ${index}@${hintTerm}, ${end}`
      return index === 0 ? `heard, ${end}` : `yes: equal up to ${index}, ${end}`
    }
    case 'snapshot-chunk': {
      const { meta, offset, bytes, sizeBytes } = message
      return `snapshot up to ${meta.index}@${meta.term}, bytes ${offset} to ${offset + bytes.length} of ${sizeBytes}, term ${term}`
    }
    case 'snapshot-response':
      return message.installed
        ? `I have the snapshot up to ${message.index}, term ${term}`
        : `snapshot up to ${message.index} from byte ${message.nextOffset}, term ${term}`
    case 'timeout-now':
      return `stand now, term ${term}`
  }
}

export function refusalText(refusal: RequestRefusal): string {
  switch (refusal.kind) {
    case 'not-leader':
      return refusal.leader === undefined ? 'no leader is known' : `${refusal.leader} leads`
    case 'overloaded':
      return 'too much waits already'
    case 'disk-full':
      return 'there is no space left on the disk'
    case 'change-in-progress':
      return 'the last change, or the first entry of this term, is not committed'
    case 'unknown-server':
      return `${refusal.id} is no member`
    case 'invalid-change':
      return refusal.message
    case 'leadership-lost':
      return 'leadership was lost'
    case 'transfer-failed':
      return refusal.message
  }
}

export function roleText({ role, term, leader }: Extract<RaftEffect, { kind: 'role-changed' }>): string {
  switch (role) {
    case 'leader':
      return `leads term ${term}`
    case 'candidate':
      return `stands in term ${term}`
    case 'pre-candidate':
      return `asks around, in term ${term}`
    case 'follower':
      return leader === undefined ? `follows nobody in term ${term}` : `follows ${leader} in term ${term}`
  }
}

function hardStateText({ term, votedFor }: HardState): string {
  return votedFor === undefined ? `term ${term}` : `term ${term} with its vote for ${votedFor}`
}

/** What a slow disk has begun to write. */
export function persistText(effect: Extract<RaftEffect, { kind: 'persist' }>): string {
  const { hardState, truncateFrom, entries, thenSend } = effect
  const parts = [
    hardState === undefined ? '' : hardStateText(hardState),
    truncateFrom === undefined ? '' : `no log from ${truncateFrom} on`,
    entries.length === 0 ? '' : entriesText(entries),
  ].filter((part) => part !== '')
  const held = thenSend.map(({ to, message }) => `"${messageText(message)}" to ${to}`).join(', ')
  const written = parts.length === 0 ? 'nothing of its own' : parts.join('; ')
  return `writes ${written}${held === '' ? '' : `; then says ${held}`}`
}

/** One line for one server: role, term, vote, commit index, log, and members once they have changed. */
export function statusText(raft: RaftCore): string {
  const { role, term, votedFor, commit, log } = raft
  const leads =
    role.kind === 'follower' ? (role.leader === undefined ? 'follower' : `follower of ${role.leader}`) : role.kind
  const entries =
    log.lastIndex > log.baseIndex ? entriesText(log.range(logIndexOf(log.baseIndex + 1), log.lastIndex)) : ''
  const base = log.baseIndex === 0 ? '' : `(up to ${log.baseIndex}@${log.termAt(log.baseIndex)} in the snapshot) `
  const { index, configuration } = raft.configurations.latest
  return [
    `${leads}, term ${term}${votedFor === undefined ? '' : `, vote for ${votedFor}`}`,
    `commit ${commit}`,
    `log ${base}${entries}`.trimEnd(),
    ...(index === 1 ? [] : [`members ${membersText(configuration)}`]),
  ].join('; ')
}
