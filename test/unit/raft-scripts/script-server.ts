import { logIndexOf } from '../../../src/model/log-position.ts'
import type { RaftEffect } from '../../../src/raft/core/effects.ts'
import type { RaftEvent, TimerName } from '../../../src/raft/core/events.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { RaftLimits, RaftTiming } from '../../../src/raft/core/options.ts'
import type { RaftCore } from '../../../src/raft/core/state.ts'
import type { ServerId } from '../../../src/raft/core/types.ts'
import type { WorldCore } from '../../property/raft-core/world.ts'
import { type Persist, ScriptDisk } from './script-disk.ts'
import { entriesText, entryText, membersText, persistText, refusalText, roleText } from './words.ts'

export interface ScriptSetting {
  readonly core: WorldCore
  readonly timing: RaftTiming
  readonly limits: RaftLimits
}

/**
 * One server of a script: the core, a disk, a clock of its own, and timers that fire at the earliest moment allowed.
 */
export class ScriptServer {
  readonly id: ServerId
  readonly disk = new ScriptDisk()
  clockMs = 0
  raft: RaftCore | undefined
  /** What the state machine has applied, in order. */
  applied: string[] = []
  readonly #setting: ScriptSetting
  readonly #tell: (line: string) => void
  readonly #send: (from: ServerId, to: ServerId, message: RaftMessage) => void
  readonly #timers = new Map<TimerName, number>()
  readonly #requests = new Map<number, string>()
  #pending: Persist[] = []
  #lastRequest = 0

  constructor(
    id: ServerId,
    setting: ScriptSetting,
    tell: (line: string) => void,
    send: (from: ServerId, to: ServerId, message: RaftMessage) => void,
  ) {
    this.id = id
    this.#setting = setting
    this.#tell = tell
    this.#send = send
  }

  get running(): RaftCore {
    if (this.raft === undefined) throw new Error(`server ${this.id} does not run`)
    return this.raft
  }

  start(): void {
    const { core, timing, limits } = this.#setting
    this.#timers.clear()
    this.#pending = []
    this.#requests.clear()
    const { snapshot } = this.disk
    this.applied = snapshot === undefined ? [] : new TextDecoder().decode(snapshot.bytes).split(' ')
    try {
      this.raft = core.createRaft({ id: this.id, recovered: this.disk.recovered(), timing, limits })
    } catch (cause) {
      return this.#stopped(cause)
    }
    // What recovery leaves out is left out on disk too.
    if (this.raft.log.lastIndex === this.raft.log.baseIndex) this.disk.entries = []
    this.step({ kind: 'started' })
  }

  crash(): void {
    this.raft = undefined
    this.#timers.clear()
    this.#pending = []
  }

  /** Hands an event that carries a request to the core, under a number of its own. */
  request(name: string, make: (requestId: number) => RaftEvent): void {
    const requestId = ++this.#lastRequest
    this.#requests.set(requestId, name)
    this.step(make(requestId))
  }

  step(event: RaftEvent): void {
    const { raft } = this
    if (raft === undefined) return
    let effects: readonly RaftEffect[]
    try {
      effects = this.#setting.core.step(raft, event, this.clockMs)
    } catch (cause) {
      return this.#stopped(cause)
    }
    for (const effect of effects) this.#carryOut(effect)
    if (!this.disk.isSlow) this.sync()
  }

  /** A broken promise stops a server; anything else is a fault of the test. */
  #stopped(cause: unknown): void {
    // By its name: a planted bug comes with classes of its own.
    if (!(cause instanceof Error) || cause.name !== 'InvariantViolation') throw cause
    this.#tell(`${this.id} STOPS: ${cause.message}`)
    this.crash()
  }

  /** Pending writes reach the disk, in order. */
  sync(): void {
    for (let persist = this.#pending.shift(); persist !== undefined; persist = this.#pending.shift()) {
      this.disk.write(persist)
      for (const { to, message } of persist.thenSend) this.#send(this.id, to, message)
      this.step({ kind: 'persisted', sequence: persist.sequence })
    }
  }

  get nextTimerMs(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#timers.values())
  }

  /** Fires what is due now, the earliest first. */
  fireDue(): void {
    for (const [timer, dueMs] of this.#timers) {
      if (dueMs > this.clockMs || dueMs > this.nextTimerMs) continue
      this.#timers.delete(timer)
      this.step({ kind: 'timer-fired', timer })
      return this.fireDue()
    }
  }

  /** The clock jumps, and the timers with it, as if nothing was due meanwhile. */
  jump(ms: number): void {
    this.clockMs += ms
    for (const [timer, dueMs] of this.#timers) this.#timers.set(timer, dueMs + ms)
  }

  /** The election timer fires now, whenever it was due. */
  timeOut(): void {
    this.#timers.delete('election')
    this.step({ kind: 'timer-fired', timer: 'election' })
  }

  snapshot(): void {
    const raft = this.running
    const meta = this.#setting.core.snapshotMetaAt(raft, raft.applied)
    const bytes = new TextEncoder().encode(this.applied.join(' '))
    this.disk.snapshot = { meta, bytes }
    this.#tell(`${this.id} has a snapshot up to ${meta.index}@${meta.term}`)
    this.step({ kind: 'snapshot-taken', meta, sizeBytes: bytes.length, keepFrom: logIndexOf(meta.index + 1) })
  }

  #say(text: string): void {
    this.#tell(`${this.id} ${text}`)
  }

  #nameOf(requestId: number): string {
    return this.#requests.get(requestId) ?? `request ${requestId}`
  }

  #carryOut(effect: RaftEffect): void {
    switch (effect.kind) {
      case 'send':
        return this.#send(this.id, effect.outgoing.to, effect.outgoing.message)
      case 'persist':
        this.#pending.push(effect)
        if (this.disk.isSlow) this.#say(persistText(effect))
        return
      case 'set-timer':
        this.#timers.set(effect.timer, this.clockMs + effect.minMs)
        return
      case 'clear-timer':
        this.#timers.delete(effect.timer)
        return
      case 'apply':
        this.applied.push(
          ...effect.entries.filter((entry) => entry.kind === 'command').map((entry) => entryText(entry)),
        )
        return this.#say(`applies ${entriesText(effect.entries)}`)
      default:
        return this.#carryOutRest(effect)
    }
  }

  #carryOutRest(
    effect: Exclude<RaftEffect, { kind: 'send' | 'persist' | 'set-timer' | 'clear-timer' | 'apply' }>,
  ): void {
    switch (effect.kind) {
      case 'install-snapshot': {
        this.applied = new TextDecoder().decode(this.disk.snapshot?.bytes).split(' ')
        if (!this.disk.keepsLog) this.disk.entries = []
        return this.#say(`replaces log and state by the snapshot up to ${effect.meta.index}@${effect.meta.term}`)
      }
      case 'compact':
        this.disk.entries = this.disk.entries.filter((entry) => entry.index >= effect.keepFrom)
        return this.#say(`keeps its log from ${effect.keepFrom} on`)
      case 'store-chunk': {
        const { from, chunk } = effect
        const { term, meta, round } = chunk
        return this.step({ kind: 'chunk-stored', from, term, meta, round, ...this.disk.store(chunk) })
      }
      case 'read-chunk':
        return this.#readChunk(effect)
      case 'accepted':
        return this.#say(`takes ${this.#nameOf(effect.requestId)} as ${effect.index}@${effect.term}`)
      case 'refused':
        return this.#say(`refuses ${this.#nameOf(effect.requestId)}: ${refusalText(effect.refusal)}`)
      case 'read-ready':
        return this.#say(`answers ${this.#nameOf(effect.requestId)} as of ${effect.index}`)
      case 'transferred':
        return this.#say(`has done ${this.#nameOf(effect.requestId)}`)
      case 'role-changed':
        return this.#say(roleText(effect))
      case 'configuration-changed': {
        if (effect.index <= 1) return
        const state = effect.committed ? 'committed' : 'not committed'
        return this.#say(`has members ${membersText(effect.configuration)} of ${effect.index}, ${state}`)
      }
      case 'note':
        if (effect.level === 'warn') this.#say(`warns: ${effect.text}`)
    }
  }

  #readChunk({ to, meta, offset, length }: Extract<RaftEffect, { kind: 'read-chunk' }>): void {
    const { snapshot } = this.disk
    const bytes = snapshot?.meta.index === meta.index ? snapshot.bytes : undefined
    const piece = bytes?.slice(offset, offset + length)
    this.step({ kind: 'chunk-read', to, meta, offset, bytes: piece, sizeBytes: bytes?.length ?? 0 })
  }
}
