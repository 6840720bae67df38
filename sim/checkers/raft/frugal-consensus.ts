import { greater, type LogIndex, lesser, noIndex, plus, type Term } from '../../../src/model/log-position.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { ServerTiming } from '../process-facts.ts'
import { AppendAnswers } from './append-answers.ts'
import { type ConfigurationChanges, configurationChanges } from './configuration-changes.ts'
import { type WaitingReads, waitingReads } from './waiting-reads.ts'

/** A leader sends heartbeats this many times, or half as many, in the time after which a follower stands. */
const heartbeatsPerTimeout = 10
/** Least time until a piece of a snapshot is sent again: from just before the first of ten heartbeats to the last. */
const chunkPatience = 9
/** Timers fire on whole steps of a clock. */
const roundingMs = 1

interface Follower {
  /** When it was last sent entries, and when it last answered, by the leader's own clock. */
  entriesMs: number
  heardMs: number
  /** Its last answer says that the logs agree. */
  agrees: boolean
  /** The commit index that it knows by the messages that it was sent. */
  told: LogIndex
  /** The last piece of a snapshot that it was sent. */
  chunk: SentChunk | undefined
}

interface SentChunk {
  readonly index: LogIndex
  readonly offset: number
  readonly atMs: number
  /** The follower had not been heard for ten heartbeats. */
  readonly toSilent: boolean
}

interface Leading {
  readonly term: Term
  readonly followers: Map<string, Follower>
  /** Servers whose removal it has decided, until a configuration without them is in its log. */
  readonly leaving: Set<string>
  /** IDs of the servers in the newest configuration of its log. */
  members: ReadonlySet<string>
}

type Append = Extract<RaftMessage, { readonly kind: 'append-request' }>
type Chunk = Extract<RaftMessage, { readonly kind: 'snapshot-chunk' }>
type Run = Pick<CheckedRun, 'nowUs'> & Judge<{ R13: never }>

/**
 * R13. Messages that say nothing new are not sent:
 * 1. A follower whose log agrees, which was sent entries within the shortest distance of two heartbeats and has
 *    answered as recently, gets no heartbeat, unless reads wait. Its answer to the entries says the same.
 * 2. A follower is told a commit index once; one that is being removed is told once more.
 * 3. A piece of a snapshot that is not its first is sent again only if it was not answered for ten heartbeats. One that
 *    was sent while the follower was silent is sent once more when that is heard: it was down, and has lost it.
 * 4. An append is answered once, or twice while the disk is behind (`append-answers`).
 */
export class FrugalConsensus {
  readonly #run: Run
  readonly #configurations: Pick<ConfigurationChanges, 'newestOf'>
  readonly #reads: Pick<WaitingReads, 'any'>
  readonly #timings = new Map<string, ServerTiming>()
  readonly #leading = new Map<string, Leading>()
  readonly #answers = new Map<string, AppendAnswers>()

  constructor(run: Run, configurations: Pick<ConfigurationChanges, 'newestOf'>, reads: Pick<WaitingReads, 'any'>) {
    this.#run = run
    this.#configurations = configurations
    this.#reads = reads
  }

  began(node: string, timing: ServerTiming | undefined): void {
    this.#leading.delete(node)
    this.#answers.delete(node)
    if (timing === undefined) return void this.#timings.delete(node)
    this.#timings.set(node, timing)
    this.#answers.set(node, new AppendAnswers())
  }

  becameLeader(node: string, term: Term): void {
    this.#leading.set(node, { term, followers: new Map(), leaving: new Set(), members: this.#membersOf(node) })
  }

  noLongerLeads(node: string): void {
    this.#leading.delete(node)
  }

  removing(node: string, id: string): void {
    this.#leading.get(node)?.leaving.add(id)
  }

  /**
   * A server that is added again knows nothing, also where it was sent entries until its removal was committed: it is
   * asked anew what it has.
   */
  changed(node: string): void {
    const leading = this.#leading.get(node)
    if (leading === undefined) return
    const members = this.#membersOf(node)
    // Its own disk may be behind: then configurations from before the decision still come.
    for (const id of leading.leaving) if (!members.has(id)) leading.leaving.delete(id)
    for (const id of [...leading.followers.keys()]) {
      if (!members.has(id) || !leading.members.has(id)) leading.followers.delete(id)
    }
    leading.members = members
  }

  wrote(node: string): void {
    this.#answers.get(node)?.wrote(this.#run.nowUs())
  }

  sent(node: string, to: string, message: RaftMessage): void {
    if (message.kind === 'append-response') {
      this.#run.judged('R13')
      this.#answers.get(node)?.sent(node, to, message, this.#run.nowUs(), this.#run.report)
      return
    }
    const leading = this.#leading.get(node)
    const timing = this.#timings.get(node)
    if (leading === undefined || timing === undefined) return
    if (message.term !== leading.term) return
    if (message.kind === 'append-request') this.#appended(node, to, message, leading, timing)
    if (message.kind === 'snapshot-chunk') this.#chunk(node, to, message, leading, timing)
  }

  received(node: string, from: string, message: RaftMessage): void {
    if (message.kind === 'append-request') this.#answers.get(node)?.received(from, message, this.#run.nowUs())
    if (message.kind !== 'append-response' && message.kind !== 'snapshot-response') return
    const leading = this.#leading.get(node)
    const timing = this.#timings.get(node)
    if (leading === undefined || timing === undefined || message.term !== leading.term) return
    const follower = followerOf(leading, from)
    follower.heardMs = timing.monoMs()
    if (message.kind === 'snapshot-response' || !message.success) follower.agrees = false
    else if (message.index > 0) follower.agrees = true
  }

  #appended(node: string, to: string, message: Append, leading: Leading, timing: ServerTiming): void {
    const follower = followerOf(leading, to)
    const { entries, round, commit, previousIndex } = message
    const nowMs = timing.monoMs()
    const told = lesser(commit, plus(previousIndex, entries.length))
    const sender = `${node}, leader of term ${leading.term},`
    if (entries.length === 0) {
      this.#run.judged('R13')
      // Until the change that brings it is seen, a server that is added again seems to be the one that left.
      if (round > 0) {
        if (leading.members.has(to)) this.#heartbeat(node, sender, to, follower, nowMs, timing)
      } else if (told <= follower.told && this.#isMember(node, to) && !leading.leaving.has(to)) {
        this.#run.report('R13', `${sender} tells ${to} once more that entries up to ${told} are committed`)
      }
    }
    if (entries.length > 0) follower.entriesMs = nowMs
    follower.told = greater(follower.told, told)
  }

  #chunk(node: string, to: string, { meta, offset }: Chunk, leading: Leading, timing: ServerTiming): void {
    const follower = followerOf(leading, to)
    const { chunk: last, heardMs } = follower
    const [{ index }, atMs] = [meta, timing.monoMs()]
    const patienceMs = chunkPatience * (shortestMs(timing) - roundingMs)
    follower.chunk = { index, offset, atMs, toSilent: atMs - heardMs >= patienceMs }
    this.#run.judged('R13')
    if (last?.index !== index || last.offset !== offset || offset === 0) return
    if (atMs - last.atMs >= patienceMs || (last.toSilent && heardMs >= last.atMs)) return
    const again = `sends ${to} the piece at ${offset} of its snapshot again after ${(atMs - last.atMs).toFixed(0)} ms`
    this.#run.report('R13', `${node}, leader of term ${leading.term}, ${again}`)
  }

  #heartbeat(
    node: string,
    sender: string,
    to: string,
    { entriesMs, heardMs, agrees }: Follower,
    nowMs: number,
    timing: ServerTiming,
  ): void {
    const sinceMs = nowMs - Math.min(entriesMs, heardMs)
    if (!agrees || sinceMs >= shortestMs(timing) - roundingMs || this.#reads.any(node)) return
    const needless = `entries and an answer ${sinceMs.toFixed(0)} ms ago or less, and no read waits`
    this.#run.report('R13', `${sender} sends ${to} a heartbeat after ${needless}`)
  }

  #isMember(node: string, id: string): boolean {
    return this.#configurations.newestOf(node)?.servers.some((server) => server.id === id) === true
  }

  #membersOf(node: string): ReadonlySet<string> {
    return new Set(this.#configurations.newestOf(node)?.servers.map(({ id }) => id))
  }
}

/** The shortest distance of two heartbeats. */
function shortestMs({ heartbeatTimeoutMs }: ServerTiming): number {
  return Math.max(1, Math.floor(heartbeatTimeoutMs / heartbeatsPerTimeout))
}

function followerOf({ followers }: Leading, id: string): Follower {
  const known = followers.get(id)
  if (known !== undefined) return known
  const follower: Follower = {
    entriesMs: Number.NEGATIVE_INFINITY,
    heardMs: Number.NEGATIVE_INFINITY,
    agrees: false,
    told: noIndex,
    chunk: undefined,
  }
  followers.set(id, follower)
  return follower
}

export const frugalConsensus = checker({
  codes: {
    R13: {
      text: 'frugal consensus: no heartbeat beside entries that are answered, no commit index or piece of a snapshot twice, and one answer to an append, two while the disk is behind',
      sources: ['Raft thesis, sections 10.2 and 6.4'],
      evidence: ['heartbeats', 'acknowledgements', 'commits'],
      judges: ['message', 'messages'],
    },
  },
  make: (run: CheckedRun & Judge<{ R13: never }>) =>
    new FrugalConsensus(run, run.of(configurationChanges), run.of(waitingReads)),
  takes: {
    'process began': (it, { node, timing }) => it.began(node, timing),
    'process died': (it, { node }) => it.noLongerLeads(node),
    'leader began': (it, { node, term }) => it.becameLeader(node, term),
    'leader ended': (it, { node }) => it.noLongerLeads(node),
    'removal decided': (it, { node, id }) => it.removing(node, id),
    'members changed': (it, { node }) => it.changed(node),
    'term written': (it, { node }) => it.wrote(node),
    'log written': (it, { node }) => it.wrote(node),
    'log cut': (it, { node }) => it.wrote(node),
    'message sent': (it, { node, to, message }) => it.sent(node, to, message),
    'message received': (it, { node, from, message }) => it.received(node, from, message),
  },
})
