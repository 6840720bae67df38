import type { AgentObserver } from '../../src/agent/boot/observer.ts'
import type { LogIndex, Term } from '../../src/model/log-position.ts'
import type { Release } from '../../src/model/release.ts'
import type { RaftMessage } from '../../src/raft/core/messages.ts'
import type { ConfigurationChange, Entry, HardState, RequestRefusal, SnapshotMeta } from '../../src/raft/core/types.ts'
import type { RaftObserver } from '../../src/raft/raft.ts'
import type { ServerSeen } from './access/access-facts.ts'
import { type CleanDeath, cleanDeath } from './clean-death.ts'
import { parkedReads } from './clients/parked-reads.ts'
import { markedReaders } from './clients/reader-marks.ts'
import { CommandObserver } from './command-observer.ts'
import type { Facts, NodeFact, NodeTrigger } from './facts.ts'
import type { Invariants } from './invariants.ts'
import { type Membership, membership } from './pool/membership.ts'
import { MarkedMember, memberMarks } from './pool/pool-marks.ts'
import type { ServerTiming } from './process-facts.ts'
import { leaderCompleteness } from './raft/leader-completeness.ts'
import { leadership } from './raft/leadership.ts'
import { LogObserver } from './raft/log-observer.ts'
import { serverLogs } from './raft/server-logs.ts'
import { stateMachineSafety } from './raft/state-machine-safety.ts'

interface ObservedProcess {
  readonly node: string
  /** What other agents call it; absent: as its machine. */
  readonly name?: string | undefined
  readonly boot: number
  /** Its Raft server ID. */
  readonly id: string
  /** The release that it runs as. */
  readonly release: Release
  /** The digest of its whole state; undefined while it starts. */
  readonly digest: () => { readonly index: number; readonly digest: string } | undefined
  /** Servers as its gossip pools see them, and the datacenters that decide the mode of access control. */
  readonly servers: () => readonly ServerSeen[]
  readonly places: readonly string[]
  /** How it measures time in consensus; absent: that is not judged. */
  readonly timing?: ServerTiming | undefined
  /** A snapshot of its state as of now; undefined while it starts. */
  readonly snapshot?: () => Uint8Array | undefined
}

/** A process begins on a node. The returned observer receives what it does. */
export function observe(all: Invariants, process: ObservedProcess): AgentObserver {
  const { node, name, boot, id, timing, snapshot } = process
  all.tell('process began', { node, name, boot, id, timing, snapshot })
  return new NodeObserver(all, process).agentObserver()
}

/** Reports to the checkers what one boot of one server does. */
class NodeObserver implements RaftObserver {
  readonly #all: Invariants
  readonly #node: string
  readonly #boot: number
  readonly #id: string
  readonly #process: ObservedProcess
  readonly #log: LogObserver
  readonly #commands: CommandObserver
  readonly #death: CleanDeath
  /** The snapshot that a boot found is reported as restored, too. */
  #ownSnapshot = false

  constructor(all: Invariants, process: ObservedProcess) {
    this.#all = all
    this.#node = process.node
    this.#boot = process.boot
    this.#id = process.id
    this.#commands = new CommandObserver(all, process)
    this.#death = all.of(cleanDeath)
    this.#process = process
    this.#log = new LogObserver(all, process)
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
    this.#log.recovered(snapshot, entries)
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
    this.#tell('leader began', { term, log: this.#log.seen, atUs: this.#all.nowUs() })
    this.#triggered('leader elected')
  }

  received(from: string, message: RaftMessage): void {
    this.#all.tell('message received', { node: this.#node, from, message })
    if (isReply(message) && this.#leads(message.term)) this.#all.tell('reply received', { node: this.#node, from })
  }

  sent(to: string, address: string, message: RaftMessage): void {
    this.#all.tell('message sent', { node: this.#node, to, address, message })
  }

  readAsked(requestId: number): void {
    this.#all.tell('read asked', { node: this.#node, requestId })
  }

  readConfirmed(requestId: number): void {
    if (this.#acted('confirmed a read')) this.#all.tell('read confirmed', { node: this.#node, requestId })
  }

  refused(requestId: number, { kind }: RequestRefusal): void {
    this.#all.tell('request refused', { node: this.#node, requestId, kind })
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
    this.#log.truncated(from)
  }

  appended(entries: readonly Entry[]): void {
    if (entries.length === 0 || !this.#acted('wrote entries')) return
    this.#log.written(entries)
    this.#triggered('entry appended')
  }

  committed(index: LogIndex, term: Term): void {
    if (!this.#acted('committed an entry')) return
    this.#all.tell('index committed', { node: this.#node, index, term })
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
    this.#log.reset(meta.index, meta.term, meta)
    this.#triggered('snapshot installed')
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
    return this.#death.acted(this.#node, this.#boot, what)
  }

  /** For rare facts. Facts of every message and entry are reported without a copy. */
  #tell<Name extends NodeFact>(name: Name, fact: Omit<Facts[Name], 'node'>): void {
    this.#all.tell(name, { node: this.#node, ...fact } as Facts[Name])
  }
}

function isReply({ kind }: RaftMessage): boolean {
  return kind === 'append-response' || kind === 'snapshot-response'
}
