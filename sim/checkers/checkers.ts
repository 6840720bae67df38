import { accessHistory } from './access/access-history.ts'
import { accessTold, markedAccess } from './access/access-marks.ts'
import { accessMode } from './access/access-mode.ts'
import { accessStates } from './access/access-state.ts'
import { copiedAccess } from './access/copied-access.ts'
import { tokenMigration } from './access/token-migration.ts'
import { views } from './access/views.ts'
import { visitEffects } from './access/visit-effects.ts'
import { careTold, serversCaredFor } from './autopilot-marks.ts'
import type { Checker, CodeOf, Invariant } from './checker.ts'
import { cleanDeath } from './clean-death.ts'
import { hiddenChanges } from './clients/hidden-changes.ts'
import { lockHolders } from './clients/lock-holders.ts'
import { lockIndex } from './clients/lock-index.ts'
import { markedLocks } from './clients/lock-marks.ts'
import { lockStates } from './clients/lock-states.ts'
import { monotoneIndex } from './clients/monotone-index.ts'
import { parkedReads } from './clients/parked-reads.ts'
import { markedReaders, readersTold } from './clients/reader-marks.ts'
import { restoredLocks } from './clients/restored-locks.ts'
import { sessionGrounds } from './clients/session-grounds.ts'
import { sessionLives } from './clients/session-lives.ts'
import { waitingAnswers } from './clients/waiting-answers.ts'
import { watchSequences } from './clients/watch-sequences.ts'
import { eventLists } from './events/event-lists.ts'
import { eventRights } from './events/event-rights.ts'
import { eventSpread } from './events/event-spread.ts'
import { eventWaits } from './events/event-waits.ts'
import { givenBack } from './given-back.ts'
import { intentionLaws } from './intentions/intention-laws.ts'
import { acknowledgedWrites } from './keys/acknowledged-writes.ts'
import { appliedKeys } from './keys/applied-keys.ts'
import { exactlyOnce } from './keys/exactly-once.ts'
import { keysCaredFor } from './keys/key-care.ts'
import { keyChanges } from './keys/key-changes.ts'
import { markedKeys } from './keys/key-marks.ts'
import { linearizableKeys } from './keys/linearizable-keys.ts'
import { ownKeys } from './keys/own-keys.ts'
import { staleReads } from './keys/stale-reads.ts'
import { wholeChanges } from './keys/whole-changes.ts'
import { liveness } from './liveness.ts'
import { loyalty } from './loyalty.ts'
import { meshDomains } from './mesh/mesh-domains.ts'
import { meshLaws } from './mesh/mesh-laws.ts'
import { markedRotations, meshTold } from './mesh/mesh-marks.ts'
import { meshRoots } from './mesh/mesh-roots.ts'
import { meshRotation } from './mesh/mesh-rotation.ts'
import { meshSecrets } from './mesh/mesh-secrets.ts'
import { meshStates } from './mesh/mesh-state.ts'
import { meshTrust } from './mesh/mesh-trust.ts'
import { panics } from './panics.ts'
import { agentNames } from './pool/agent-names.ts'
import { askedToGo } from './pool/asked-to-go.ts'
import { catalogTruth } from './pool/catalog-truth.ts'
import { coordinates } from './pool/coordinates.ts'
import { deathDetection } from './pool/death-detection.ts'
import { deathGrounds } from './pool/death-grounds.ts'
import { frugalGossip } from './pool/frugal-gossip.ts'
import { goneMembers } from './pool/gone-members.ts'
import { heartbeatsTaken } from './pool/heartbeats-taken.ts'
import { incarnations } from './pool/incarnations.ts'
import { keptRegistrations } from './pool/kept-registrations.ts'
import { localHealth } from './pool/local-health.ts'
import { membership, wanMembership } from './pool/membership.ts'
import { oneTruth } from './pool/one-truth.ts'
import { packetAddresses } from './pool/packet-addresses.ts'
import { passingOn } from './pool/passing-on.ts'
import { poolTold } from './pool/pool-marks.ts'
import { poolViews } from './pool/pool-views.ts'
import { probeAnswers } from './pool/probe-answers.ts'
import { statusTimes } from './pool/status-times.ts'
import { toldChanges } from './pool/told-changes.ts'
import { agentTold, diskTold, markedProcesses } from './process-marks.ts'
import { promptness } from './promptness.ts'
import { queryTruth } from './query-truth.ts'
import { boundedSending } from './raft/bounded-sending.ts'
import { configurationChanges } from './raft/configuration-changes.ts'
import { durableFiles } from './raft/durable-files.ts'
import { durableTerms } from './raft/durable-terms.ts'
import { electionSafety } from './raft/election-safety.ts'
import { failStop } from './raft/fail-stop.ts'
import { failedLogs } from './raft/failed-logs.ts'
import { underFire } from './raft/fire-marks.ts'
import { frugalConsensus } from './raft/frugal-consensus.ts'
import { givenVotes } from './raft/given-votes.ts'
import { honestVotes } from './raft/honest-votes.ts'
import { leaderAppendOnly } from './raft/leader-append-only.ts'
import { leaderAttention } from './raft/leader-attention.ts'
import { leaderCompleteness } from './raft/leader-completeness.ts'
import { leaderContact } from './raft/leader-contact.ts'
import { leaderReads } from './raft/leader-reads.ts'
import { leadership } from './raft/leadership.ts'
import { logMatching } from './raft/log-matching.ts'
import { lostMajority } from './raft/lost-majority.ts'
import { ownQuorum } from './raft/own-quorum.ts'
import { quorumContact } from './raft/quorum-contact.ts'
import { raftMarks, raftTold } from './raft/raft-marks.ts'
import { readableState } from './raft/readable-state.ts'
import { serverLogs } from './raft/server-logs.ts'
import { stateMachineSafety } from './raft/state-machine-safety.ts'
import { transfers } from './raft/transfers.ts'
import { waitingReads } from './raft/waiting-reads.ts'
import { reachedStates } from './rare-states.ts'
import { markedAnswers } from './reads/answer-marks.ts'
import { executedTruth } from './reads/executed-truth.ts'
import { nameConnections } from './reads/name-connections.ts'
import { nameTruth } from './reads/name-truth.ts'
import { outsideNames } from './reads/outside-names.ts'
import { readTruth } from './reads/read-truth.ts'
import { serviceVersions } from './reads/service-versions.ts'
import { settingsTold } from './reads/settings-told.ts'
import { staleNames } from './reads/stale-names.ts'
import { timelyAnswers } from './reads/timely-answers.ts'
import { refusals } from './refusals.ts'
import { markedRegistrations } from './registration-marks.ts'
import { acknowledgedRegistrations } from './registrations/acknowledged-registrations.ts'
import { aliasedChecks } from './registrations/aliased-checks.ts'
import { catalogRows } from './registrations/catalog-rows.ts'
import { chosenPorts } from './registrations/chosen-ports.ts'
import { heardChecks } from './registrations/heard-checks.ts'
import { keptAlive } from './registrations/kept-alive.ts'
import { telling } from './registrations/owing.ts'
import { serverCare } from './server-care.ts'
import { sentLog } from './telemetry/sent-log.ts'
import { sentMetrics } from './telemetry/sent-metrics.ts'
import { understanding } from './understanding.ts'

const all = [
  // Checkers on which others rely come first, because facts are passed on in the order of this list.
  leadership,
  serverLogs,
  givenVotes,
  lostMajority,
  appliedKeys,
  reachedStates,
  accessStates,
  visitEffects,
  views,
  meshStates,
  lockStates,
  keyChanges,
  agentNames,
  askedToGo,
  catalogRows,
  telling,
  settingsTold,
  serviceVersions,
  leaderContact,
  waitingReads,
  // Checkers, in the order of the invariants' page.
  electionSafety,
  leaderAppendOnly,
  logMatching,
  leaderCompleteness,
  stateMachineSafety,
  durableTerms,
  configurationChanges,
  ownQuorum,
  honestVotes,
  leaderReads,
  loyalty,
  leaderAttention,
  quorumContact,
  frugalConsensus,
  transfers,
  boundedSending,
  acknowledgedWrites,
  failStop,
  durableFiles,
  failedLogs,
  readableState,
  linearizableKeys,
  staleReads,
  wholeChanges,
  exactlyOnce,
  ownKeys,
  keysCaredFor,
  lockHolders,
  sessionLives,
  lockIndex,
  sessionGrounds,
  restoredLocks,
  monotoneIndex,
  parkedReads,
  watchSequences,
  waitingAnswers,
  hiddenChanges,
  poolViews,
  incarnations,
  deathDetection,
  goneMembers,
  localHealth,
  coordinates,
  probeAnswers,
  packetAddresses,
  deathGrounds,
  frugalGossip,
  passingOn,
  statusTimes,
  toldChanges,
  membership,
  wanMembership,
  catalogTruth,
  oneTruth,
  keptRegistrations,
  heartbeatsTaken,
  acknowledgedRegistrations,
  heardChecks,
  keptAlive,
  aliasedChecks,
  chosenPorts,
  readTruth,
  nameTruth,
  nameConnections,
  staleNames,
  outsideNames,
  timelyAnswers,
  serverCare,
  sentMetrics,
  sentLog,
  queryTruth,
  executedTruth,
  copiedAccess,
  accessHistory,
  accessMode,
  tokenMigration,
  meshTrust,
  meshRoots,
  meshSecrets,
  meshRotation,
  meshDomains,
  meshLaws,
  intentionLaws,
  eventSpread,
  eventLists,
  eventRights,
  eventWaits,
  refusals,
  cleanDeath,
  panics,
  understanding,
  givenBack,
  liveness,
  promptness,
  // Checkers that only observe rare states come last, after the checkers on which they rely.
  raftMarks,
  raftTold,
  underFire,
  serversCaredFor,
  careTold,
  markedProcesses,
  diskTold,
  agentTold,
  poolTold,
  markedRegistrations,
  markedKeys,
  markedLocks,
  markedReaders,
  readersTold,
  markedAnswers,
  markedAccess,
  accessTold,
  markedRotations,
  meshTold,
] as const

/** Every checker of a run. This is the only list of all. */
export const checkers: readonly Checker[] = all

/**
 * Every invariant that a run checks unless its scenario names an excuse: by kind in the order of the list, then by
 * number.
 */
export const invariants = inOrder(all)

export type InvariantCode = keyof typeof invariants

/** All codes together. The names of excuses are known only to the run, which refuses any other. */
export type AllExcuses = Readonly<Record<InvariantCode, string>>

function inOrder<List extends readonly Checker[]>(list: List): Readonly<Record<CodeOf<List[number]>, Invariant>> {
  const declared = list.flatMap(({ codes }) => Object.entries(codes))
  const kinds = [...new Set(declared.map(([code]) => code.charAt(0)))]
  const place = (code: string): number => kinds.indexOf(code.charAt(0)) * 100 + Number(code.slice(1))
  declared.sort(([a], [b]) => place(a) - place(b))
  return Object.fromEntries(declared) as Readonly<Record<CodeOf<List[number]>, Invariant>>
}
