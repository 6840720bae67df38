import type { AgentConfig } from '../../agent/settings/agent-config.ts'
import { devRaftTiming, raftTiming } from '../../agent/settings/default-config.ts'
import { devGossip, lanGossip } from '../../agent/settings/gossip-timing.ts'
import { settingDefaultsOf } from '../../model/release.ts'
import { checkRaft } from '../rules.ts'
import type { FileConfig } from '../schema.ts'
import { gossipOf } from './pools.ts'
import { interval, milliseconds, type Report, type Reports } from './values.ts'

/** The settings that decide how fast the agent notices changes and acts on them. */
export function timingOf(
  file: FileConfig,
  dev: boolean,
  defaults: AgentConfig,
  { problem, warn }: Reports,
): Pick<
  AgentConfig,
  'raft' | 'gossipLan' | 'rpcHoldTimeoutMs' | 'leaveDrainMs' | 'warmsUp' | 'sessionTtlMinMs' | 'autopilot'
> {
  checkRaft(file, defaults.release, problem)
  const { autopilot, performance } = file
  return {
    raft: {
      ...defaults.raft,
      ...(dev
        ? devRaftTiming
        : raftTiming(performance?.raft_multiplier ?? settingDefaultsOf(defaults.release, false).raftMultiplier)),
      detection: performance?.leader_detection ?? defaults.raft.detection,
      protocol: file.raft_protocol ?? defaults.raft.protocol,
      snapshotThreshold: file.raft_snapshot_threshold || defaults.raft.snapshotThreshold,
      snapshotIntervalMs: snapshotIntervalOf(file, defaults, warn),
    },
    gossipLan: gossipOf('gossip_lan', file, dev ? devGossip : lanGossip, warn),
    rpcHoldTimeoutMs: milliseconds(performance?.rpc_hold_timeout, defaults.rpcHoldTimeoutMs),
    leaveDrainMs: milliseconds(performance?.leave_drain_time, defaults.leaveDrainMs),
    warmsUp: performance?.warm_up ?? defaults.warmsUp,
    sessionTtlMinMs: milliseconds(file.session_ttl_min, defaults.sessionTtlMinMs),
    autopilot: {
      serverStabilizationMs: milliseconds(
        autopilot?.server_stabilization_time,
        defaults.autopilot.serverStabilizationMs,
      ),
      lastContactThresholdMs: milliseconds(
        autopilot?.last_contact_threshold,
        defaults.autopilot.lastContactThresholdMs,
      ),
      maxTrailingLogs: autopilot?.max_trailing_logs ?? defaults.autopilot.maxTrailingLogs,
      cleanUpDeadServers: autopilot?.cleanup_dead_servers ?? defaults.autopilot.cleanUpDeadServers,
      minQuorum: autopilot?.min_quorum ?? defaults.autopilot.minQuorum,
    },
  }
}

/** A value of 0 means the default, as in the field; the same holds for the threshold. */
function snapshotIntervalOf(file: FileConfig, defaults: AgentConfig, warn: Report): number {
  const otherwise = defaults.raft.snapshotIntervalMs
  const asked = milliseconds(file.raft_snapshot_interval, otherwise)
  return asked === 0 ? otherwise : interval('raft_snapshot_interval', file.raft_snapshot_interval, otherwise, warn)
}
