import type { AutopilotHealth, AutopilotSettings, RaftServer, ServerHealth } from '../api/cluster-shapes.ts'

/** Why one server has no vote, as sentences; empty: it has one. */
export function whyNoVote(
  server: RaftServer,
  health: ServerHealth | undefined,
  settings: AutopilotSettings | undefined,
): readonly string[] {
  if (server.Voter) return []
  if (health === undefined) return ['Autopilot does not report on this server, so it gets no vote.']
  const why = unhealthyReasons(health, settings)
  if (why.length > 0) return [...why, 'A server gets its vote when it has been healthy for the stabilization time.']
  const wait = settings === undefined ? 'the stabilization time' : settings.ServerStabilizationTime
  return [
    `It has been healthy since ${health.StableSince}. It gets its vote after ${wait}, unless it is configured as a non-voter.`,
  ]
}

/** What autopilot finds wrong with a server; empty: nothing. */
export function unhealthyReasons(health: ServerHealth, settings: AutopilotSettings | undefined): readonly string[] {
  if (health.Healthy) return []
  const alive = health.SerfStatus === 'alive'
  const threshold = settings?.LastContactThreshold ?? 'the threshold'
  const contact = `It last heard from the leader ${health.LastContact} ago; more than ${threshold} is too long.`
  const rest = `Its log ends at index ${health.LastIndex} in term ${health.LastTerm}, which may be too far behind the leader's.`
  return alive ? [contact, rest] : [`Gossip reports it as ${health.SerfStatus}, so its agent is stopped or cut off.`]
}

/** What the number of failures that the servers can bear means. */
export function toleranceText({ FailureTolerance, Servers }: AutopilotHealth): string {
  const voters = (Servers ?? []).filter(({ Voter }) => Voter).length
  if (FailureTolerance > 0) {
    return `${FailureTolerance} of ${voters} voters may fail, and the rest still elects a leader.`
  }
  if (voters <= 1) return 'There is a single voter: when it fails, nothing can be written until it is back.'
  return `No more of the ${voters} voters may fail: the next failure leaves no majority.`
}
