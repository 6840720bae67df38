import { Heap } from '../../src/base/heap.ts'
import { invariant } from '../../src/base/invariant.ts'
import type { RandomStream } from '../../src/env/random.ts'
import { logIndexOf } from '../../src/model/log-position.ts'
import { bootstrapped, bootstrapTerm } from '../../src/raft/core/configuration.ts'
import type { RaftEffect } from '../../src/raft/core/effects.ts'
import type { RaftEvent, TimerName } from '../../src/raft/core/events.ts'
import type { Outgoing, RaftMessage } from '../../src/raft/core/messages.ts'
import type { RaftLimits } from '../../src/raft/core/options.ts'
import { createRaft, type RaftCore } from '../../src/raft/core/state.ts'
import { step } from '../../src/raft/core/step.ts'
import type { Entry, Recovered, ServerId } from '../../src/raft/core/types.ts'

/** Properties of the machines of a trial. Times in microseconds. */
export interface Surroundings {
  /** Transit time of a message, including the writes that it waits for. */
  readonly messageUs: (draws: RandomStream) => number
  /** How late a timer fires. */
  readonly latenessUs: (draws: RandomStream) => number
}

export interface TrialOptions {
  /** Timeouts are drawn from [min, min + spread]. */
  readonly timeoutMinUs: number
  readonly timeoutSpreadUs: number
  readonly surroundings: Surroundings
  readonly draws: RandomStream
  /** A trial without a leader after this time is aborted, and counts as this long. */
  readonly patienceUs: number
}

export interface TrialResult {
  /** From the crash to the next election won; 0 if the leader had been replaced before. */
  readonly withoutLeaderUs: number
  /** No leader was elected within the time limit. */
  readonly isBrokenOff: boolean
  /** Elections that began after the crash, won or not. */
  readonly elections: number
}

interface Happening {
  readonly atUs: number
  readonly order: number
  readonly run: () => void
}

interface Server {
  readonly id: ServerId
  readonly raft: RaftCore
  /** Running timers: the number of their setting. */
  readonly timers: Map<TimerName, number>
  crashed: boolean
}

const serverCount = 5
const leaderId: ServerId = `s${serverCount}`

const limits: RaftLimits = {
  appendEntriesMax: 64,
  appendBytesMax: 65_536,
  appendsInFlightMax: 8,
  appendBytesInFlightMax: 1 << 20,
  uncommittedEntriesMax: 1000,
  snapshotChunkBytes: 65_536,
  pendingReadsMax: 10,
  persistsMax: 1024,
  heldMessagesMax: 4096,
}

/**
 * One crash of a leader, as in section 9.3 of the extended Raft paper, played by five protocol cores on virtual time:
 * 1. Server 1 has the shortest log, server 5 the longest, which leads; the network carries no entries, so logs stay
 *    unequal. Of the four that survive, only the two with the longest logs can win three votes.
 * 2. A heartbeat reaches all followers at one instant.
 * 3. The leader crashes at a random moment of the heartbeat interval after it. The core is independent of the unit of
 *    its times: here it is the microsecond.
 */
export class ElectionTrial {
  readonly #options: TrialOptions
  readonly #servers = new Map<ServerId, Server>()
  readonly #queue = new Heap<Happening>((a, b) => a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order))
  #nowUs = 0
  #order = 0
  #settings = 0
  /** Until the heartbeat from which time is measured, messages take no time and timers are exact. */
  #isReal = false
  #heartbeats = 0
  #crashedAtUs: number | undefined
  #electedAtUs: number | undefined
  #elections = 0

  constructor(options: TrialOptions) {
    this.#options = options
  }

  run(): TrialResult {
    this.#begin()
    const { patienceUs } = this.#options
    for (;;) {
      const crashedAtUs = this.#crashedAtUs
      if (crashedAtUs !== undefined && this.#electedAtUs !== undefined) {
        const withoutLeaderUs = Math.max(0, this.#electedAtUs - crashedAtUs)
        return { withoutLeaderUs, isBrokenOff: false, elections: this.#elections }
      }
      const next = this.#queue.pop()
      invariant(next !== undefined, 'servers always have a timer set')
      if (crashedAtUs !== undefined && next.atUs > crashedAtUs + patienceUs) {
        return { withoutLeaderUs: patienceUs, isBrokenOff: true, elections: this.#elections }
      }
      this.#nowUs = next.atUs
      next.run()
    }
  }

  /** The server with the longest log boots first, and is a candidate by the time the others boot. */
  #begin(): void {
    const { timeoutMinUs, timeoutSpreadUs } = this.#options
    for (let number = serverCount; number >= 1; number--) {
      const server = this.#server(`s${number}`, number)
      const startUs = server.id === leaderId ? 0 : timeoutMinUs + timeoutSpreadUs - 1
      this.#servers.set(server.id, server)
      this.#at(startUs, () => this.#step(server, { kind: 'started' }))
    }
  }

  #server(id: ServerId, logLength: number): Server {
    const { timeoutMinUs, timeoutSpreadUs } = this.#options
    const raft = createRaft({
      id,
      recovered: withLog(logLength),
      timing: {
        heartbeatTimeoutMs: timeoutMinUs,
        electionTimeoutMs: timeoutMinUs,
        leaderLeaseMs: timeoutMinUs,
        clockRateBound: 0,
        timeoutSpreadMs: timeoutSpreadUs,
        heartbeatIntervalMs: timeoutMinUs >> 1,
        preVote: 'off',
      },
      limits,
    })
    return { id, raft, timers: new Map(), crashed: false }
  }

  #at(atUs: number, run: () => void): void {
    this.#queue.push({ atUs, order: this.#order++, run })
  }

  #step(server: Server, event: RaftEvent): void {
    if (server.crashed) return
    for (const effect of step(server.raft, event, this.#nowUs)) this.#carryOut(server, effect)
  }

  #carryOut(server: Server, effect: RaftEffect): void {
    switch (effect.kind) {
      case 'send':
        return this.#send(server.id, effect.outgoing)
      case 'persist':
        // Writes complete at once, but after the effects of this step.
        return this.#at(this.#nowUs, () => {
          if (server.crashed) return
          for (const outgoing of effect.thenSend) this.#send(server.id, outgoing)
          this.#step(server, { kind: 'persisted', sequence: effect.sequence })
        })
      case 'set-timer':
        return this.#setTimer(server, effect.timer, effect.minMs, effect.maxMs)
      case 'clear-timer':
        server.timers.delete(effect.timer)
        return
      case 'role-changed':
        if (effect.role === 'candidate' && this.#crashedAtUs !== undefined) this.#elections++
        if (effect.role === 'leader' && server.id !== leaderId) this.#electedAtUs = this.#nowUs
        return
    }
  }

  #takes(time: (draws: RandomStream) => number): number {
    return this.#isReal ? time(this.#options.draws) : 0
  }

  #setTimer(server: Server, timer: TimerName, minUs: number, maxUs: number): void {
    const { draws, surroundings } = this.#options
    const setting = ++this.#settings
    server.timers.set(timer, setting)
    const afterUs = minUs + (maxUs > minUs ? draws.below(maxUs - minUs + 1) : 0) + this.#takes(surroundings.latenessUs)
    this.#at(this.#nowUs + afterUs, () => {
      if (server.timers.get(timer) !== setting) return
      server.timers.delete(timer)
      if (timer === 'heartbeat') this.#beforeHeartbeat(server)
      this.#step(server, { kind: 'timer-fired', timer })
    })
  }

  /** Time is measured from the third heartbeat: by then every follower's timer runs from a heartbeat. */
  #beforeHeartbeat(server: Server): void {
    if (server.id !== leaderId) return
    this.#heartbeats++
    if (this.#heartbeats !== 3) return
    const { draws, timeoutMinUs } = this.#options
    this.#at(this.#nowUs + draws.below(timeoutMinUs >> 1), () => {
      server.crashed = true
      this.#crashedAtUs = this.#nowUs
    })
    this.#isReal = true
  }

  #send(from: ServerId, { to, message }: Outgoing): void {
    if (carriesEntries(message)) return
    const server = this.#servers.get(to)
    invariant(server !== undefined, 'members run', { to })
    // The only message of the leader after the beginning is the one heartbeat: it arrives everywhere at once.
    const isSynchronised = from === leaderId
    const afterUs = isSynchronised ? 0 : this.#takes(this.#options.surroundings.messageUs)
    this.#at(this.#nowUs + afterUs, () => this.#step(server, { kind: 'message-received', from, message }))
  }
}

function carriesEntries(message: RaftMessage): boolean {
  return message.kind === 'append-request' && message.entries.length > 0
}

/** The disk of a server whose log has `length` entries, all of term 1. */
function withLog(length: number): Recovered {
  const servers = Array.from({ length: serverCount }, (_, i) => {
    const id = `s${i + 1}`
    return { id, address: `${id}:8300`, suffrage: 'voter' as const }
  })
  const first = bootstrapped({ servers })
  invariant(first.ok, 'five servers make a cluster')
  const more = Array.from(
    { length: length - 1 },
    (_, i): Entry => ({ index: logIndexOf(i + 2), term: bootstrapTerm, kind: 'command', payload: new Uint8Array(0) }),
  )
  return { ...first.value, entries: [...first.value.entries, ...more] }
}
