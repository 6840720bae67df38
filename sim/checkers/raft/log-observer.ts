import { decodeCommand } from '../../../src/agent/replication/command-codec.ts'
import { enterNewMode } from '../../../src/features/acl/system/mode-commands.ts'
import { indexBefore, type LogIndex, noIndex, noTerm, plus, type Term } from '../../../src/model/log-position.ts'
import { decodeConfiguration } from '../../../src/raft/core/configuration.ts'
import type { Entry, SnapshotMeta } from '../../../src/raft/core/types.ts'
import { isForcedTerm } from '../../../src/raft/opening/forced-configuration.ts'
import type { ServerSeen } from '../access/access-facts.ts'
import type { Facts, NodeFact } from '../facts.ts'
import type { Invariants } from '../invariants.ts'
import { rareStates } from '../rare-states.ts'
import { configurationChanges } from './configuration-changes.ts'
import { leaderCompleteness } from './leader-completeness.ts'
import { leadership } from './leadership.ts'
import { lostBehind, type ServerLog } from './server-log.ts'
import { serverLogs } from './server-logs.ts'
import { stateMachineSafety } from './state-machine-safety.ts'

/** The checkers' memory of a log is compacted once it is this much longer than needed. */
const forgetAfter = 4096

/** Maximum size of commands without a body and an identity; longer ones are not decoded when they are written. */
const shortCommandBytes = 64

export const logMarks = rareStates({
  'tail cut': 'a server dropped entries of its log that its leader did not have',
  'configuration cut': 'a change of members was dropped with the end of a log',
  'leader removed': 'a leader left the consensus group',
})

interface LogOwner {
  readonly node: string
  /** Its Raft server ID. */
  readonly id: string
  readonly servers: () => readonly ServerSeen[]
  readonly places: readonly string[]
}

/** Reports to the checkers what one boot of one server does to its log, and keeps the log as seen from outside. */
export class LogObserver {
  readonly seen: ServerLog
  readonly #all: Invariants
  readonly #owner: LogOwner

  constructor(all: Invariants, owner: LogOwner) {
    this.#all = all
    this.#owner = owner
    this.seen = all.of(serverLogs).of(owner.node)
  }

  recovered(snapshot: SnapshotMeta | undefined, entries: readonly Entry[]): void {
    const first = entries[0]
    const last = entries.at(-1) ?? snapshot
    const lost = lostBehind(this.seen, last?.index ?? noIndex, last?.term ?? noTerm)
    if (lost !== undefined) this.#tell('log lost', { index: last?.index ?? noIndex, durable: lost })
    if (first === undefined) this.reset(snapshot?.index ?? noIndex, snapshot?.term ?? noTerm, snapshot)
    // The entry before the first is compacted: only the hash of its term is needed, which is known from its commit.
    else {
      const before = indexBefore(first.index)
      this.reset(before, snapshot?.index === before ? snapshot.term : noTerm, snapshot)
    }
    this.#append(entries)
  }

  truncated(from: LogIndex): void {
    const { lastIndex } = this.seen
    this.#tell('log cut', { from, lastIndex })
    if (this.#all.of(configurationChanges).truncated(this.#owner.node, from) > 0) this.#reach('configuration cut')
    if (from <= lastIndex) this.#reach('tail cut')
    this.seen.truncate(from)
  }

  written(entries: readonly Entry[]): void {
    const [first] = entries
    if (first === undefined) return
    this.#all.tell('log written', { node: this.#owner.node, from: first.index, lastIndex: this.seen.lastIndex })
    this.#append(entries)
  }

  reset(index: LogIndex, term: Term, snapshot: SnapshotMeta | undefined): void {
    this.seen.reset(index, term, this.#all.of(leaderCompleteness).committedHash(index))
    this.#tell('log reset', { index: snapshot?.index ?? noIndex, configuration: snapshot?.configuration })
  }

  #append(entries: readonly Entry[]): void {
    const log = this.seen
    const { node } = this.#owner
    for (const entry of entries) {
      const before = log.lastIndex
      if (!log.append(entry)) {
        this.#tell('gap written', { index: entry.index, lastIndex: before })
        return
      }
      const { index, term } = entry
      this.#all.tell('entry written', { node, index, term, hash: log.hashAt(index) })
      if (entry.kind === 'configuration') this.#configuration(entry)
      if (entry.kind === 'command' && entry.payload.length <= shortCommandBytes) this.#shortCommand(entry)
    }
    const applied = this.#all.of(stateMachineSafety).appliedIndex(node)
    const done = Math.min(applied, this.#all.of(leaderCompleteness).committedIndex)
    if (log.length > forgetAfter * 2 && done > log.lastIndex - forgetAfter)
      log.forget(plus(log.lastIndex, -forgetAfter))
  }

  /** A leader that writes a change of the mode of access control knows at this moment which servers can follow. */
  #shortCommand(entry: Entry): void {
    if (!this.#leads(entry.term)) return
    const command = decodeCommand(entry.payload)
    if (!command.ok || command.value.kind !== enterNewMode.kind) return
    this.#tell('mode proposed', { servers: this.#owner.servers(), places: this.#owner.places })
  }

  #configuration(entry: Entry): void {
    if (isForcedTerm(entry.term)) this.#tell('configuration forced', { entry })
    const configuration = decodeConfiguration(entry.payload)
    if (!configuration.ok) return
    const { node, id } = this.#owner
    const changes = this.#all.of(configurationChanges)
    const before = changes.appended(node, entry.index, entry.term, configuration.value)
    this.#tell('configuration written', { index: entry.index, configuration: configuration.value })
    if (!this.#leads(entry.term)) return
    if (changes.hasWritten(node, entry.index)) this.#tell('change written', {})
    if (before !== undefined) this.#tell('members changed', { before, configuration: configuration.value })
    this.#all.triggered('members changed', node)
    const isIn = configuration.value.servers.some((server) => server.id === id && server.suffrage === 'voter')
    if (!isIn) this.#reach('leader removed')
  }

  #leads(term: Term): boolean {
    return this.#all.of(leadership).leading.get(this.#owner.node) === term
  }

  #reach(mark: keyof typeof logMarks.marks): void {
    this.#all.of(logMarks)(mark)
  }

  #tell<Name extends NodeFact>(name: Name, fact: Omit<Facts[Name], 'node'>): void {
    this.#all.tell(name, { node: this.#owner.node, ...fact } as Facts[Name])
  }
}
