import type { AgentConfig, AutopilotConfig, ChecksConfig, RaftConfig } from '../agent/settings/agent-config.ts'
import { formatDuration } from '../base/duration.ts'
import type { SocketAccess } from '../env/http.ts'
import type { LogPlaces } from '../env/terminal.ts'
import type { Naming } from '../model/naming/naming.ts'
import { releaseText } from '../model/release.ts'
import { joinWithoutSecrets } from './hidden.ts'
import { shownAccess } from './parts/access.ts'
import { shownMesh, shownProxies } from './parts/connect.ts'
import { shownDns } from './parts/dns.ts'
import { shownEndpoints } from './parts/endpoints.ts'
import { shownFixed } from './parts/fixed.ts'
import { shownHttp } from './parts/http.ts'
import { shownGossip, shownPool, shownWan } from './parts/pools.ts'
import { shownSyslog } from './parts/syslog.ts'
import { shownTelemetry } from './parts/telemetry.ts'
import { shownTls } from './parts/tls.ts'
import type { Shown } from './parts/values.ts'

/** The effective configuration as `/v1/agent/self` shows it: flat, in the field's CamelCase. Unstable by contract. */
export function debugConfig(config: AgentConfig): Shown {
  return {
    ...shownDns(config.dns),
    ...shownGossip('LAN', config.gossipLan),
    ...shownGossip('WAN', config.wan.gossip),
    ...shownWan(config.wan),
    ...autopilotPart(config.autopilot),
    ...shownAccess(config.access),
    ...shownPool(config.pool),
    ...shownTls(config.tls),
    ...shownTelemetry(config.telemetry),
    ...shownHttp(config.http),
    ...socketPart(config.unixSockets),
    ...raftPart(config.raft, config.naming.title),
    ...checksPart(config.checksConfig),
    ...logPart(config.log),
    ...shownSyslog(config.syslog),
    ...shownMesh(config),
    ...shownProxies(config.managedProxies),
    ...portsPart(config),
    ...shownEndpoints(config),
    ...shownFixed(config.naming),
    ...definitionsPart(config),
    AcceptLostLog: config.acceptLostLog,
    AdvertiseAddrLAN: config.advertiseAddress,
    BindAddr: config.bindAddress,
    Bootstrap: config.bootstrap,
    BootstrapExpect: config.bootstrapExpect,
    ClientAddrs: config.clientAddresses,
    Datacenter: config.datacenter,
    DataDir: config.dataDir ?? '',
    DevMode: config.dev,
    DiscoveryMaxStale: formatDuration(config.discoveryMaxStaleMs),
    DisableRemoteExec: !config.remoteExec,
    EnableDebug: config.isDebugged,
    LeavePropagateDelay: formatDuration(config.gossipLan.leavePropagateDelayMs),
    LeaveDrainTime: formatDuration(config.leaveDrainMs),
    LeaveOnTerm: config.leaveOnTerminate,
    PidFile: config.pidFile,
    LogLevel: config.logLevel,
    NodeID: config.nodeId ?? '',
    NodeMeta: config.nodeMeta,
    Names: config.naming.name,
    NodeName: config.nodeName,
    ReconnectTimeoutLAN: formatDuration(config.gossipLan.reconnectTimeoutMs),
    RetryJoinIntervalLAN: formatDuration(config.retryIntervalMs),
    RetryJoinLAN: config.retryJoin.map(joinWithoutSecrets),
    RetryJoinMaxAttemptsLAN: config.retryMax,
    RPCHoldTimeout: formatDuration(config.rpcHoldTimeoutMs),
    RPCMaxBurst: config.limits.burst,
    RPCRateLimit: config.limits.perSecond ?? -1,
    SessionTTLMin: formatDuration(config.sessionTtlMinMs),
    ServerMode: config.server,
    SkipLeaveOnInt: config.skipLeaveOnInterrupt,
    StartJoinAddrsLAN: config.startJoin,
    Version: releaseText(config.release),
    WarmUp: config.warmsUp,
  }
}

/** Definitions of configuration files, by their IDs and names only: the API of the agent shows them completely. */
function definitionsPart({ checks, services, watches }: Pick<AgentConfig, 'checks' | 'services' | 'watches'>): Shown {
  return {
    Checks: checks.map(({ checkId, name, serviceId }) => ({ ID: checkId, Name: name, ServiceID: serviceId })),
    Services: services.map(({ service: { id, service, port } }) => ({ ID: id, Name: service, Port: port })),
    Watches: watches.map(({ subject }) => ({ type: subject.type })),
  }
}

function portsPart({ ports, cliRpc }: Pick<AgentConfig, 'ports' | 'cliRpc'>): Shown {
  return {
    CLIRPCAddrs: cliRpc.addresses,
    CLIRPCPort: cliRpc.port,
    DNSPort: ports.dns,
    GRPCPort: ports.grpc,
    HTTPPort: ports.http,
    HTTPSPort: ports.https,
    SerfPortLAN: ports.serfLan,
    SerfPortWAN: ports.serfWan,
    ServerPort: ports.server,
  }
}

function logPart(log: LogPlaces): Shown {
  return {
    LogFile: log.file,
    LogJSON: log.json,
    LogRotateBytes: log.rotateBytes,
    LogRotateDuration: formatDuration(log.rotateMs),
    LogRotateMaxFiles: log.oldFilesMax,
  }
}

function checksPart(checks: ChecksConfig): Shown {
  return {
    CheckUpdateInterval: formatDuration(checks.updateIntervalMs),
    ContainerRuntime: checks.containerRuntime,
    DiscardCheckOutput: checks.discardOutput,
    EnableAgentTLSForChecks: checks.agentTls,
    EnableLocalScriptChecks: checks.localScripts,
    EnableRemoteScriptChecks: checks.remoteScripts,
  }
}

function raftPart(raft: RaftConfig, title: Naming['title']): Shown {
  return {
    [`${title}RaftElectionTimeout`]: formatDuration(raft.electionTimeoutMs),
    [`${title}RaftHeartbeatTimeout`]: formatDuration(raft.heartbeatTimeoutMs),
    [`${title}RaftLeaderLeaseTimeout`]: formatDuration(raft.leaderLeaseMs),
    RaftElectionTimeout: formatDuration(raft.electionTimeoutMs),
    RaftHeartbeatTimeout: formatDuration(raft.heartbeatTimeoutMs),
    RaftLeaderDetection: raft.detection,
    RaftLeaderLeaseTimeout: formatDuration(raft.leaderLeaseMs),
    RaftProtocol: raft.protocol,
    RaftSnapshotInterval: formatDuration(raft.snapshotIntervalMs),
    RaftSnapshotThreshold: raft.snapshotThreshold,
    RaftTrailingLogs: raft.trailingLogs,
  }
}

function autopilotPart(autopilot: AutopilotConfig): Shown {
  return {
    AutopilotCleanupDeadServers: autopilot.cleanUpDeadServers,
    AutopilotDisableUpgradeMigration: false,
    AutopilotLastContactThreshold: formatDuration(autopilot.lastContactThresholdMs),
    AutopilotMaxTrailingLogs: autopilot.maxTrailingLogs,
    AutopilotMinQuorum: autopilot.minQuorum,
    AutopilotRedundancyZoneTag: '',
    AutopilotServerStabilizationTime: formatDuration(autopilot.serverStabilizationMs),
  }
}

function socketPart({ user = '', group, mode }: SocketAccess): Shown {
  return {
    UnixSocketGroup: group === undefined ? '' : String(group),
    UnixSocketMode: mode === undefined ? '' : `0${mode.toString(8)}`,
    UnixSocketUser: user,
  }
}
