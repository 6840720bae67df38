import type { AgentObserver } from '../../src/agent/boot/observer.ts'
import { decodeCommand } from '../../src/agent/replication/command-codec.ts'
import { enterNewMode } from '../../src/features/acl/system/mode-commands.ts'
import { indexBefore, type LogIndex, noIndex, noTerm, plus, type Term } from '../../src/model/log-position.ts'
import type { Release } from '../../src/model/release.ts'
import { decodeConfiguration } from '../../src/raft/core/configuration.ts'
import type { RaftMessage } from '../../src/raft/core/messages.ts'
import type { ConfigurationChange, Entry, HardState, SnapshotMeta } from '../../src/raft/core/types.ts'
import { isForcedTerm } from '../../src/raft/opening/forced-configuration.ts'
import type { RaftObserver } from '../../src/raft/raft.ts'
import type { ServerSeen } from './access/access-facts.ts'
import { cleanDeath } from './clean-death.ts'
import { parkedReads } from './clients/parked-reads.ts'
import { markedReaders } from './clients/reader-marks.ts'
import { CommandObserver } from './command-observer.ts'
import type { FactName, Facts, NodeTrigger, ServerTiming } from './facts.ts'
import type { Invariants } from './invariants.ts'
import { type Membership, membership } from './pool/membership.ts'
import { MarkedMember, memberMarks } from './pool/pool-marks.ts'
import { configurationChanges } from './raft/configuration-changes.ts'
import { leaderCompleteness } from './raft/leader-completeness.ts'
import { leadership } from './raft/leadership.ts'
import { lostBehind, type ServerLog } from './raft/server-log.ts'
import { serverLogs } from './raft/server-logs.ts'
import { stateMachineSafety } from './raft/state-machine-safety.ts'
import { rareStates } from './rare-states.ts'

/** Compacts the checkers' memory of a log once it is this much longer than what is needed. */
const forgetAfter = 4096

/**
 * Commands without a body and without an identity are no longer than this; others are not read when they are written.
 */
const shortCommandBytes = 64

export const logMarks = rareStates({
  'tail cut': 'a server dropped entries that its log had and its leader had not',
  'configuration cut': 'a change of members was dropped with the end of a log',
  'leader removed': 'a leader left the consensus group',
})

interface ObservedProcess {
  readonly node: string
  readonly boot: number
  /** Its name in consensus. */
  readonly id: string
  /** What it runs as. */
  readonly release: Release
  /** The digest of its whole state; undefined while it starts. */
  readonly digest: () => { readonly index: number; readonly digest: string } | undefined
  /** Servers as its gossip pools see them, and the datacenters that decide the mode of access control. */
  readonly servers: () => readonly ServerSeen[]
  readonly places: readonly string[]
  /** How it keeps time in consensus; absent: nobody judges that. */
  readonly timing?: ServerTiming | undefined
  /** A snapshot of its state as of now; undefined while it starts. */
  readonly snapshot?: () => Uint8Array | undefined
}

/** A process begins on a node: what it does is told to the observer that comes back. */
export function observe(all: Invariants, process: ObservedProcess): AgentObserver {
  const { node, boot, id, timing, snapshot } = process
  all.tell('process began', { node, boot, id, timing, snapshot })
  return new NodeObserver(all, process).agentObserver()
}

/** A fact about one node. */
type NodeFact = { [Name in FactName]: Facts[Name] extends { readonly node: string } ? Name : never }[FactName]

/** Tells the checkers what one boot of one server does. */
class NodeObserver implements RaftObserver {
  readonly #all: Invariants
  readonly #node: string
  readonly #boot: number
  readonly #id: string
  readonly #process: ObservedProcess
  readonly #log: ServerLog
  readonly #commands: CommandObserver
  /** The snapshot that a boot found is told as restored, too. */
  #ownSnapshot = false

  constructor(all: Invariants, process: ObservedProcess) {
    this.#all = all
    this.#node = process.node
    this.#boot = process.boot
    this.#id = process.id
    this.#commands = new CommandObserver(all, process)
    this.#process = process
    this.#log = all.of(serverLogs).of(process.node)
  }

  agentObserver(): AgentObserver {
    return {
      raft: this,
      lan: this.#member(this.#all.of(membership), 'lan'),
      ...(this.#all.wan === undefined ? {} : { wan: this.#member(this.#all.wan, 'wan') }),
      commandApplied: (index, kind, outcome, identity, tx, entryIndex) => {
        if (!this.#acted('carried out a command')) return
        this.#commands.carriedOut({ kind, index, entryIndex, outcome, identity, tx })
      },
      readParked: (read) => {
        const woken = this.#all.of(parkedReads).parked(this.#node, read)
        return this.#all.of(markedReaders).parked(this.#node, woken)
      },
    }
  }

  recovered(hardState: HardState, snapshot: SnapshotMeta | undefined, entries: readonly Entry[]): void {
    if (!this.#acted('recovered its log')) return
    this.#tell('term found', hardState)
    const first = entries[0]
    const last = entries.at(-1) ?? snapshot
    const lost = lostBehind(this.#log, last?.index ?? noIndex, last?.term ?? noTerm)
    if (lost !== undefined) this.#tell('log lost', { index: last?.index ?? noIndex, durable: lost })
    if (first === undefined) this.#resetLog(snapshot?.index ?? noIndex, snapshot?.term ?? noTerm, snapshot)
    // The entry before the first is compacted: of its term only the hash is needed, and that is known from its commit.
    else {
      const before = indexBefore(first.index)
      this.#resetLog(before, snapshot?.index === before ? snapshot.term : noTerm, snapshot)
    }
    this.#append(entries)
    this.#ownSnapshot = snapshot !== undefined
  }

  hardState(term: Term, votedFor: string | undefined): void {
    if (!this.#acted('wrote its term')) return
    const stands = votedFor === this.#id
    this.#tell('term written', { term, votedFor, stands })
    if (!stands && votedFor !== undefined) this.#triggered('vote given')
  }

  becameLeader(term: Term): void {
    if (!this.#acted('became leader')) return
    this.#tell('leader began', { term, log: this.#log, atUs: this.#all.nowUs() })
    this.#triggered('leader elected')
  }

  received(from: string, message: RaftMessage): void {
    this.#all.tell('message received', { node: this.#node, from, message })
    if (isReply(message) && this.#leads(message.term)) this.#all.tell('reply received', { node: this.#node, from })
  }

  sent(_to: string, message: RaftMessage): void {
    this.#all.tell('message sent', { node: this.#node, message })
  }

  readAsked(requestId: number): void {
    this.#all.tell('read asked', { node: this.#node, requestId })
  }

  readConfirmed(requestId: number): void {
    if (this.#acted('confirmed a read')) this.#all.tell('read confirmed', { node: this.#node, requestId })
  }

  readByLease(): void {
    this.#all.tell('read confirmed', { node: this.#node, requestId: undefined })
  }

  changeAsked(change: ConfigurationChange): void {
    this.#tell('change asked', {})
    if (change.kind !== 'remove') return
    const seen = this.#process.servers().find(({ id }) => id === change.id)
    this.#tell('removal decided', { id: change.id, status: seen?.status })
  }

  steppedDown(): void {
    if (!this.#acted('stepped down')) return
    this.#tell('leader ended', { crashed: false })
    this.#triggered('leader stepped down')
  }

  truncated(from: LogIndex): void {
    if (!this.#acted('cut its log')) return
    const { lastIndex } = this.#log
    this.#tell('log cut', { from, lastIndex })
    if (this.#all.of(configurationChanges).truncated(this.#node, from) > 0) this.#reach('configuration cut')
    if (from <= lastIndex) this.#reach('tail cut')
    this.#log.truncate(from)
  }

  appended(entries: readonly Entry[]): void {
    const first = entries[0]
    if (first === undefined || !this.#acted('wrote entries')) return
    this.#all.tell('log written', { node: this.#node, from: first.index, lastIndex: this.#log.lastIndex })
    this.#append(entries)
    this.#triggered('entry appended')
  }

  committed(index: LogIndex, term: Term): void {
    if (!this.#acted('committed an entry')) return
    this.#all.tell('index committed', { node: this.#node, index })
    const completeness = this.#all.of(leaderCompleteness)
    if (index > completeness.committedIndex) {
      const log = this.#all.of(serverLogs).holding(this.#node, index, term)
      if (log !== undefined) completeness.committed(index, term, log)
    }
    this.#triggered('entry committed')
  }

  applied(entry: Entry): void {
    if (!this.#acted('applied an entry')) return
    this.#commands.applied(entry)
  }

  restored(meta: SnapshotMeta): void {
    if (!this.#acted('took a snapshot into use')) return
    this.#all.of(stateMachineSafety).restored(this.#node, meta.index)
    this.#tell('state moved', {})
    if (this.#ownSnapshot) {
      this.#ownSnapshot = false
      return
    }
    this.#resetLog(meta.index, meta.term, meta)
    this.#triggered('snapshot installed')
  }

  #reach(mark: keyof typeof logMarks.marks): void {
    this.#all.of(logMarks)(mark)
  }

  #member(pool: Membership, name: 'lan' | 'wan'): MarkedMember {
    const { servers } = this.#process
    return new MarkedMember({
      next: pool.observerOf(this.#node, this.#boot),
      reach: this.#all.of(memberMarks),
      pool: name,
      onChanged: () => this.#tell('servers seen', { servers }),
    })
  }

  #leads(term: Term): boolean {
    return this.#all.of(leadership).leading.get(this.#node) === term
  }

  #triggered(trigger: NodeTrigger): void {
    this.#all.triggered(trigger, this.#node)
  }

  #acted(what: string): boolean {
    return this.#all.of(cleanDeath).acted(this.#node, this.#boot, what)
  }

  #resetLog(index: LogIndex, term: Term, snapshot: SnapshotMeta | undefined): void {
    this.#log.reset(index, term, this.#all.of(leaderCompleteness).committedHash(index))
    this.#tell('log reset', { index: snapshot?.index ?? noIndex, configuration: snapshot?.configuration })
  }

  #append(entries: readonly Entry[]): void {
    const log = this.#log
    for (const entry of entries) {
      const before = log.lastIndex
      if (!log.append(entry)) {
        this.#tell('gap written', { index: entry.index, lastIndex: before })
        return
      }
      const { index, term } = entry
      this.#all.tell('entry written', { node: this.#node, index, term, hash: log.hashAt(index) })
      if (entry.kind === 'configuration') this.#configuration(entry)
      if (entry.kind === 'command' && entry.payload.length <= shortCommandBytes) this.#shortCommand(entry)
    }
    const applied = this.#all.of(stateMachineSafety).appliedIndex(this.#node)
    const done = Math.min(applied, this.#all.of(leaderCompleteness).committedIndex)
    if (log.length > forgetAfter * 2 && done > log.lastIndex - forgetAfter)
      log.forget(plus(log.lastIndex, -forgetAfter))
  }

  /** A leader that writes a change of the mode of access control knows at this moment which servers can follow. */
  #shortCommand(entry: Entry): void {
    if (!this.#leads(entry.term)) return
    const command = decodeCommand(entry.payload)
    if (!command.ok || command.value.kind !== enterNewMode.kind) return
    this.#tell('mode proposed', { servers: this.#process.servers(), places: this.#process.places })
  }

  #configuration(entry: Entry): void {
    if (isForcedTerm(entry.term)) this.#tell('configuration forced', { entry })
    const configuration = decodeConfiguration(entry.payload)
    if (!configuration.ok) return
    const changes = this.#all.of(configurationChanges)
    const before = changes.appended(this.#node, entry.index, entry.term, configuration.value)
    if (!this.#leads(entry.term)) return
    if (before !== undefined) this.#tell('members changed', { before, configuration: configuration.value })
    this.#triggered('members changed')
    const isIn = configuration.value.servers.some(({ id, suffrage }) => id === this.#id && suffrage === 'voter')
    if (!isIn) this.#reach('leader removed')
  }

  /** For what is rare: facts of every message and entry are told as they are, without a copy. */
  #tell<Name extends NodeFact>(name: Name, fact: Omit<Facts[Name], 'node'>): void {
    this.#all.tell(name, { node: this.#node, ...fact } as Facts[Name])
  }
}

function isReply({ kind }: RaftMessage): boolean {
  return kind === 'append-response' || kind === 'snapshot-response'
}
