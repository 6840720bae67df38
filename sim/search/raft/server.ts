import { itemAt } from '../../../src/base/items.ts'
import { indexAfter } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { RaftEvent } from '../../../src/raft/core/events.ts'
import type { Outgoing, RaftMessage } from '../../../src/raft/core/messages.ts'
import type { RaftCore } from '../../../src/raft/core/state.ts'
import type { Entry, HardState, Recovered, ServerId } from '../../../src/raft/core/types.ts'
import type { RaftBounds, RaftUnderSearch } from './bounds.ts'

export const serverNames: readonly ServerId[] = ['a', 'b', 'c', 'd', 'e']

/** The content of a server's disk. */
export interface Disk {
  readonly hardState: HardState
  readonly entries: readonly Entry[]
}

type Persist = Extract<RaftEffect, { kind: 'persist' }>

/** Time between two steps: longer than any timeout, and than any promise to a leader. */
const longMs = 1_000_000
const timeoutMs = 1_000

/** The result of one step of a server. */
export interface Done {
  readonly sent: Outgoing[]
  readonly applied: Entry[]
  won: number | undefined
}

/**
 * One server: its core, its disk, and the writes under way. Its clock jumps from step to step, so that no timeout and
 * no promise to a leader ever prevents anything: time only restricts real runs further.
 */
export class SearchedServer {
  readonly place: number
  readonly raft: RaftCore
  disk: Disk
  pending: readonly Persist[] = []
  readonly #core: RaftUnderSearch
  readonly #bounds: RaftBounds
  #nowMs = 0
  done: Done = { sent: [], applied: [], won: undefined }

  constructor(place: number, disk: Disk, core: RaftUnderSearch, bounds: RaftBounds) {
    this.place = place
    this.disk = disk
    this.#core = core
    this.#bounds = bounds
    this.raft = core.createRaft({
      id: itemAt(serverNames, place),
      recovered: recovered(disk),
      timing: {
        heartbeatTimeoutMs: timeoutMs,
        electionTimeoutMs: timeoutMs,
        leaderLeaseMs: timeoutMs,
        clockRateBound: 0.05,
        preVote: bounds.preVote ? 'on' : 'off',
      },
      limits: {
        appendEntriesMax: bounds.batch,
        appendBytesMax: 1_024,
        appendsInFlightMax: 2,
        appendBytesInFlightMax: 4_096,
        uncommittedEntriesMax: 16,
        snapshotChunkBytes: 16,
        pendingReadsMax: 1,
        persistsMax: 1024,
        heldMessagesMax: 4096,
      },
    })
    this.#step({ kind: 'started' })
  }

  take(event: RaftEvent): void {
    this.done = { sent: [], applied: [], won: undefined }
    this.#step(event)
  }

  #step(event: RaftEvent): void {
    this.#nowMs += longMs
    const led = this.raft.role.kind === 'leader' ? this.raft.term : undefined
    const effects = this.#core.step(this.raft, event, this.#nowMs)
    if (this.raft.role.kind === 'leader' && this.raft.term !== led) this.done.won = this.raft.term
    for (const effect of effects) this.#effect(effect)
  }

  #effect(effect: RaftEffect): void {
    if (effect.kind === 'send') this.done.sent.push(effect.outgoing)
    else if (effect.kind === 'apply') this.done.applied.push(...effect.entries)
    else if (effect.kind === 'persist') this.#persist(effect)
  }

  #persist(persist: Persist): void {
    const isNothing =
      persist.hardState === undefined && persist.truncateFrom === undefined && persist.entries.length === 0
    const { slowWrites } = this.#bounds
    if (slowWrites === 0 || (isNothing && this.pending.length === 0)) return this.#write(persist)
    this.pending = [...this.pending, persist]
    if (this.pending.length > slowWrites) this.#syncOldest()
  }

  /** The oldest write that is under way becomes durable. */
  sync(): void {
    this.done = { sent: [], applied: [], won: undefined }
    this.#syncOldest()
  }

  #syncOldest(): void {
    const [oldest, ...rest] = this.pending
    if (oldest === undefined) return
    this.pending = rest
    this.#write(oldest)
  }

  #write({ sequence, hardState, truncateFrom, entries, thenSend }: Persist): void {
    const kept = this.disk.entries.filter(({ index }) => truncateFrom === undefined || index < truncateFrom)
    this.disk = { hardState: hardState ?? this.disk.hardState, entries: [...kept, ...entries] }
    this.done.sent.push(...thenSend)
    this.#step({ kind: 'persisted', sequence })
  }
}

function recovered({ hardState, entries }: Disk): Recovered {
  return { hardState, entries, snapshot: undefined, snapshotSizeBytes: 0 }
}

export function entryText({ index, term, kind }: Entry): string {
  return `${index}:${term}${kind === 'command' ? '' : kind === 'no-op' ? 'n' : 'c'}`
}

export function messageText(message: RaftMessage): string {
  const fields = Object.entries(message).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'kind' || value === false) return []
    if (value === true) return [name]
    return name === 'entries' ? [] : [`${name} ${String(value)}`]
  })
  const entries = message.kind === 'append-request' ? ` [${message.entries.map(entryText).join(' ')}]` : ''
  return `${message.kind} ${fields.join(', ')}${entries}`
}

/** Everything of a server that its next steps can depend on, except for times, which are always over. */
export function fingerprintOf({ raft, disk, pending }: SearchedServer): string {
  const { role, term, votedFor, durability, commit, applied } = raft
  const writes = pending.map(({ hardState, truncateFrom, entries, thenSend }) => [
    hardState,
    truncateFrom,
    entries.map(entryText),
    thenSend.map(({ to, message }) => `${to} ${messageText(message)}`).sort(compare),
  ])
  const held = entriesOf(raft).map(entryText)
  const durable = [durability.index, durability.term, durability.isBehind]
  const state = [term, votedFor, roleText(role), held, durable, commit, applied, diskText(disk), writes]
  return JSON.stringify(state)
}

export function entriesOf({ log }: RaftCore): readonly Entry[] {
  return log.range(indexAfter(log.baseIndex), log.lastIndex)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function diskText({ hardState, entries }: Disk): string {
  return `${hardState.term}/${hardState.votedFor ?? ''} ${entries.map(entryText).join(' ')}`
}

function roleText(role: RaftCore['role']): unknown {
  switch (role.kind) {
    case 'follower':
      return ['follower', role.leader]
    case 'pre-candidate':
    case 'candidate':
      return [role.kind, [...role.granted].sort(compare)]
    case 'leader': {
      const { ownFirstIndex, progress, round, confirmedRound } = role
      const followers = [...progress.values()].map(({ heardMs: _, ...rest }) => rest)
      return ['leader', ownFirstIndex, round, confirmedRound, followers.sort((a, b) => compare(a.id, b.id))]
    }
    default:
      return role satisfies never
  }
}
