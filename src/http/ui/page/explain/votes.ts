import type { AutopilotHealth, AutopilotSettings, RaftServer, ServerHealth } from '../api/cluster-shapes.ts'
import { voteWords as words } from '../words/explain-words.ts'

/** Why one server has no vote, as sentences; empty: it has one. */
export function whyNoVote(
  server: RaftServer,
  health: ServerHealth | undefined,
  settings: AutopilotSettings | undefined,
): readonly string[] {
  if (server.Voter) return []
  if (health === undefined) return [words.notReported]
  const why = unhealthyReasons(health, settings)
  if (why.length > 0) return [...why, words.whenHealthy]
  return [words.waits(health.StableSince, settings?.ServerStabilizationTime ?? words.stabilizationTime)]
}

/** What autopilot finds wrong with a server; empty: nothing. */
export function unhealthyReasons(health: ServerHealth, settings: AutopilotSettings | undefined): readonly string[] {
  if (health.Healthy) return []
  if (health.SerfStatus !== 'alive') return [words.gossip(health.SerfStatus)]
  const contact = words.contact(health.LastContact, settings?.LastContactThreshold ?? words.threshold)
  return [contact, words.log(health.LastIndex, health.LastTerm)]
}

/** What the number of failures that the servers can bear means. */
export function toleranceText({ FailureTolerance, Servers }: AutopilotHealth): string {
  const voters = (Servers ?? []).filter(({ Voter }) => Voter).length
  if (FailureTolerance > 0) return words.mayFail(FailureTolerance, voters)
  return voters <= 1 ? words.single : words.noneMayFail(voters)
}
