import type { AgentConfig } from '../agent/agent-config.ts'
import { formatDuration } from '../base/duration.ts'
import type { Json } from '../base/json.ts'

/** The effective configuration as `/v1/agent/self` shows it: flat, in the field's CamelCase. Unstable by contract. */
export function debugConfig(config: AgentConfig): { readonly [key: string]: Json } {
  const { ports, raft } = config
  return {
    AdvertiseAddrLAN: config.advertiseAddress,
    BindAddr: config.bindAddress,
    Bootstrap: config.bootstrap,
    BootstrapExpect: config.bootstrapExpect,
    ClientAddrs: config.clientAddresses,
    DataDir: config.dataDir ?? '',
    Datacenter: config.datacenter,
    DevMode: config.dev,
    HTTPBlockEndpoints: config.http.blockEndpoints,
    HTTPPort: ports.http,
    HTTPResponseHeaders: config.http.responseHeaders,
    LeaveOnTerm: config.leaveOnTerminate,
    LogLevel: config.logLevel,
    NodeID: config.nodeId ?? '',
    NodeMeta: config.nodeMeta,
    NodeName: config.nodeName,
    RPCHoldTimeout: formatDuration(config.rpcHoldTimeoutMs),
    RaftElectionTimeout: formatDuration(raft.electionTimeoutMs),
    RaftHeartbeatTimeout: formatDuration(raft.heartbeatTimeoutMs),
    RaftLeaderLeaseTimeout: formatDuration(raft.leaderLeaseMs),
    RaftProtocol: raft.protocol,
    RaftSnapshotInterval: formatDuration(raft.snapshotIntervalMs),
    RaftSnapshotThreshold: raft.snapshotThreshold,
    RetryJoinIntervalLAN: formatDuration(config.retryIntervalMs),
    RetryJoinLAN: config.retryJoin,
    RetryJoinMaxAttemptsLAN: config.retryMax,
    ServerMode: config.server,
    ServerPort: ports.server,
    SkipLeaveOnInt: config.skipLeaveOnInterrupt,
  }
}
