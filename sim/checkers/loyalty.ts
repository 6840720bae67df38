import { noTerm, type Term } from '../../src/model/log-position.ts'
import type { RaftMessage } from '../../src/raft/core/messages.ts'
import { type CheckedRun, checker, eventIn, type Judge } from './checker.ts'
import { membership } from './pool/membership.ts'
import type { ServerTiming } from './process-facts.ts'
import { configurationChanges } from './raft/configuration-changes.ts'
import { type ElectionSafety, electionSafety } from './raft/election-safety.ts'
import { FormerWords, type LeaderWord } from './raft/former-words.ts'
import { leadership } from './raft/leadership.ts'
import { Silences } from './raft/silences.ts'

type LoyaltyExcuses = { readonly R11: 'connections refused' | 'disk far behind' }

/**
 * Maximum number of appends since the last write: with half as many promises waiting for its disk, a server hears no
 * leader.
 */
const unwrittenMax = 2048
/** With adaptive detection, a server remembers silences for at least this many heartbeat timeouts. */
const rememberedTimeouts = 2
/** It bears a silence this many times as long as the longest one that it remembers. */
const silencesBorne = 2.5
/** Longest time that the answer to a dial may be under way. */
const dialAnswerUs = 10_000_000
/** Time in which a broken connection is made anew, with a margin. */
const reconnectUs = 5_000_000

/** A request for a vote that arrived while a leader's message was binding. */
interface EarlyRequest {
  readonly term: Term
  readonly word: LeaderWord
}

interface Follower {
  readonly id: string
  readonly timing: ServerTiming
  /** The highest durable term of this server. */
  term: Term
  word: LeaderWord | undefined
  /** How the leader of the word's term was heard. */
  silences: Silences | undefined
  /** Appends since the last write. */
  unwritten: number
  /** The newest early request of each candidate. */
  readonly early: Map<string, EarlyRequest>
}

interface LoyaltyWorld {
  readonly nowUs: () => number
  readonly elections: Pick<ElectionSafety, 'leaderOf'>
  /** Since when links, clocks and processes are undisturbed; infinite: some are not. */
  readonly calmSinceUs: () => number
  /** Whether it leads that term, by a configuration in which the server of this ID has a vote. */
  readonly leadsVoter: (leader: string, term: Term, id: string) => boolean
  /** Longest time of a message and its answer on undisturbed links; infinite if links lose packets. */
  readonly rttMaxMs: number
}

/**
 * R11. Thesis 4.2.3, 9.6: a server that is bound by a message of its leader neither asks others whether it
 * could win nor grants its vote. Leases rest on this, and so does a cluster's keeping its leader when nothing disturbs
 * it.
 *
 * 1. Times are those of the server's own monotonic clock, at the moments at which its process takes a message up and at
 *    which its request leaves. Its timers use the same times. So a fast clock, or a process that stood still with its
 *    leader's messages waiting in its sockets, makes no exception.
 * 2. A leader's message is an append or a piece of a snapshot, of a term that is not behind the server's own. The
 *    pre-vote request names the term after the server's own: a message of another term than the server's comes from
 *    another leader, and does not count. A server that asks has its term on its disk, so no term was entered unseen.
 * 3. A vote is judged at its request. It may be granted if any request of that candidate in that term came late enough,
 *    or said that the leader had handed over. A server that entered another term between the leader's message and its
 *    vote is not judged.
 * 4. While nothing disturbs the cluster, no election follows the first one. Once links, clocks and processes have been
 *    undisturbed for twice the timeout and some seconds in which broken connections are made anew, no voter asks at all
 *    while its leader still leads, however long ago the last message was. Disks do not count, because heartbeats wait
 *    for none. A round trip of such a network takes a fraction of the timeout; scenarios whose links lose packets, or
 *    are slow, are not judged.
 * 5. A message binds for a heartbeat timeout. With adaptive detection it binds for less where the leader was heard
 *    regularly: for two and a half times the longest silence of the last two timeouts, and never for less than the lease.
 * 6. A leader's message binds no server once that leader's process has ended or was asked to leave, because a follower
 *    may notice that by its connection. A leader whose listener refuses connections looks the same, and is excused.
 * 7. A restart ends no promise: a message that the former process may have acknowledged binds the next one as well. Of
 *    calm (4) a process that has heard no leader itself knows nothing.
 */
export class Loyalty {
  readonly #judge: Judge<LoyaltyExcuses>
  readonly #world: LoyaltyWorld
  readonly #followers = new Map<string, Follower>()
  /** By node, the terms that its present process has led. */
  readonly #led = new Map<string, Term[]>()
  /** Terms whose leader's process has ended, or is about to end. */
  readonly #over = new Set<Term>()
  readonly #refusedUs = new Map<string, number>()
  readonly #former = new FormerWords()

  constructor(judge: Judge<LoyaltyExcuses>, world: LoyaltyWorld) {
    this.#judge = judge
    this.#world = world
  }

  began(node: string, id: string, timing: ServerTiming | undefined): void {
    this.ends(node)
    if (timing === undefined) this.#followers.delete(node)
    else this.#followers.set(node, newFollower(id, timing))
  }

  /** Its process is about to end, or has ended. */
  ends(node: string): void {
    for (const term of this.#led.get(node) ?? []) this.#over.add(term)
  }

  gone(node: string): void {
    this.ends(node)
    this.#led.delete(node)
    this.#former.keep(node, this.#followers.get(node)?.word)
    this.#followers.delete(node)
  }

  /** A process has found this term on its disk. */
  found(node: string, term: Term): void {
    const follower = this.#followers.get(node)
    if (follower === undefined) return
    follower.term = term
    follower.word = this.#former.binding(node, term, follower.timing, this.#world.nowUs())
  }

  leads(node: string, term: Term): void {
    const led = this.#led.get(node)
    if (led === undefined) this.#led.set(node, [term])
    else led.push(term)
  }

  refuses(node: string, refuses: boolean): void {
    this.#refusedUs.set(node, refuses ? Number.POSITIVE_INFINITY : this.#world.nowUs())
  }

  received(node: string, from: string, message: RaftMessage): void {
    const follower = this.#followers.get(node)
    if (follower === undefined) return
    if (message.kind === 'append-request' || message.kind === 'snapshot-chunk') this.#heard(follower, message.term)
    else if (message.kind === 'vote-request' && !message.pre) {
      const word = message.transfer ? undefined : this.#bindingWord(follower)
      if (word === undefined) follower.early.delete(from)
      else follower.early.set(from, { term: message.term, word })
    }
  }

  #heard(follower: Follower, term: Term): void {
    follower.unwritten++
    if (term < follower.term) return
    const { timing } = follower
    const atMs = timing.monoMs()
    if (follower.word?.term === term && !follower.word.isFormer) follower.silences?.heard(atMs)
    else follower.silences = new Silences(rememberedTimeouts * timing.heartbeatTimeoutMs, atMs)
    const bindsMs = bindingMs(timing, follower.silences?.longestMs)
    follower.word = { term, atMs, bindsMs, atUs: this.#world.nowUs(), event: eventIn(this.#judge), isFormer: false }
  }

  written(node: string, term: Term, votedFor: string | undefined, stands: boolean): void {
    const follower = this.#followers.get(node)
    if (follower === undefined) return
    const before = follower.term
    follower.term = term
    if (stands || votedFor === undefined) return
    this.#judge.judged('R11')
    const early = follower.early.get(votedFor)
    if (early?.term !== term || before > early.word.term) return
    this.#tooEarly(node, follower, early.word, `votes for ${votedFor} in term ${term}`)
  }

  wrote(node: string): void {
    const follower = this.#followers.get(node)
    if (follower !== undefined) follower.unwritten = 0
  }

  sent(node: string, message: RaftMessage): void {
    if (message.kind !== 'vote-request' || !message.pre) return
    const follower = this.#followers.get(node)
    if (follower === undefined) return
    this.#judge.judged('R11')
    const word = this.#bindingWord(follower)
    if (word === undefined || word.term !== message.term - 1) return this.#inCalm(node, follower, message.term)
    this.#tooEarly(node, follower, word, `stands for election in term ${message.term}`)
  }

  #inCalm(node: string, { id, word, timing, unwritten }: Follower, term: Term): void {
    const { nowUs, calmSinceUs, elections, leadsVoter, rttMaxMs } = this.#world
    const leader = word === undefined ? undefined : elections.leaderOf(word.term)
    if (word?.term !== term - 1 || word.isFormer || leader === undefined || unwritten > unwrittenMax) return
    const calmUs = nowUs() - Math.max(calmSinceUs(), ...this.#refusedUs.values())
    if (calmUs < 2 * timing.heartbeatTimeoutMs * 1000 + reconnectUs || rttMaxMs * 4 > timing.heartbeatTimeoutMs) return
    if (this.#over.has(word.term) || !leadsVoter(leader, word.term, id)) return
    const calm = `${leader} leads term ${word.term}, and nothing was disturbed for ${(calmUs / 1_000_000).toFixed(1)} s`
    this.#judge.report('R11', `${node} stands for election in term ${term}: ${calm}`, [word.event])
  }

  /** The message of a leader that was received within the timeout, and whose process still runs. */
  #bindingWord({ word, timing, term }: Follower): LeaderWord | undefined {
    if (word === undefined || word.term < term || this.#over.has(word.term)) return undefined
    return timing.monoMs() - word.atMs < word.bindsMs ? word : undefined
  }

  #tooEarly(node: string, { timing, unwritten }: Follower, word: LeaderWord, does: string): void {
    if (unwritten > unwrittenMax) return this.#judge.excused('R11', 'disk far behind')
    const leader = this.#world.elections.leaderOf(word.term)
    const refusedUs = this.#refusedUs.get(leader ?? '')
    if (refusedUs !== undefined && refusedUs + dialAnswerUs >= word.atUs) {
      return this.#judge.excused('R11', 'connections refused')
    }
    const after = (timing.monoMs() - word.atMs).toFixed(1)
    const heard = `${after} ms after a message from ${leader ?? 'its leader'}, leader of term ${word.term}`
    this.#judge.report('R11', `${node} ${does} ${heard}: it binds for ${word.bindsMs.toFixed(0)} ms`, [word.event])
  }
}

/** How long a leader's message binds at least, where its silences have lately been this long. */
function bindingMs(
  { heartbeatTimeoutMs, leaderLeaseMs, detection }: ServerTiming,
  longestMs: number | undefined,
): number {
  if (detection === 'fixed' || longestMs === undefined) return heartbeatTimeoutMs
  return Math.min(heartbeatTimeoutMs, Math.max(leaderLeaseMs, silencesBorne * longestMs))
}

function newFollower(id: string, timing: ServerTiming): Follower {
  return { id, timing, term: noTerm, word: undefined, silences: undefined, unwritten: 0, early: new Map() }
}

export const loyalty = checker({
  codes: {
    R11: {
      text: 'loyalty: a server that is bound by a message of its leader, even of before a restart, neither stands for election nor votes; in calm no server stands',
      sources: ['Raft thesis, sections 4.2.3 and 9.6'],
      evidence: ['votes', 'elections', 'heartbeats'],
      judges: ['question or vote', 'questions and votes'],
      excuses: {
        'connections refused':
          'A leader that refuses connections looks as if its process were gone; until it takes them again, and ten seconds more.',
        'disk far behind':
          'A server with thousands of writes that wait for its disk handles no messages; until something is on its disk.',
      },
    },
  },
  make: (run: CheckedRun & Judge<LoyaltyExcuses>) => {
    const { leading } = run.of(leadership)
    const configurations = run.of(configurationChanges)
    return new Loyalty(run, {
      nowUs: run.nowUs,
      elections: run.of(electionSafety),
      calmSinceUs: () => run.of(membership).laws.weather.calmSinceUs,
      leadsVoter: (leader, term, id) =>
        leading.get(leader) === term && configurations.votersOf(leader)?.includes(id) === true,
      rttMaxMs: run.network.loss > 0 ? Number.POSITIVE_INFINITY : run.network.rttMaxMs,
    })
  },
  takes: {
    'process began': (it, { node, id, timing }) => it.began(node, id, timing),
    // Its consensus ends before its process does, and so does its port: that shows the others that it leads no more.
    'process told to end': (it, { node }) => it.ends(node),
    'process died': (it, { node }) => it.gone(node),
    'removal allowed': (it, { node }) => it.ends(node),
    'connections refused': (it, { node, refuses }) => it.refuses(node, refuses),
    'leader began': (it, { node, term }) => it.leads(node, term),
    'term found': (it, { node, term }) => it.found(node, term),
    'term written': (it, { node, term, votedFor, stands }) => it.written(node, term, votedFor, stands),
    'log written': (it, { node }) => it.wrote(node),
    'message sent': (it, { node, message }) => it.sent(node, message),
    'message received': (it, { node, from, message }) => it.received(node, from, message),
  },
})
