import type { Term } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { ServerTiming } from '../process-facts.ts'
import { type ConfigurationChanges, configurationChanges } from './configuration-changes.ts'
import { RefusedAppends } from './refused-appends.ts'
import { type WaitingReads, waitingReads } from './waiting-reads.ts'

/** A leader sends heartbeats this many times, or half as many, in the time after which a follower stands. */
const heartbeatsPerTimeout = 10
/** Longest time between two heartbeats, in their shortest distances. */
const distancesMax = 2
/** Timers fire on whole steps of a clock. */
const roundingMs = 5
/** Within this time a leader that serves has a decided change in its log: beyond, its disk hangs, and it hands over. */
const leavesWithinMs = 30_000

interface Contact {
  /** When it was last sent an append that it has to answer, by the leader's own clock. */
  appendMs: number
  /** When it was last sent one without entries, whose answer waits for no disk. */
  emptyMs: number
}

interface Leading {
  readonly term: Term
  /** By follower, as the configuration names it. */
  readonly contacts: Map<string, Contact>
  /**
   * Servers whose removal it has decided, until a configuration without them is in its log, and until when at the latest:
   * its own disk may be seconds behind, so that configurations from before that decision still come.
   */
  readonly leaving: Map<string, number>
  /** It was asked for a change that is not in its log yet. */
  isChanging: boolean
  /** When its followers are looked at again. */
  lookMs: number
  readonly refused: RefusedAppends
}

interface Process {
  readonly id: string
  readonly timing: ServerTiming
}

type AttentionExcuses = { readonly R12: 'change under way' }

/**
 * R12. Paper 5.2, thesis 6.4: what a leader owes to every server of the newest configuration in its log.
 *
 * 1. It is sent an append that it has to answer at least once in two heartbeats, of which the longest distance is a
 *    fifth of the timeout. One is left out if an append was sent since the one before.
 * 2. While reads wait for a majority, it is sent one without entries at each heartbeat, because the answer to another
 *    waits for a disk.
 * 3. Its messages go to the address that the configuration gives.
 * 4. If it refuses an append, it is sent entries from further back at once, and not only at a heartbeat.
 *
 * Times are those of the leader's own clock, without the times in which its process was paused.
 */
export class LeaderAttention {
  readonly #judge: Judge<AttentionExcuses>
  readonly #configurations: Pick<ConfigurationChanges, 'newestOf'>
  readonly #reads: Pick<WaitingReads, 'oldestMs'>
  readonly #processes = new Map<string, Process>()
  readonly #leading = new Map<string, Leading>()

  constructor(
    judge: Judge<AttentionExcuses>,
    configurations: Pick<ConfigurationChanges, 'newestOf'>,
    reads: Pick<WaitingReads, 'oldestMs'>,
  ) {
    this.#judge = judge
    this.#configurations = configurations
    this.#reads = reads
  }

  began(node: string, id: string, timing: ServerTiming | undefined): void {
    this.#leading.delete(node)
    if (timing === undefined) this.#processes.delete(node)
    else this.#processes.set(node, { id, timing })
  }

  becameLeader(node: string, term: Term): void {
    this.#leading.set(node, {
      term,
      contacts: new Map(),
      leaving: new Map(),
      isChanging: false,
      lookMs: 0,
      refused: new RefusedAppends(),
    })
  }

  noLongerLeads(node: string): void {
    this.#leading.delete(node)
  }

  /** Its process did nothing until now: its times begin anew. */
  resumed(node: string): void {
    this.#leading.get(node)?.contacts.clear()
  }

  changing(node: string, isChanging: boolean): void {
    const leading = this.#leading.get(node)
    if (leading !== undefined) leading.isChanging = isChanging
  }

  removing(node: string, id: string): void {
    const nowMs = this.#processes.get(node)?.timing.monoMs() ?? 0
    this.#leading.get(node)?.leaving.set(id, nowMs + leavesWithinMs)
  }

  changed(node: string): void {
    const leading = this.#leading.get(node)
    if (leading === undefined) return
    const members = this.#configurations.newestOf(node)?.servers ?? []
    leading.refused.membersChanged()
    for (const id of leading.leaving.keys()) if (!members.some((each) => each.id === id)) leading.leaving.delete(id)
  }

  sent(node: string, to: string, address: string, message: RaftMessage): void {
    const leading = this.#leading.get(node)
    const process = this.#processes.get(node)
    if (leading === undefined || process === undefined || message.term !== leading.term) return
    if (message.kind !== 'append-request' && message.kind !== 'snapshot-chunk') return
    this.#addressed(node, to, address, leading)
    const nowMs = process.timing.monoMs()
    this.#look(node, leading, process, nowMs)
    const contact = leading.contacts.get(to)
    if (message.kind !== 'append-request' || message.round === 0) return
    this.#judgeAnswer(node, to, leading.refused.sent(to, message, nowMs), leading.term)
    if (contact === undefined) return
    contact.appendMs = nowMs
    if (message.entries.length === 0) contact.emptyMs = nowMs
  }

  received(node: string, from: string, message: RaftMessage): void {
    const leading = this.#leading.get(node)
    const process = this.#processes.get(node)
    if (leading === undefined || process === undefined) return
    const nowMs = process.timing.monoMs()
    this.#look(node, leading, process, nowMs)
    // A server that was removed is owed no answer. The leader sends to one that is added again before that change is on
    // its own disk, so the refusals from before must not count by then.
    const isMember = this.#configurations.newestOf(node)?.servers.some(({ id }) => id === from) === true
    if (message.term === leading.term && isMember) leading.refused.received(from, message, nowMs)
  }

  /** `afterMs`: the time in which the refusal of a follower had no answer. */
  #judgeAnswer(node: string, to: string, afterMs: number | undefined, term: Term): void {
    if (afterMs === undefined) return
    const heartbeat = `and its first answer is a heartbeat ${afterMs.toFixed(0)} ms later`
    this.#judge.report('R12', `${node}, leader of term ${term}, is refused an append by ${to}, ${heartbeat}`)
  }

  /**
   * Servers that are no members any more are told so once, if they can be reached: a server that has started since knows
   * the addresses of members alone.
   */
  #addressed(node: string, to: string, address: string, leading: Leading): void {
    const member = this.#configurations.newestOf(node)?.servers.find(({ id }) => id === to)
    if (member === undefined) return
    this.#judge.judged('R12')
    const leader = `${node}, leader of term ${leading.term},`
    if (address === '') return this.#judge.report('R12', `${leader} does not know the address of ${to}`)
    if (member.address === address) return
    if (leading.isChanging) return this.#judge.excused('R12', 'change under way')
    const instead = `sends ${to} its messages at ${address}, and the configuration in its log has ${member.address}`
    this.#judge.report('R12', `${leader} ${instead}`)
  }

  #look(node: string, leading: Leading, { id, timing }: Process, nowMs: number): void {
    if (nowMs < leading.lookMs) return
    const heartbeatMs = Math.max(1, Math.floor(timing.heartbeatTimeoutMs / heartbeatsPerTimeout))
    leading.lookMs = nowMs + heartbeatMs
    const longestMs = distancesMax * heartbeatMs + roundingMs
    const readSinceMs = this.#reads.oldestMs(node)
    for (const server of this.#configurations.newestOf(node)?.servers ?? []) {
      if (server.id === id || nowMs < (leading.leaving.get(server.id) ?? 0)) continue
      const contact = leading.contacts.get(server.id)
      if (contact === undefined) leading.contacts.set(server.id, { appendMs: nowMs, emptyMs: nowMs })
      else this.#judgeContact(`${node}, leader of term ${leading.term},`, server.id, contact, nowMs, longestMs)
      if (contact === undefined || readSinceMs === undefined) continue
      this.#judgeReads(`${node}, leader of term ${leading.term},`, server.id, contact, nowMs, longestMs, readSinceMs)
    }
  }

  #judgeContact(leader: string, to: string, { appendMs }: Contact, nowMs: number, longestMs: number): void {
    this.#judge.judged('R12')
    const gapMs = nowMs - appendMs
    if (gapMs <= 2 * longestMs) return
    this.#judge.report('R12', `${leader} has sent ${to} no append for ${gapMs.toFixed(0)} ms`)
  }

  #judgeReads(
    leader: string,
    to: string,
    { emptyMs }: Contact,
    nowMs: number,
    longestMs: number,
    readSinceMs: number,
  ): void {
    const gapMs = nowMs - Math.max(emptyMs, readSinceMs)
    if (gapMs <= longestMs) return
    const asked = `has not asked ${to} for ${gapMs.toFixed(0)} ms whether it still leads`
    this.#judge.report('R12', `${leader} ${asked}, and a read has been waiting for that`)
  }
}

export const leaderAttention = checker({
  codes: {
    R12: {
      text: 'attention: a leader sends every server of its configuration an append in each two heartbeats, at its address, one without entries in each while reads wait, and entries when it refuses some; and it leads only while a majority answers',
      sources: ['Raft paper, sections 5.2 and 5.3', 'Raft thesis, sections 6.2 and 6.4'],
      evidence: ['heartbeats', 'elections', 'configurations'],
      judges: ['message of a leader', 'messages of leaders'],
      excuses: {
        'change under way':
          'A leader that was asked for a change of members may use an address, and count one voter more or less, than its log has; until the change is in its log.',
      },
    },
  },
  make: (run: CheckedRun & Judge<AttentionExcuses>) =>
    new LeaderAttention(run, run.of(configurationChanges), run.of(waitingReads)),
  takes: {
    'process began': (it, { node, id, timing }) => it.began(node, id, timing),
    'process died': (it, { node }) => it.noLongerLeads(node),
    'process resumed': (it, { node }) => it.resumed(node),
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'change asked': (it, { node }) => it.changing(node, true),
    'change written': (it, { node }) => it.changing(node, false),
    'removal decided': (it, { node, id }) => it.removing(node, id),
    'members changed': (it, { node }) => it.changed(node),
    'message sent': (it, { node, to, address, message }) => it.sent(node, to, address, message),
    'message received': (it, { node, from, message }) => it.received(node, from, message),
  },
})
