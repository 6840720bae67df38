import { logIndexOf, plus, type Term, termOf } from '../../../src/model/log-position.ts'
import { bootstrapped, encodeConfiguration } from '../../../src/raft/core/configuration.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { RaftEvent, TimerName } from '../../../src/raft/core/events.ts'
import type { AppendRequest, AppendResponse, RaftMessage, VoteRequest } from '../../../src/raft/core/messages.ts'
import type { RaftLimits, RaftTiming } from '../../../src/raft/core/options.ts'
import { createRaft, type RaftCore } from '../../../src/raft/core/state.ts'
import { step } from '../../../src/raft/core/step.ts'
import type { Configuration, Entry, HardState, ServerId, SnapshotMeta, Suffrage } from '../../../src/raft/core/types.ts'
import { type Plain, positioned } from '../../tools/plain.ts'

const timing: RaftTiming = {
  heartbeatTimeoutMs: 1000,
  electionTimeoutMs: 1000,
  leaderLeaseMs: 500,
  clockRateBound: 0.1,
}

const limits: RaftLimits = {
  appendEntriesMax: 4,
  appendBytesMax: 1000,
  appendsInFlightMax: 2,
  appendBytesInFlightMax: 10_000,
  uncommittedEntriesMax: 20,
  snapshotChunkBytes: 4,
  pendingReadsMax: 5,
  persistsMax: 1024,
  heldMessagesMax: 4096,
}

export type Persist = Extract<RaftEffect, { kind: 'persist' }>

export interface Letter {
  readonly from: ServerId
  readonly to: ServerId
  readonly message: RaftMessage
}

/** What a server wakes up with. `terms` are those of its entries from index 1 on; the first holds the configuration. */
export interface Past {
  readonly terms?: readonly number[]
  readonly term?: number
  readonly votedFor?: ServerId
  readonly snapshot?: Plain<SnapshotMeta>
  readonly entries?: Plain<readonly Entry[]>
}

export interface Setting {
  readonly voters: readonly ServerId[]
  readonly nonvoters?: readonly ServerId[]
  /** Those that run; to the others one writes, and reads what they would get. All, unless said. */
  readonly running?: readonly ServerId[]
  readonly past?: Readonly<Record<ServerId, Past>>
  readonly timing?: Partial<RaftTiming>
  readonly limits?: Partial<RaftLimits>
}

export function command(index: number, term: number, text = ''): Entry {
  return { index: logIndexOf(index), term: termOf(term), kind: 'command', payload: new TextEncoder().encode(text) }
}

export function members(voters: readonly ServerId[], nonvoters: readonly ServerId[] = []): Configuration {
  const server = (suffrage: Suffrage) => (id: ServerId) => ({ id, address: `${id}:8300`, suffrage })
  const servers = [...voters.map(server('voter')), ...nonvoters.map(server('nonvoter'))]
  return { servers: servers.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
}

export function configurationEntry(index: number, term: number, configuration: Configuration): Entry {
  return {
    index: logIndexOf(index),
    term: termOf(term),
    kind: 'configuration',
    payload: encodeConfiguration(configuration),
  }
}

function textOf(entry: Entry): string {
  return entry.kind === 'command' ? new TextDecoder().decode(entry.payload) : entry.kind
}

/**
 * Cores whose messages lie on a table until a test delivers them, whose disks sync at once unless `slowDisk` says
 * otherwise, and whose timers fire when the test says so.
 */
export class Cluster {
  nowMs = 0
  readonly wire: Letter[] = []
  readonly cuts = new Set<ServerId>()
  readonly slowDisks = new Set<ServerId>()
  readonly applied = new Map<ServerId, string[]>()
  readonly effects: RaftEffect[] = []
  readonly #rafts = new Map<ServerId, RaftCore>()
  readonly #pending = new Map<ServerId, Persist[]>()
  readonly #disks = new Map<ServerId, { hardState: HardState; entries: Entry[]; snapshot: SnapshotMeta | undefined }>()
  readonly #setting: Setting
  #request = 0

  constructor(setting: Setting) {
    this.#setting = setting
    const { voters, nonvoters = [], past = {} } = setting
    const configuration = members(voters, nonvoters)
    const first = bootstrapped(configuration)
    if (!first.ok) throw new Error(first.error)
    for (const id of setting.running ?? [...voters, ...nonvoters]) {
      const { terms, term, votedFor, snapshot, entries } = past[id] ?? {}
      const own = (terms ?? [1]).map((t, i) => (i === 0 ? configurationEntry(1, t, configuration) : command(i + 1, t)))
      const log = entries === undefined ? own : positioned<readonly Entry[]>(entries)
      const lastTerm = log.at(-1)?.term ?? 0
      this.#disks.set(id, {
        hardState: { term: termOf(term ?? Math.max(lastTerm, 1)), votedFor },
        entries: [...log],
        snapshot: snapshot === undefined ? undefined : positioned<SnapshotMeta>(snapshot),
      })
      this.start(id)
    }
  }

  raft(id: ServerId): RaftCore {
    const raft = this.#rafts.get(id)
    if (raft === undefined) throw new Error(`${id} does not run`)
    return raft
  }

  disk(id: ServerId): { hardState: HardState; entries: Entry[]; snapshot: SnapshotMeta | undefined } {
    const disk = this.#disks.get(id)
    if (disk === undefined) throw new Error(`${id} has no disk`)
    return disk
  }

  start(id: ServerId): readonly RaftEffect[] {
    const { hardState, entries, snapshot } = this.disk(id)
    const recovered = { hardState, snapshot, snapshotSizeBytes: 0, entries: [...entries] }
    const raft = createRaft({
      id,
      recovered,
      timing: { ...timing, ...this.#setting.timing },
      limits: { ...limits, ...this.#setting.limits },
    })
    this.#rafts.set(id, raft)
    this.#pending.set(id, [])
    this.applied.set(id, [])
    return this.step(id, { kind: 'started' })
  }

  /** The process is gone, and what its disk had not synced. */
  crash(id: ServerId): void {
    this.#rafts.delete(id)
    this.#pending.set(id, [])
  }

  step(id: ServerId, event: Plain<RaftEvent>): readonly RaftEffect[] {
    const effects = step(this.raft(id), positioned<RaftEvent>(event), this.nowMs)
    this.effects.push(...effects)
    for (const effect of effects) this.#carryOut(id, effect)
    if (!this.slowDisks.has(id)) this.sync(id)
    return effects
  }

  #carryOut(id: ServerId, effect: RaftEffect): void {
    switch (effect.kind) {
      case 'send':
        this.wire.push({ from: id, ...effect.outgoing })
        return
      case 'persist':
        this.#pending.get(id)?.push(effect)
        return
      case 'apply':
        this.applied.get(id)?.push(...effect.entries.map(textOf))
        return
      case 'install-snapshot':
        this.applied.set(id, [`snapshot ${effect.meta.index}`])
        this.disk(id).entries = []
        return
      case 'compact': {
        const disk = this.disk(id)
        disk.entries = disk.entries.filter((entry) => entry.index >= effect.keepFrom)
      }
    }
  }

  /** The disk catches up: with everything, or with so many persists. */
  sync(id: ServerId, count = Number.POSITIVE_INFINITY): void {
    const pending = this.#pending.get(id) ?? []
    const done = pending.splice(0, count)
    const disk = this.disk(id)
    for (const { hardState, truncateFrom, entries, thenSend, sequence } of done) {
      if (hardState !== undefined) disk.hardState = hardState
      if (truncateFrom !== undefined) disk.entries = disk.entries.filter((entry) => entry.index < truncateFrom)
      disk.entries.push(...entries)
      for (const outgoing of thenSend) this.wire.push({ from: id, ...outgoing })
      this.step(id, { kind: 'persisted', sequence })
    }
    if (pending.length > 0 && count === Number.POSITIVE_INFINITY) this.sync(id)
  }

  fire(id: ServerId, timer: TimerName): readonly RaftEffect[] {
    return this.step(id, { kind: 'timer-fired', timer })
  }

  receive(to: ServerId, from: ServerId, message: Plain<RaftMessage>): readonly RaftEffect[] {
    return this.step(to, { kind: 'message-received', from, message })
  }

  /**
   * Delivers what lies on the table, and what that brings forth, until nothing is left; cut servers get and send
   * nothing.
   */
  deliver(): void {
    for (let i = 0; i < 10_000; i++) {
      const letter = this.wire.shift()
      if (letter === undefined) return
      const { from, to, message } = letter
      if (this.cuts.has(from) || this.cuts.has(to) || !this.#rafts.has(to)) continue
      this.receive(to, from, message)
    }
    throw new Error('the servers do not stop talking')
  }

  /** Takes what lies on the table. */
  mail(): Letter[] {
    return this.wire.splice(0)
  }

  mailOf<Kind extends RaftMessage['kind']>(kind: Kind): (Extract<RaftMessage, { kind: Kind }> & { to: ServerId })[] {
    return this.mail()
      .filter((letter) => letter.message.kind === kind)
      .map((letter) => ({ ...(letter.message as Extract<RaftMessage, { kind: Kind }>), to: letter.to }))
  }

  /** Lets a server stand, after all loyalty has ended, and delivers until it leads. */
  elect(id: ServerId): void {
    this.nowMs += 2000
    this.fire(id, 'election')
    this.deliver()
    if (this.raft(id).role.kind !== 'leader') throw new Error(`${id} was not elected`)
  }

  propose(id: ServerId, ...texts: string[]): readonly RaftEffect[] {
    const requests = texts.map((text) => ({ requestId: ++this.#request, payload: new TextEncoder().encode(text) }))
    return this.step(id, { kind: 'proposed', requests })
  }

  terms(id: ServerId): (Term | undefined)[] {
    const { log } = this.raft(id)
    return Array.from({ length: log.lastIndex - log.baseIndex }, (_, i) => log.termAt(plus(log.baseIndex, 1 + i)))
  }
}

export function voteRequest(over: Partial<Plain<VoteRequest>> = {}): Plain<VoteRequest> {
  return { kind: 'vote-request', pre: false, term: 2, lastIndex: 1, lastTerm: 1, transfer: false, ...over }
}

export function appendRequest(over: Partial<Plain<AppendRequest>> = {}): Plain<AppendRequest> {
  return {
    kind: 'append-request',
    term: 2,
    previousIndex: 1,
    previousTerm: 1,
    entries: [],
    commit: 0,
    round: 1,
    ...over,
  }
}

export function appendResponse(over: Partial<Plain<AppendResponse>> = {}): Plain<AppendResponse> {
  return { kind: 'append-response', term: 2, success: true, index: 1, hintTerm: 0, round: 1, ...over }
}

export function find<Kind extends RaftEffect['kind']>(
  effects: readonly RaftEffect[],
  kind: Kind,
): Extract<RaftEffect, { kind: Kind }> | undefined {
  return effects.find((effect): effect is Extract<RaftEffect, { kind: Kind }> => effect.kind === kind)
}

/** A leader of term 2, `s1`, whose followers are played by the test: their answers to the first appends are given. */
export function leaderAlone(setting: Partial<Setting> = {}, answering: readonly ServerId[] = ['s2', 's3']): Cluster {
  const cluster = new Cluster({ voters: ['s1', 's2', 's3'], running: ['s1'], ...setting })
  cluster.nowMs = 10_000
  cluster.fire('s1', 'election')
  for (const id of ['s2', 's3']) {
    cluster.receive('s1', id, { kind: 'vote-response', pre: true, term: 2, granted: true })
  }
  for (const id of ['s2', 's3']) {
    cluster.receive('s1', id, { kind: 'vote-response', pre: false, term: 2, granted: true })
  }
  const index = cluster.raft('s1').log.lastIndex
  for (const id of answering) cluster.receive('s1', id, appendResponse({ index }))
  cluster.mail()
  return cluster
}
