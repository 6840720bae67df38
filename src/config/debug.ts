import type { AccessSettings } from '../agent/settings/access-settings.ts'
import type {
  AgentConfig,
  AutopilotConfig,
  ChecksConfig,
  DnsConfig,
  PoolConfig,
  RaftConfig,
  WanConfig,
} from '../agent/settings/agent-config.ts'
import type { HttpConfig } from '../agent/settings/http-settings.ts'
import type { SyslogSettings } from '../agent/settings/log-settings.ts'
import type { TelemetryConfig } from '../agent/settings/telemetry-settings.ts'
import type { TlsSettings } from '../agent/settings/tls-settings.ts'
import { formatDuration } from '../base/duration.ts'
import type { Json } from '../base/json.ts'
import type { SocketAccess } from '../env/http.ts'
import { type Endpoint, endpointText } from '../env/net.ts'
import type { LogPlaces } from '../env/terminal.ts'
import type { GossipTiming } from '../gossip/pool.ts'
import { releaseText } from '../model/release.ts'
import { joinWithoutSecrets, settingsWithoutSecrets } from './hidden.ts'
import { facilityName } from './parts/syslog.ts'

/** The effective configuration as `/v1/agent/self` shows it: flat, in the field's CamelCase. Unstable by contract. */
export function debugConfig(config: AgentConfig): Flat {
  return {
    ...dnsPart(config.dns),
    ...gossipPart('LAN', config.gossipLan),
    ...gossipPart('WAN', config.wan.gossip),
    ...wanPart(config.wan),
    ...autopilotPart(config.autopilot),
    ...accessPart(config.access),
    ...poolPart(config.pool),
    ...tlsPart(config.tls),
    ...telemetryPart(config.telemetry),
    ...httpPart(config.http),
    ...socketPart(config.unixSockets),
    ...raftPart(config.raft),
    ...checksPart(config.checksConfig),
    ...logPart(config.log),
    ...syslogPart(config.syslog),
    ...meshPart(config),
    ...managedPart(config.managedProxies),
    ...portsPart(config),
    AcceptLostLog: config.acceptLostLog,
    AdvertiseAddrLAN: config.advertiseAddress,
    BindAddr: config.bindAddress,
    Bootstrap: config.bootstrap,
    BootstrapExpect: config.bootstrapExpect,
    Checks: config.checks.map(({ checkId }) => checkId),
    ClientAddrs: config.clientAddresses,
    Datacenter: config.datacenter,
    DataDir: config.dataDir ?? '',
    DevMode: config.dev,
    DiscoveryMaxStale: formatDuration(config.discoveryMaxStaleMs),
    DisableRemoteExec: !config.remoteExec,
    DNSAddrs: config.dnsAddresses,
    HTTPSAddrs: config.httpsAddresses,
    LeavePropagateDelay: formatDuration(config.gossipLan.leavePropagateDelayMs),
    LeaveDrainTime: formatDuration(config.leaveDrainMs),
    LeaveOnTerm: config.leaveOnTerminate,
    PidFile: config.pidFile,
    LogLevel: config.logLevel,
    NodeID: config.nodeId ?? '',
    NodeMeta: config.nodeMeta,
    NodeName: config.nodeName,
    ReconnectTimeoutLAN: formatDuration(config.gossipLan.reconnectTimeoutMs),
    RetryJoinIntervalLAN: formatDuration(config.retryIntervalMs),
    RetryJoinLAN: config.retryJoin.map(joinWithoutSecrets),
    RetryJoinMaxAttemptsLAN: config.retryMax,
    RPCHoldTimeout: formatDuration(config.rpcHoldTimeoutMs),
    RPCMaxBurst: config.limits.burst,
    RPCRateLimit: config.limits.perSecond ?? -1,
    SerfBindAddrLAN: config.serfLanBindAddress,
    SessionTTLMin: formatDuration(config.sessionTtlMinMs),
    Services: config.services.map(({ service }) => service.id),
    ServerMode: config.server,
    SkipLeaveOnInt: config.skipLeaveOnInterrupt,
    StartJoinAddrsLAN: config.startJoin,
    Version: releaseText(config.release),
    Watches: config.watches.map(({ subject }) => subject.type),
  }
}

function portsPart({ ports, cliRpc }: Pick<AgentConfig, 'ports' | 'cliRpc'>): Flat {
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

/** Reference: configuration.md#connect-keys, configuration.md#port-sidecar. */
function meshPart({ mesh, sidecarPorts }: Pick<AgentConfig, 'mesh' | 'sidecarPorts'>): Flat {
  const shown = Object.entries(mesh.options).map(([option, value]) => [
    option,
    secretOptions.has(option) && value !== '' ? 'hidden' : String(value),
  ])
  return {
    ConnectCAConfig: Object.fromEntries([...shown, ['ClusterID', mesh.clusterId]]),
    ConnectCAProvider: mesh.provider,
    ConnectEnabled: mesh.enabled,
    ConnectClockSkew: formatDuration(mesh.skewMs ?? 0),
    ConnectFederation: mesh.federates ?? true,
    ConnectDNSDomain: mesh.dnsDomain,
    ConnectSidecarMaxPort: sidecarPorts.max,
    ConnectSidecarMinPort: sidecarPorts.min,
  }
}

/** Proxies that the agent runs itself, of old. */
function managedPart(managed: AgentConfig['managedProxies']): Flat {
  return {
    ConnectProxyAllowManagedAPIRegistration: managed.viaApi,
    ConnectProxyAllowManagedRoot: managed.asRoot,
    ConnectProxyBindMaxPort: managed.ports.max,
    ConnectProxyBindMinPort: managed.ports.min,
    ConnectProxyDefaultConfig: settingsWithoutSecrets(managed.config),
    ConnectProxyDefaultDaemonCommand: managed.daemonCommand,
    ConnectProxyDefaultExecMode: managed.execMode,
  }
}

const secretOptions: ReadonlySet<string> = new Set(['PrivateKey', 'Token', 'KeyFile'])

function logPart(log: LogPlaces): Flat {
  return {
    LogFile: log.file,
    LogJSON: log.json,
    LogRotateBytes: log.rotateBytes,
    LogRotateDuration: formatDuration(log.rotateMs),
    LogRotateMaxFiles: log.oldFilesMax,
  }
}

function syslogPart(syslog: SyslogSettings | undefined): Flat {
  const to = syslog?.to
  return {
    EnableSyslog: syslog !== undefined,
    SyslogFacility: facilityName(syslog?.facility),
    SyslogAddress: to?.kind === 'udp' ? endpointText(to.at) : (to?.path ?? ''),
  }
}

function checksPart(checks: ChecksConfig): Flat {
  return {
    CheckUpdateInterval: formatDuration(checks.updateIntervalMs),
    ContainerRuntime: checks.containerRuntime,
    DiscardCheckOutput: checks.discardOutput,
    EnableAgentTLSForChecks: checks.agentTls,
    EnableLocalScriptChecks: checks.localScripts,
    EnableRemoteScriptChecks: checks.remoteScripts,
  }
}

function raftPart(raft: RaftConfig): Flat {
  return {
    RaftElectionTimeout: formatDuration(raft.electionTimeoutMs),
    RaftHeartbeatTimeout: formatDuration(raft.heartbeatTimeoutMs),
    RaftLeaderLeaseTimeout: formatDuration(raft.leaderLeaseMs),
    RaftProtocol: raft.protocol,
    RaftSnapshotInterval: formatDuration(raft.snapshotIntervalMs),
    RaftSnapshotThreshold: raft.snapshotThreshold,
    RaftTrailingLogs: raft.trailingLogs,
  }
}

function accessPart(access: AccessSettings): Flat {
  const hidden = (token: string): string => (token === '' ? '' : 'hidden')
  return {
    ACLAgentMasterToken: hidden(access.tokens.agentMaster),
    ACLAgentToken: hidden(access.tokens.agent),
    ACLDefaultPolicy: access.defaultPolicy,
    ACLDownPolicy: access.downPolicy,
    ACLEnableKeyListPolicy: access.keyListPolicy,
    ACLEnforceVersion8: access.enforceVersion8,
    ACLMasterToken: hidden(access.tokens.master),
    ACLPolicyTTL: formatDuration(access.policyTtlMs),
    ACLReportOnly: access.reportOnly,
    ACLReplicationToken: hidden(access.tokens.replication),
    ACLToken: hidden(access.tokens.default),
    ACLTokenReplication: access.tokenReplication,
    ACLTokenTTL: formatDuration(access.tokenTtlMs),
    ACLsEnabled: access.enabled,
    PrimaryDatacenter: access.primaryDatacenter,
  }
}

function autopilotPart(autopilot: AutopilotConfig): Flat {
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

function tlsPart(tls: TlsSettings): Flat {
  return {
    CAFile: tls.authorities ?? '',
    CAPath: tls.authoritiesPath ?? '',
    CertFile: tls.certificate ?? '',
    KeyFile: tls.privateKey ?? '',
    TLSCipherSuites: tls.cipherSuites ?? [],
    TLSDomain: tls.domain,
    TLSMinVersion: tls.minVersion,
    TLSPreferServerCipherSuites: tls.preferOwnOrder,
    ServerName: tls.serverName ?? '',
    VerifyIncoming: tls.verifyIncomingHttps && tls.verifyIncomingRpc,
    VerifyIncomingHTTPS: tls.verifyIncomingHttps,
    VerifyIncomingRPC: tls.verifyIncomingRpc,
    VerifyOutgoing: tls.verifyOutgoing,
    VerifyServerHostname: tls.verifyServerHostname,
  }
}

function httpPart(http: HttpConfig): Flat {
  return {
    Aliases: http.aliases,
    DisableHTTPUnprintableCharFilter: http.allowUnprintableCharacters,
    EnableUI: http.ui.kind !== 'off',
    HTTPBlockEndpoints: http.blockEndpoints,
    HTTPPretty: http.pretty,
    HTTPResponseHeaders: http.responseHeaders,
    UIDir: http.ui.kind === 'directory' ? http.ui.path : '',
  }
}

function socketPart({ user = '', group, mode }: SocketAccess): Flat {
  return {
    UnixSocketGroup: group === undefined ? '' : String(group),
    UnixSocketMode: mode === undefined ? '' : `0${mode.toString(8)}`,
    UnixSocketUser: user,
  }
}

function telemetryPart(telemetry: TelemetryConfig): Flat {
  const at = (endpoint: Endpoint | undefined): string => (endpoint === undefined ? '' : endpointText(endpoint))
  return {
    TelemetryAllowedPrefixes: telemetry.filter.allowed,
    TelemetryBlockedPrefixes: telemetry.filter.blocked,
    TelemetryDisableHostname: telemetry.disableHostname,
    TelemetryDogstatsdAddr: at(telemetry.dogstatsd),
    TelemetryDogstatsdTags: telemetry.dogstatsdTags,
    TelemetryFilterDefault: telemetry.filter.otherwise,
    TelemetryMetricsPrefix: telemetry.prefix,
    TelemetryMetricNames: telemetry.names,
    TelemetryPrometheusRetentionTime: formatDuration(telemetry.prometheusRetentionMs),
    TelemetryStatsdAddr: at(telemetry.statsd),
    TelemetryStatsiteAddr: at(telemetry.statsite),
  }
}

function poolPart(pool: PoolConfig): Flat {
  return {
    DisableCoordinates: !pool.keepsCoordinate,
    DisableKeyringFile: !pool.keepsKeyring,
    EncryptKey: pool.encrypt === undefined ? '' : 'hidden',
    EncryptVerifyIncoming: pool.verifyIncoming,
    EncryptVerifyOutgoing: pool.verifyOutgoing,
    RPCProtocol: pool.protocol,
    RejoinAfterLeave: pool.rejoinAfterLeave,
  }
}

type Flat = { readonly [key: string]: Json }

function dnsPart(dns: DnsConfig): Flat {
  return {
    DNSAllowStale: dns.allowStale,
    DNSARecordLimit: dns.aRecordLimit,
    DNSDisableCompression: dns.disableCompression,
    DNSDomain: dns.domains[0] ?? '',
    DNSDomains: dns.domains,
    DNSEnableTruncate: dns.enableTruncate,
    DNSMaxStale: formatDuration(dns.maxStaleMs),
    DNSNodeMetaTXT: dns.additionalMetaTxt,
    DNSNodeTTL: formatDuration(dns.nodeTtlS * 1000),
    DNSOnlyPassing: dns.onlyPassing,
    DNSRecursorTimeout: formatDuration(dns.recursorTimeoutMs),
    DNSRecursors: dns.recursors.map(endpointText),
    DNSServiceTTL: Object.fromEntries(dns.serviceTtlS.map(([name, s]) => [name, formatDuration(s * 1000)])),
    DNSSOA: {
      Expire: dns.soa.expireS,
      Minttl: dns.soa.minTtlS,
      Refresh: dns.soa.refreshS,
      Retry: dns.soa.retryS,
    },
    DNSEDNSSizes: dns.ednsSizes,
    DNSUDPAnswerLimit: dns.udpAnswerLimit,
  }
}

function gossipPart(pool: 'LAN' | 'WAN', timing: GossipTiming): Flat {
  return {
    [`Gossip${pool}GossipToDead`]: formatDuration(timing.gossipToDeadMs),
    [`Gossip${pool}GossipInterval`]: formatDuration(timing.gossipIntervalMs),
    [`Gossip${pool}GossipNodes`]: timing.gossipNodes,
    [`Gossip${pool}ProbeInterval`]: formatDuration(timing.probeIntervalMs),
    [`Gossip${pool}ProbeTimeout`]: formatDuration(timing.probeTimeoutMs),
    [`Gossip${pool}PushPullInterval`]: formatDuration(timing.pushPullIntervalMs),
    [`Gossip${pool}ReapInterval`]: formatDuration(timing.reapIntervalMs),
    [`Gossip${pool}ReconnectInterval`]: formatDuration(timing.reconnectIntervalMs),
    [`Gossip${pool}RetransmitMult`]: timing.retransmitMult,
    [`Gossip${pool}StreamTimeout`]: formatDuration(timing.streamTimeoutMs),
    [`Gossip${pool}SuspicionMult`]: timing.suspicionMult,
    [`Gossip${pool}TombstoneTimeout`]: formatDuration(timing.tombstoneTimeoutMs),
  }
}

function wanPart(wan: WanConfig): Flat {
  return {
    AdvertiseAddrWAN: wan.advertiseAddress,
    LeavePropagateDelayWAN: formatDuration(wan.gossip.leavePropagateDelayMs),
    ReconnectTimeoutWAN: formatDuration(wan.gossip.reconnectTimeoutMs),
    RetryJoinIntervalWAN: formatDuration(wan.retryIntervalMs),
    RetryJoinMaxAttemptsWAN: wan.retryMax,
    RetryJoinWAN: wan.retryJoin.map(joinWithoutSecrets),
    SerfBindAddrWAN: wan.bindAddress,
    StartJoinAddrsWAN: wan.startJoin,
    TranslateWANAddrs: wan.translatesAddresses,
  }
}
