import type { AgentConfig } from '../agent/agent-config.ts'
import { formatDuration } from '../base/duration.ts'
import type { Json } from '../base/json.ts'

/** The effective configuration as `/v1/agent/self` shows it: flat, in the field's CamelCase. Unstable by contract. */
export function debugConfig(config: AgentConfig): { readonly [key: string]: Json } {
  const { ports, raft } = config
  return {
    AdvertiseAddrLAN: config.advertiseAddress,
    Aliases: config.http.aliases,
    AutopilotLastContactThreshold: formatDuration(config.autopilot.lastContactThresholdMs),
    AutopilotMaxTrailingLogs: config.autopilot.maxTrailingLogs,
    AutopilotServerStabilizationTime: formatDuration(config.autopilot.serverStabilizationMs),
    BindAddr: config.bindAddress,
    Bootstrap: config.bootstrap,
    BootstrapExpect: config.bootstrapExpect,
    ClientAddrs: config.clientAddresses,
    Datacenter: config.datacenter,
    DataDir: config.dataDir ?? '',
    DevMode: config.dev,
    DisableHTTPUnprintableCharFilter: config.http.allowUnprintableCharacters,
    DNSPort: ports.dns,
    GRPCPort: ports.grpc,
    HTTPBlockEndpoints: config.http.blockEndpoints,
    HTTPPort: ports.http,
    HTTPPretty: config.http.pretty,
    HTTPResponseHeaders: config.http.responseHeaders,
    HTTPSPort: ports.https,
    LeaveOnTerm: config.leaveOnTerminate,
    LogLevel: config.logLevel,
    NodeID: config.nodeId ?? '',
    NodeMeta: config.nodeMeta,
    NodeName: config.nodeName,
    RaftElectionTimeout: formatDuration(raft.electionTimeoutMs),
    RaftHeartbeatTimeout: formatDuration(raft.heartbeatTimeoutMs),
    RaftLeaderLeaseTimeout: formatDuration(raft.leaderLeaseMs),
    RaftProtocol: raft.protocol,
    RaftSnapshotInterval: formatDuration(raft.snapshotIntervalMs),
    RaftSnapshotThreshold: raft.snapshotThreshold,
    RaftTrailingLogs: raft.trailingLogs,
    RetryJoinIntervalLAN: formatDuration(config.retryIntervalMs),
    RetryJoinLAN: config.retryJoin,
    RetryJoinMaxAttemptsLAN: config.retryMax,
    RPCHoldTimeout: formatDuration(config.rpcHoldTimeoutMs),
    SerfPortLAN: ports.serfLan,
    SerfPortWAN: ports.serfWan,
    ServerMode: config.server,
    ServerPort: ports.server,
    SkipLeaveOnInt: config.skipLeaveOnInterrupt,
  }
}
