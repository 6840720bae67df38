import { features } from '../../src/agent/features.ts'
import type { AgentConfig } from '../../src/agent/settings/agent-config.ts'
import type { InvariantViolation } from '../../src/base/invariant.ts'
import type { Release } from '../../src/model/release.ts'
import { AccessHistory, type ResolutionFacts } from './access/access-history.ts'
import { AccessMode } from './access/access-mode.ts'
import { TokenMigration } from './access/token-migration.ts'
import { CleanDeath } from './clean-death.ts'
import type { LockFacts } from './clients/lock-facts.ts'
import { LockHolders } from './clients/lock-holders.ts'
import { LockIndex } from './clients/lock-index.ts'
import { MonotoneIndex } from './clients/monotone-index.ts'
import { ParkedReads } from './clients/parked-reads.ts'
import { SessionLives } from './clients/session-lives.ts'
import { WatchSequences } from './clients/watch-sequences.ts'
import { AcknowledgedWrites } from './keys/acknowledged-writes.ts'
import { AppliedKeys } from './keys/applied-keys.ts'
import { ExactlyOnce } from './keys/exactly-once.ts'
import { LinearizableKeys } from './keys/linearizable-keys.ts'
import { StaleReads } from './keys/stale-reads.ts'
import { WholeChanges } from './keys/whole-changes.ts'
import { Liveness } from './liveness.ts'
import { Marks } from './marks.ts'
import { type MeshEvent, MeshLaws, type MeshParts } from './mesh/mesh-laws.ts'
import { KeptRegistrations } from './pool/kept-registrations.ts'
import { Membership } from './pool/membership.ts'
import type { NetworkFacts } from './pool/pool-laws.ts'
import { ConfigurationChanges } from './raft/configuration-changes.ts'
import { DurableTerms } from './raft/durable-terms.ts'
import { ElectionSafety } from './raft/election-safety.ts'
import { FailStop } from './raft/fail-stop.ts'
import { LeaderAppendOnly } from './raft/leader-append-only.ts'
import { LeaderCompleteness } from './raft/leader-completeness.ts'
import { LogMatching } from './raft/log-matching.ts'
import { ServerLog } from './raft/server-log.ts'
import { StateMachineSafety } from './raft/state-machine-safety.ts'
import { ServerCare } from './server-care.ts'
import type { InvariantCode, Report } from './violation.ts'

/** Events of one server that faults and steps can wait for. */
export type NodeTrigger =
  | 'leader elected'
  | 'leader stepped down'
  | 'vote given'
  | 'entry appended'
  | 'entry committed'
  | 'snapshot installed'
  | 'members changed'
  | MeshEvent

/** One time that an invariant did not hold. */
export interface Violation {
  readonly code: InvariantCode
  readonly message: string
  /** True time, in microseconds since the run began. */
  readonly atUs: number
}

/** Violations kept: the first tells, the rest follow from it. */
const violationsMax = 100

/** Every checker of one run, and the facts that they share. Told by observers and clients; tells nobody but `violations`. */
export class Invariants {
  readonly violations: Violation[] = []
  /** For what is not a checker's to see: an agent that stopped itself in a panic. */
  readonly report: Report
  readonly elections: ElectionSafety
  readonly appendOnly: LeaderAppendOnly
  readonly matching: LogMatching
  readonly completeness: LeaderCompleteness
  readonly application: StateMachineSafety
  readonly terms: DurableTerms
  readonly configurations: ConfigurationChanges
  readonly acknowledged: AcknowledgedWrites
  readonly linearizable: LinearizableKeys
  readonly staleReads: StaleReads
  readonly failStop: FailStop
  readonly whole: WholeChanges
  readonly once: ExactlyOnce
  readonly index: MonotoneIndex
  readonly parked: ParkedReads
  readonly watches: WatchSequences
  readonly death: CleanDeath
  readonly liveness: Liveness
  readonly registrations: KeptRegistrations
  readonly lockHolders: LockHolders
  readonly lockIndex: LockIndex
  readonly sessions: SessionLives
  readonly care: ServerCare
  readonly membership: Membership
  readonly access: AccessHistory
  readonly accessMode: AccessMode
  readonly migration: TokenMigration
  /** Absent: nobody looks at the mesh. */
  readonly mesh: MeshLaws | undefined
  /** Of the servers of all datacenters: each datacenter's invariants have the same. Absent where there is one alone. */
  readonly wan: Membership | undefined
  /** Servers that believe they lead, and in which term. */
  readonly leading = new Map<string, number>()
  readonly appliedKeys = new AppliedKeys()
  readonly marks = new Marks()
  /** Servers that have stood for election, by term. */
  readonly #stood = new Map<number, Set<string>>()
  /** The scenario lets reads of default consistency be old. */
  readonly excusesStaleDefault: boolean
  readonly #logs = new Map<string, ServerLog>()
  readonly nowUs: () => number
  readonly #onTrigger: (trigger: NodeTrigger, node: string) => void
  #electionCount = 0
  readonly #excusesLostMajority: boolean
  /** Entries of forced configurations, by index and term, and where the log goes on since. */
  readonly #forced = new Set<string>()
  #keptBefore = Number.POSITIVE_INFINITY

  constructor(parts: {
    readonly nowUs: () => number
    readonly staleDefaultMs: number
    /** Steps after which the search for an order of the operations on one key is given up; absent: the usual bound. */
    readonly searchStepsMax?: number | undefined
    /** Absent: links that are as good as can be. */
    readonly network?: NetworkFacts
    readonly wan?: Membership | undefined
    /** Absent: nobody comes with tokens. */
    readonly resolution?: ResolutionFacts | undefined
    /** Absent: nobody looks at the mesh. */
    readonly mesh?: Omit<MeshParts, 'marks' | 'nowUs'> | undefined
    /** The scenario lets a majority's data be lost, and what an operator then forces on the rest be without it. */
    readonly excusesLostMajority?: boolean
    /** What faults and steps may wait for. Must not act on the cluster at once: the agent is in the midst of something. */
    readonly onTrigger: (trigger: NodeTrigger, node: string) => void
  }) {
    const report: Report = (code, message) => {
      if (this.violations.length < violationsMax) this.violations.push({ code, message, atUs: parts.nowUs() })
    }
    this.report = report
    this.nowUs = parts.nowUs
    this.#onTrigger = parts.onTrigger
    this.#excusesLostMajority = parts.excusesLostMajority === true
    this.excusesStaleDefault = parts.staleDefaultMs > 0
    this.elections = new ElectionSafety(report)
    this.appendOnly = new LeaderAppendOnly(report)
    this.matching = new LogMatching(report)
    this.completeness = new LeaderCompleteness(report)
    this.application = new StateMachineSafety(report)
    this.terms = new DurableTerms(report)
    this.configurations = new ConfigurationChanges(report)
    this.acknowledged = new AcknowledgedWrites(report, this.appliedKeys)
    this.linearizable = new LinearizableKeys(report, parts.staleDefaultMs, parts.searchStepsMax)
    this.staleReads = new StaleReads(report, this.appliedKeys)
    const commands = new Map(
      features.flatMap((feature) => feature.commands ?? []).map(({ kind, since }) => [kind, since]),
    )
    this.failStop = new FailStop(report, (kind) => commands.get(kind))
    this.whole = new WholeChanges(report, this.appliedKeys)
    this.once = new ExactlyOnce(report)
    this.index = new MonotoneIndex(report)
    this.parked = new ParkedReads(report)
    this.watches = new WatchSequences(report)
    this.death = new CleanDeath(report)
    this.liveness = new Liveness(report)
    this.registrations = new KeptRegistrations(report, parts.nowUs)
    this.lockHolders = new LockHolders(report)
    this.lockIndex = new LockIndex(report)
    this.sessions = new SessionLives(report)
    this.care = new ServerCare(report, parts.nowUs)
    this.membership = new Membership({
      report,
      nowUs: parts.nowUs,
      network: parts.network ?? { rttMs: 6, rttMaxMs: 10, loss: 0 },
      acted: (node, boot) => this.acted(node, boot),
    })
    this.access = new AccessHistory(report, parts.resolution ?? nobodyComes)
    this.accessMode = new AccessMode(report)
    this.migration = new TokenMigration(report)
    const { mesh } = parts
    this.mesh = mesh && new MeshLaws(report, { ...mesh, nowUs: parts.nowUs, marks: this.marks })
    this.wan = parts.wan
  }

  /** Whether what this boot does as a member of a pool counts. */
  acted(node: string, boot: number): boolean {
    return this.death.acted(node, boot, 'took a step as a member')
  }

  /** Leaders elected so far. */
  get electionCount(): number {
    return this.#electionCount
  }

  /** A process stopped itself: over a command that its release does not know, as it must, or in a panic (P1). */
  panicked(node: string, release: Release, { message, values }: InvariantViolation): void {
    const isFailStop = message.startsWith('a replicated command that this release does not know')
    if (isFailStop) this.failStop.stopped(node, release, String(values['kind']), Number(values['index']))
    else this.report('P1', `${node} panics: ${message}`)
  }

  /** A process begins with these settings. */
  configured({ autopilot, access: { tokenTtlMs, policyTtlMs, defaultPolicy } }: AgentConfig): void {
    this.care.settings(autopilot)
    this.access.settings({ ttlUs: (tokenTtlMs + policyTtlMs) * 1000, defaultPolicy })
  }

  /** A process begins on this node. */
  booted(node: string, boot: number): void {
    this.death.booted(node, boot)
    this.registrations.booted(node)
  }

  /** The process on this node is no more. */
  died(node: string): void {
    if (this.leading.has(node) && this.mesh?.rotation.step !== undefined) this.marks.reach('leader lost in a rotation')
    this.death.died(node)
    this.registrations.died(node)
    this.membership.died(node)
    this.wan?.died(node)
    this.application.died(node)
    this.parked.died(node)
    this.noLongerLeads(node)
  }

  /** The process on this node stands still from now on. */
  fellAsleep(node: string): void {
    this.membership.fellAsleep(node)
    this.wan?.fellAsleep(node)
  }

  woke(node: string): void {
    this.membership.woke(node)
    this.wan?.woke(node)
  }

  /** The machine is another one, with the name of one that is lost: nothing that the old one promised binds it. */
  replaced(node: string): void {
    this.#logs.delete(node)
    this.terms.replaced(node)
    this.configurations.replaced(node)
    this.registrations.mayGo(node)
  }

  /**
   * A server has an entry that no leader wrote: an operator forced a configuration on what is left. If the scenario names the
   * excuse, what was committed and is not in that server's log is owed by nobody any more (R4, R5, D1, K1, K3, W1).
   */
  forced(node: string, entry: { readonly index: number; readonly term: number }): void {
    const name = `${entry.index} ${entry.term}`
    if (!this.#excusesLostMajority || this.#forced.has(name)) return
    this.#forced.add(name)
    const index = this.#firstLost(node, entry.index)
    this.#keptBefore = Math.min(this.#keptBefore, index)
    for (const checker of [this.completeness, this.application, this.once, this.appliedKeys]) checker.forgetFrom(index)
    this.index.forget()
    const before = this.#keptBefore
    this.linearizable.recovered({
      atUs: this.nowUs(),
      heldOf: (key) => this.appliedKeys.versions(key).findLast((version) => version.index < before)?.value,
      isKept: (value) => (this.appliedKeys.indexOf(value) ?? before) < before,
    })
  }

  /** From where on a log that ends before `end` is not the one that was committed. */
  #firstLost(node: string, end: number): number {
    const log = this.logOf(node)
    let index = Math.min(end, this.completeness.committedIndex + 1)
    while (index > 1 && log.hashAt(index - 1) !== this.completeness.committedHash(index - 1)) index--
    return index
  }

  leads(node: string, term: number): void {
    this.leading.set(node, term)
    if (this.leading.size > 1) this.marks.reach('two leaders alive')
    for (const other of this.#stood.get(term) ?? []) if (other !== node) this.marks.reach('election lost')
    this.elections.becameLeader(node, term)
    this.appendOnly.becameLeader(node, term)
    this.completeness.becameLeader(node, term, this.logOf(node))
    this.configurations.becameLeader(node, term)
    this.sessions.leaderElected(this.nowUs())
  }

  /** A command touched sessions or locks. */
  locksChanged(facts: LockFacts): void {
    this.lockHolders.command(facts)
    this.lockIndex.command(facts)
    this.sessions.command(facts)
  }

  /** Another state, with sessions and locks of its own, took the place of the one before. */
  locksReplaced(facts: LockFacts): void {
    this.lockHolders.replaced(facts)
    this.lockIndex.replaced(facts)
    this.sessions.command(facts)
  }

  /** It has voted for itself. */
  stood(node: string, term: number): void {
    const leader = this.elections.leaderOf(term)
    if (leader !== undefined && leader !== node) this.marks.reach('election lost')
    const others = this.#stood.get(term)
    if (others === undefined) this.#stood.set(term, new Set([node]))
    else others.add(node)
  }

  noLongerLeads(node: string): void {
    this.leading.delete(node)
    this.care.noLongerLeads(node)
    this.appendOnly.noLongerLeads(node)
    this.completeness.noLongerLeads(node)
    this.configurations.noLongerLeads(node)
  }

  logOf(node: string): ServerLog {
    const known = this.#logs.get(node)
    if (known !== undefined) return known
    const log = new ServerLog()
    this.#logs.set(node, log)
    return log
  }

  /** A log whose entry at `index` is of this term, the server's own if it can be: what is committed stands in a quorum of logs. */
  logWith(node: string, index: number, term: number): ServerLog | undefined {
    const own = this.logOf(node)
    if (own.termAt(index) === term) return own
    for (const log of this.#logs.values()) if (log.termAt(index) === term) return log
    return own.lastIndex >= index ? own : undefined
  }

  triggered(trigger: NodeTrigger, node: string): void {
    if (trigger === 'leader elected') this.#electionCount++
    this.#onTrigger(trigger, node)
  }
}

const nobodyComes: ResolutionFacts = { reachingSinceUs: () => undefined }
