import type { AgentObserver } from '../../src/agent/agent.ts'
import { decodeCommand } from '../../src/agent/replication/command-codec.ts'
import { textOf } from '../../src/base/bytes.ts'
import { enterNewMode } from '../../src/features/acl/system/mode-commands.ts'
import { catalogDeregister } from '../../src/features/catalog/commands.ts'
import type { WriteIdentity } from '../../src/features/contract/server-context.ts'
import { kvPutCas } from '../../src/features/kv/commands.ts'
import { kvTable } from '../../src/features/kv/tables.ts'
import { type KvValue, valueBytes } from '../../src/features/kv/value.ts'
import { autopilotOf } from '../../src/features/operator/views.ts'
import { sessionDestroy } from '../../src/features/session/commands.ts'
import { restoreTake } from '../../src/features/snapshot/commands.ts'
import { transactionApply } from '../../src/features/txn/commands.ts'
import type { DeregisterRequest } from '../../src/model/catalog.ts'
import type { Release } from '../../src/model/release.ts'
import { decodeConfiguration } from '../../src/raft/core/configuration.ts'
import type { ConfigurationChange, Entry, HardState, RaftMessage, SnapshotMeta } from '../../src/raft/core/types.ts'
import { isForcedTerm } from '../../src/raft/forced-configuration.ts'
import type { RaftObserver } from '../../src/raft/raft.ts'
import type { ReadTransaction } from '../../src/store/types.ts'
import type { ServerSeen } from './access/access-mode.ts'
import { tellAccess, tellAccessReplaced } from './access/access-state.ts'
import { lockFactsOf } from './clients/lock-facts.ts'
import type { Invariants } from './invariants.ts'
import { tellMesh, tellMeshReplaced } from './mesh/mesh-state.ts'
import { lostBehind, type ServerLog } from './raft/server-log.ts'

/** Compacts the checkers' memory of a log once it is this much longer than what is needed. */
const forgetAfter = 4096

/** Commands without a body and without an identity are no longer than this; others are not read when they are written. */
const shortCommandBytes = 64

/** States are compared at every fourth entry, because a difference once made stays. When the run rests they are compared again. */
const digestEvery = 4

/** The digest of a server's whole state; undefined while it starts. */
type StateDigest = () => { readonly index: number; readonly digest: string } | undefined

interface ObservedProcess {
  readonly node: string
  readonly boot: number
  /** Its name in consensus. */
  readonly id: string
  /** What it runs as. */
  readonly release: Release
  readonly digest: StateDigest
  /** Servers as its gossip pools see them, and the datacenters that decide the mode of access control. */
  readonly servers: () => readonly ServerSeen[]
  readonly places: readonly string[]
}

/** A process begins on a node: what it does is told to the observer that comes back. */
export function observe(all: Invariants, process: ObservedProcess): AgentObserver {
  all.booted(process.node, process.boot)
  return new NodeObserver(all, process).agentObserver()
}

/** A command that was carried out, and the state right after. */
interface Carried {
  readonly index: number
  /** In the log, whose indexes are behind those of the state once one of later indexes was restored. */
  readonly entryIndex: number
  readonly outcome: unknown
  readonly tx: ReadTransaction
}

/** What a transaction of keys says, as far as it is looked at. */
interface TransactionBody {
  readonly operations: readonly { readonly verb: string; readonly key: string }[]
}

/** Takes what one boot of one server does, and hands it to the checkers that it concerns. */
class NodeObserver implements RaftObserver {
  readonly #all: Invariants
  readonly #node: string
  readonly #boot: number
  readonly #id: string
  readonly #release: Release
  readonly #digest: StateDigest
  readonly #process: ObservedProcess
  readonly #log: ServerLog
  /** The snapshot that a boot found is told as restored, too. */
  #ownSnapshot = false
  /** The command applied last that awaits its entry, or the other way round: which is told first is the agent's business. */
  #entry: Entry | undefined
  #command: Carried | undefined

  constructor(all: Invariants, process: ObservedProcess) {
    this.#all = all
    this.#node = process.node
    this.#boot = process.boot
    this.#id = process.id
    this.#release = process.release
    this.#digest = process.digest
    this.#process = process
    this.#log = all.logOf(process.node)
  }

  agentObserver(): AgentObserver {
    return {
      raft: this,
      lan: this.#all.membership.observerOf(this.#node, this.#boot),
      ...(this.#all.wan === undefined ? {} : { wan: this.#all.wan.observerOf(this.#node, this.#boot) }),
      commandApplied: (index, kind, outcome, identity, tx, entryIndex) =>
        this.#commandApplied(kind, { index, entryIndex, outcome, tx }, identity),
      readParked: (read) => this.#all.parked.parked(this.#node, read),
    }
  }

  recovered(hardState: HardState, snapshot: SnapshotMeta | undefined, entries: readonly Entry[]): void {
    if (!this.#acted('recovered its log')) return
    this.#all.terms.recovered(this.#node, hardState.term, hardState.votedFor)
    const first = entries[0]
    const last = entries.at(-1) ?? snapshot
    const lost = lostBehind(this.#log, last?.index ?? 0, last?.term ?? 0)
    if (lost !== undefined) this.#all.terms.lostLog(this.#node, last?.index ?? 0, lost)
    if (first === undefined) this.#resetLog(snapshot?.index ?? 0, snapshot?.term ?? 0, snapshot)
    // The entry before the first is compacted: of its term only the hash is needed, and that is known from its commit.
    else this.#resetLog(first.index - 1, snapshot?.index === first.index - 1 ? snapshot.term : 0, snapshot)
    this.#append(entries)
    this.#ownSnapshot = snapshot !== undefined
  }

  hardState(term: number, votedFor: string | undefined): void {
    if (!this.#acted('wrote its term')) return
    this.#all.terms.hardState(this.#node, term, votedFor)
    if (votedFor === this.#id) this.#all.stood(this.#node, term)
    else if (votedFor !== undefined) this.#all.triggered('vote given', this.#node)
  }

  becameLeader(term: number): void {
    if (!this.#acted('became leader')) return
    this.#all.leads(this.#node, term)
    this.#all.triggered('leader elected', this.#node)
  }

  received(from: string, message: RaftMessage): void {
    if (!isReply(message) || this.#all.leading.get(this.#node) !== message.term) return
    this.#all.care.heard(this.#node, from)
  }

  changeAsked(change: ConfigurationChange): void {
    if (change.kind !== 'remove') return
    const seen = this.#process.servers().find(({ id }) => id === change.id)
    this.#all.care.removalAsked(this.#node, change.id, seen?.status)
  }

  steppedDown(): void {
    if (!this.#acted('stepped down')) return
    this.#all.noLongerLeads(this.#node)
    this.#all.triggered('leader stepped down', this.#node)
  }

  truncated(from: number): void {
    if (!this.#acted('cut its log')) return
    this.#all.appendOnly.truncated(this.#node, from)
    if (this.#all.configurations.truncated(this.#node, from) > 0) this.#all.marks.reach('configuration cut')
    if (from <= this.#log.lastIndex) this.#all.marks.reach('tail cut')
    this.#log.truncate(from)
  }

  appended(entries: readonly Entry[]): void {
    const first = entries[0]
    if (first === undefined || !this.#acted('wrote entries')) return
    this.#all.appendOnly.appended(this.#node, first.index, this.#log.lastIndex)
    this.#append(entries)
    this.#all.triggered('entry appended', this.#node)
  }

  committed(index: number, term: number): void {
    if (!this.#acted('committed an entry')) return
    this.#all.configurations.committed(this.#node, index)
    if (index > this.#all.completeness.committedIndex) {
      const log = this.#all.logWith(this.#node, index, term)
      if (log !== undefined) this.#all.completeness.committed(index, term, log)
    }
    this.#all.triggered('entry committed', this.#node)
  }

  applied(entry: Entry): void {
    if (!this.#acted('applied an entry')) return
    const first = this.#all.application.applied(this.#node, entry)
    // A command that was carried out is told as such; one that was not is a repeat, or too old to tell.
    if (this.#entry !== undefined) this.#all.marks.reach('write repeated')
    this.#entry = undefined
    if (!first || entry.kind !== 'command') return
    if (this.#command?.entryIndex === entry.index) this.#tookEffect(entry, this.#command)
    else this.#entry = entry
  }

  restored(meta: SnapshotMeta): void {
    if (!this.#acted('took a snapshot into use')) return
    this.#all.application.restored(this.#node, meta.index)
    this.#all.parked.moved(this.#node)
    if (this.#ownSnapshot) {
      this.#ownSnapshot = false
      return
    }
    this.#resetLog(meta.index, meta.term, meta)
    this.#all.triggered('snapshot installed', this.#node)
  }

  #acted(what: string): boolean {
    return this.#all.death.acted(this.#node, this.#boot, what)
  }

  #resetLog(index: number, term: number, snapshot: SnapshotMeta | undefined): void {
    this.#log.reset(index, term, this.#all.completeness.committedHash(index))
    this.#all.configurations.reset(this.#node, snapshot?.index ?? 0, snapshot?.configuration)
  }

  #append(entries: readonly Entry[]): void {
    const log = this.#log
    for (const entry of entries) {
      const before = log.lastIndex
      if (!log.append(entry)) {
        this.#all.matching.gap(this.#node, entry.index, before)
        return
      }
      const hash = log.hashAt(entry.index)
      if (hash !== undefined) this.#all.matching.appended(this.#node, entry.index, entry.term, hash)
      if (entry.kind === 'configuration') this.#configuration(entry)
      if (entry.kind === 'command' && entry.payload.length <= shortCommandBytes) this.#shortCommand(entry)
    }
    const done = Math.min(this.#all.application.appliedIndex(this.#node), this.#all.completeness.committedIndex)
    if (log.length > forgetAfter * 2 && done > log.lastIndex - forgetAfter) log.forget(log.lastIndex - forgetAfter)
  }

  /** A leader that writes a change of the mode of access control knows at this moment which servers can follow. */
  #shortCommand(entry: Entry): void {
    if (this.#all.leading.get(this.#node) !== entry.term) return
    const command = decodeCommand(entry.payload)
    if (!command.ok || command.value.kind !== enterNewMode.kind) return
    this.#all.accessMode.proposed(this.#node, this.#process.servers(), this.#process.places)
  }

  #configuration(entry: Entry): void {
    if (isForcedTerm(entry.term)) this.#all.forced(this.#node, entry)
    const configuration = decodeConfiguration(entry.payload)
    if (!configuration.ok) return
    const before = this.#all.configurations.appended(this.#node, entry.index, entry.term, configuration.value)
    if (this.#all.leading.get(this.#node) !== entry.term) return
    if (before !== undefined) this.#all.care.changed(this.#node, before, configuration.value)
    this.#all.triggered('members changed', this.#node)
    const isIn = configuration.value.servers.some(({ id, suffrage }) => id === this.#id && suffrage === 'voter')
    if (!isIn) this.#all.marks.reach('leader removed')
  }

  #commandApplied(kind: string, carried: Carried, identity: WriteIdentity | undefined): void {
    const { index } = carried
    if (!this.#acted('carried out a command')) return
    this.#all.parked.moved(this.#node)
    this.#all.failStop.carriedOut(this.#node, this.#release, kind, index)
    if (identity !== undefined) this.#all.once.tookEffect(this.#node, index, identity.origin, identity.sequence)
    if (index % digestEvery === 0) {
      const state = this.#digest()
      if (state?.index === index) this.#all.application.state(this.#node, index, state.digest)
    }
    this.#command = carried
    if (this.#entry?.index === carried.entryIndex) this.#tookEffect(this.#entry, carried)
  }

  /** The first server to apply a command reports what it did to its key, or which node it removed from the catalog. */
  #tookEffect(entry: Entry, { index: at, outcome, tx }: Carried): void {
    this.#entry = undefined
    const command = decodeCommand(entry.payload)
    if (!command.ok) return
    if (command.value.kind === restoreTake.kind) return this.#replaced(at, tx)
    tellAccess(this.#all, this.#node, command.value, at, tx)
    tellMesh(this.#all, this.#node, command.value, { index: at, outcome, tx })
    if (command.value.kind.startsWith('autopilot.')) this.#all.care.settings(autopilotOf(tx) ?? {})
    this.#locks(at, tx, command.value.kind === sessionDestroy.kind && command.value.identity === undefined)
    if (command.value.kind === catalogDeregister.kind) this.#takenOut(command.value.body as DeregisterRequest)
    if (command.value.kind === transactionApply.kind)
      this.#transaction(at, command.value.body as TransactionBody, outcome, tx)
    if (!command.value.kind.startsWith('kv.')) return
    const { key } = command.value.body as { readonly key?: unknown }
    if (typeof key !== 'string') return
    if (command.value.kind === kvPutCas.kind) {
      const { index } = command.value.body as { readonly index: bigint | number }
      this.#all.whole.compared(key, at, Number(index), outcome === true)
    }
    this.#keyChanged(key, at, tx)
  }

  /** Another state replaced this one: keys and locks are as it has them. A client that acquired a lock since has lost it. */
  #replaced(index: number, tx: ReadTransaction): void {
    const { appliedKeys } = this.#all
    const gone = [...appliedKeys.keys()].filter((key) => tx.get(kvTable, key) === undefined)
    for (const key of gone) appliedKeys.changed(key, index, undefined)
    for (const { key, value } of tx.all(kvTable)) appliedKeys.changed(key, index, textOfValue(value))
    const facts = lockFactsOf(tx, { index, atUs: this.#all.nowUs(), expiry: false })
    if (facts !== undefined) this.#all.locksReplaced(facts)
    tellAccessReplaced(this.#all, this.#node, tx)
    tellMeshReplaced(this.#all, tx)
  }

  #locks(index: number, tx: ReadTransaction, expiry: boolean): void {
    const facts = lockFactsOf(tx, { index, atUs: this.#all.nowUs(), expiry })
    if (facts === undefined) return
    const freed = this.#all.lockHolders.freedBy(facts)
    this.#all.locksChanged(facts)
    // A session that ended may have taken its keys along.
    for (const key of freed) this.#keyChanged(key, index, tx)
  }

  #transaction(index: number, { operations }: TransactionBody, outcome: unknown, tx: ReadTransaction): void {
    const written = operations.filter(({ verb }) => verb === 'set' || verb === 'cas')
    const changed = new Map(written.map(({ key }) => [key, tx.get(kvTable, key)?.modifyIndex === index]))
    const { kind } = outcome as { readonly kind: string }
    this.#all.whole.transaction(index, kind === 'done', changed)
    if (kind === 'done') for (const { key } of operations) this.#keyChanged(key, index, tx)
  }

  #keyChanged(key: string, index: number, tx: ReadTransaction): void {
    const row = tx.get(kvTable, key)
    if (row === undefined) this.#all.appliedKeys.changed(key, index, undefined)
    else if (row.modifyIndex === index) this.#all.appliedKeys.changed(key, index, textOfValue(row.value))
  }

  #takenOut({ node, serviceId, checkId }: DeregisterRequest): void {
    if (serviceId === '' && checkId === '') this.#all.registrations.takenOut(node)
  }
}

function isReply({ kind }: RaftMessage): boolean {
  return kind === 'append-response' || kind === 'snapshot-response'
}

function textOfValue(value: KvValue): string {
  return textOf(valueBytes(value))
}
