import type { Json } from '../../base/json.ts'
import type { SocketAccess } from '../../env/http.ts'
import type { Endpoint } from '../../env/net.ts'
import { defaultMesh, type MeshSettings } from '../../features/contract/mesh.ts'
import type { GossipTiming } from '../../gossip/pool.ts'
import type { CheckDefinition, ServiceDefinition } from '../../model/catalog.ts'
import { type KeyCare, sessionTtlMinMs } from '../../model/limits.ts'
import { defaultDomain, serversService } from '../../model/naming/names.ts'
import { type Naming, svcNaming } from '../../model/naming/naming.ts'
import {
  internalProtocolsOf,
  newestRelease,
  type Release,
  settingDefaultsOf,
  snapshotDefaultsOf,
} from '../../model/release.ts'
import type { RaftLimits } from '../../raft/core/types.ts'
import { type AccessSettings, defaultAccess } from './access-settings.ts'
import { lanGossip, wanGossip } from './gossip-timing.ts'
import { defaultHttp, type HttpConfig } from './http-settings.ts'
import { defaultLog, type LogSettings } from './log-settings.ts'
import {
  defaultManagedSettings,
  defaultSidecarPorts,
  type ManagedSettings,
  type SidecarPorts,
} from './proxy-settings.ts'
import { defaultTelemetry, type TelemetryConfig } from './telemetry-settings.ts'
import { defaultTls, type TlsSettings } from './tls-settings.ts'
import type { WatchDefinition } from './watch-settings.ts'

/**
 * The effective configuration of one agent: typed, complete, every default applied, durations in milliseconds. Only
 * `config/` makes one from files and flags, and `defaultAgentConfig` gives the defaults to begin from.
 */
export interface AgentConfig extends LogSettings {
  /** What the product is called in all that the agent shows and reads. */
  readonly naming: Naming
  /** The release that the agent runs as: the newest, except in simulated clusters of several releases. */
  readonly release: Release
  readonly nodeName: string
  /** A UUID; undefined: read from the data directory, or generated. */
  readonly nodeId: string | undefined
  readonly datacenter: string
  readonly server: boolean
  /** Nothing on disk, short timings, a cluster of its own. */
  readonly dev: boolean
  /** Forms a cluster of this server alone. */
  readonly bootstrap: boolean
  /** Forms the cluster once this many servers know each other; 0: never. */
  readonly bootstrapExpect: number
  /** For this start: gives up entries that the log has lost by damage, if no other server votes. */
  readonly acceptLostLog: boolean
  readonly dataDir: string | undefined
  readonly bindAddress: string
  /** Listen address of the LAN pool; the bind address unless configured otherwise. */
  readonly serfLanBindAddress: string
  readonly advertiseAddress: string
  /** Listen addresses of the HTTP API: addresses, or `unix://` and a path. */
  readonly clientAddresses: readonly string[]
  /** Listen addresses with TLS, if its port is open. */
  readonly httpsAddresses: readonly string[]
  readonly tls: TlsSettings
  /** Permissions of the Unix sockets. */
  readonly unixSockets: SocketAccess
  /** Listen addresses of DNS; those of HTTP unless configured otherwise. */
  readonly dnsAddresses: readonly string[]
  readonly ports: AgentPorts
  /** The port of the command line, which releases before 0.8.0 have; -1: closed. */
  readonly cliRpc: { readonly port: number; readonly addresses: readonly string[] }
  /** `host:port` where other agents gossip; tried once, and the agent does not start if none answers. */
  readonly startJoin: readonly string[]
  /** The same, tried until one answers. */
  readonly retryJoin: readonly string[]
  readonly retryIntervalMs: number
  /** Attempts after the first; 0: for ever. */
  readonly retryMax: number
  readonly gossipLan: GossipTiming
  readonly wan: WanConfig
  readonly pool: PoolConfig
  readonly raft: RaftConfig
  /** How long a request is held while there is no leader. */
  readonly rpcHoldTimeoutMs: number
  /** How long a leaving server keeps answering, so that others notice that it left. */
  readonly leaveDrainMs: number
  /** Minimum TTL of sessions. */
  readonly sessionTtlMinMs: number
  /** Figures that differ from production's, for the simulator: no setting changes them. */
  readonly keyCare?: KeyCare
  readonly leaveOnTerminate: boolean
  readonly skipLeaveOnInterrupt: boolean
  readonly autopilot: AutopilotConfig
  readonly access: AccessSettings
  readonly limits: RequestLimits
  readonly http: HttpConfig
  /** Reads of catalog and health are stale by default, with at most this staleness; 0: they are not. */
  readonly discoveryMaxStaleMs: number
  /** Whether `svc exec` may run commands here. */
  readonly remoteExec: boolean
  readonly dns: DnsConfig
  readonly mesh: MeshSettings
  readonly telemetry: TelemetryConfig
  /** Services and checks from configuration files: never stored on disk, replaced at reload. */
  readonly services: readonly ServiceDefinition[]
  readonly checks: readonly CheckDefinition[]
  readonly sidecarPorts: SidecarPorts
  readonly managedProxies: ManagedSettings
  readonly checksConfig: ChecksConfig
  readonly watches: readonly WatchDefinition[]
  readonly nodeMeta: Readonly<Record<string, string>>
  /** The configuration as `/v1/agent/self` shows it under DebugConfig: flat, secrets hidden. */
  readonly debug: { readonly [key: string]: Json }
}

/**
 * Settings of a server in the pool of the servers of all datacenters; its port is `ports.serfWan`. Reference:
 * configuration.md#key-advertise_addr_wan, configuration.md#key-start_join, configuration.md#key-retry_join,
 * configuration.md#port-server-serf.
 */
export interface WanConfig {
  readonly bindAddress: string
  readonly advertiseAddress: string
  readonly startJoin: readonly string[]
  readonly retryJoin: readonly string[]
  readonly retryIntervalMs: number
  readonly retryMax: number
  readonly gossip: GossipTiming
  /** Answers about nodes of another datacenter contain addresses that can be reached from here. */
  readonly translatesAddresses: boolean
}

/**
 * Settings of this agent in its pool. Reference: configuration.md#key-encrypt, configuration.md#key-rejoin_after_leave,
 * configuration.md#key-protocol.
 */
export interface PoolConfig {
  /** A key in base64; undefined: only stored keys are used, and without one gossip is not encrypted. */
  readonly encrypt: string | undefined
  /** Turned off, one by one, only while a pool is being moved to encryption. */
  readonly verifyIncoming: boolean
  readonly verifyOutgoing: boolean
  /** Keys are stored in the data directory. */
  readonly keepsKeyring: boolean
  /** Rejoins at its start the members that it knew before, even if it had left. */
  readonly rejoinAfterLeave: boolean
  /** Computes a network coordinate from round-trip times. */
  readonly keepsCoordinate: boolean
  /** Version of the protocol between agents that this one speaks. */
  readonly protocol: number
  /** First incarnation number; no configuration file has it. Absent: 0. */
  readonly firstIncarnation?: number
}

/** A port of -1 is closed. */
export interface AgentPorts {
  readonly http: number
  readonly https: number
  readonly dns: number
  readonly grpc: number
  readonly server: number
  readonly serfLan: number
  readonly serfWan: number
}

export interface RaftConfig {
  readonly protocol: number
  readonly heartbeatTimeoutMs: number
  readonly electionTimeoutMs: number
  readonly leaderLeaseMs: number
  readonly snapshotThreshold: number
  readonly snapshotIntervalMs: number
  /** Entries kept in the log before a snapshot, for followers that lag a little. */
  readonly trailingLogs: number
  /** Limits that differ from production's, for the simulator: no setting changes them. */
  readonly limits?: Partial<RaftLimits>
}

/** Limits on requests of a client agent to servers. */
export interface RequestLimits {
  /** Undefined: no limit. */
  readonly perSecond: number | undefined
  readonly burst: number
}

export interface AutopilotConfig {
  /** A new server gets a vote when it has been healthy for this long. */
  readonly serverStabilizationMs: number
  readonly lastContactThresholdMs: number
  readonly maxTrailingLogs: number
  /** Removes failed servers from the Raft configuration when there are enough others. */
  readonly cleanUpDeadServers: boolean
  /** A removal leaves at least this many voters. */
  readonly minQuorum: number
}

/** TTLs are in whole seconds. Reference: configuration.md#dns-keys, dns.md#ttl, dns.md#consistency. */
export interface DnsConfig {
  /** The own domain first, then its aliases; lower case, with the final dot: `svc.`. */
  readonly domains: readonly string[]
  /** The service of the servers, which has each alias of the domain as a name, too. */
  readonly serversService: string
  readonly allowStale: boolean
  readonly maxStaleMs: number
  readonly nodeTtlS: number
  /** By service name; a name may end in `*`, and `*` alone is every service. */
  readonly serviceTtlS: readonly (readonly [service: string, seconds: number])[]
  readonly onlyPassing: boolean
  readonly enableTruncate: boolean
  readonly udpAnswerLimit: number
  /** 0: no limit. */
  readonly aRecordLimit: number
  readonly disableCompression: boolean
  /** Whether the UDP size that a client announces (EDNS) is used. */
  readonly ednsSizes: boolean
  /** Adds a node's metadata to answers of other types, too. */
  readonly additionalMetaTxt: boolean
  /** Servers for names outside the own domains, in this order. */
  readonly recursors: readonly Endpoint[]
  /** Timeout for each of them. */
  readonly recursorTimeoutMs: number
  readonly soa: {
    readonly refreshS: number
    readonly retryS: number
    readonly expireS: number
    readonly minTtlS: number
  }
}

export interface ChecksConfig {
  /** Script checks may be registered over the HTTP API. */
  readonly remoteScripts: boolean
  /** Script checks may be defined in configuration files. */
  readonly localScripts: boolean
  /** Address of the container runtime: `unix://` and the path of its socket. */
  readonly containerRuntime: string
  /** A change of a check's output alone is synced after this; 0: at once. */
  readonly updateIntervalMs: number
  readonly discardOutput: boolean
  /** Checks over HTTP and gRPC trust the agent's authorities, and present its certificate. */
  readonly agentTls: boolean
}

/** Raft timing at a multiplier from 1 to 10. Reference: configuration.md#performance, configuration.md#raft-timers. */
export function raftTiming(
  multiplier: number,
): Pick<RaftConfig, 'heartbeatTimeoutMs' | 'electionTimeoutMs' | 'leaderLeaseMs'> {
  return {
    heartbeatTimeoutMs: 1000 * multiplier,
    electionTimeoutMs: 1000 * multiplier,
    leaderLeaseMs: 500 * multiplier,
  }
}

/** Raft timing of `-dev`: a leader in well under a second. */
export const devRaftTiming = { heartbeatTimeoutMs: 35, electionTimeoutMs: 52, leaderLeaseMs: 20 } as const

const defaultFaces = {
  clientAddresses: ['127.0.0.1'],
  httpsAddresses: ['127.0.0.1'],
  dnsAddresses: ['127.0.0.1'],
  unixSockets: {},
} as const

const defaultPool: Omit<PoolConfig, 'protocol'> = {
  encrypt: undefined,
  verifyIncoming: true,
  verifyOutgoing: true,
  keepsKeyring: true,
  rejoinAfterLeave: false,
  keepsCoordinate: true,
}

const defaultDns: Omit<DnsConfig, 'domains' | 'serversService'> = {
  allowStale: true,
  maxStaleMs: 87_600 * 3_600_000,
  nodeTtlS: 0,
  serviceTtlS: [],
  onlyPassing: false,
  enableTruncate: false,
  udpAnswerLimit: 3,
  aRecordLimit: 0,
  disableCompression: false,
  ednsSizes: true,
  additionalMetaTxt: true,
  recursors: [],
  recursorTimeoutMs: 2_000,
  soa: { refreshS: 3_600, retryS: 600, expireS: 86_400, minTtlS: 0 },
}

const defaultChecks: ChecksConfig = {
  remoteScripts: false,
  localScripts: false,
  containerRuntime: 'unix:///var/run/docker.sock',
  updateIntervalMs: 300_000,
  discardOutput: false,
  agentTls: false,
}

const defaultAutopilot: AutopilotConfig = {
  serverStabilizationMs: 10_000,
  lastContactThresholdMs: 200,
  maxTrailingLogs: 250,
  cleanUpDeadServers: true,
  minQuorum: 0,
}

function defaultWan(address: string): WanConfig {
  return {
    bindAddress: address,
    advertiseAddress: address,
    startJoin: [],
    retryJoin: [],
    retryIntervalMs: 30_000,
    retryMax: 0,
    gossip: wanGossip,
    translatesAddresses: false,
  }
}

type NamedPart = 'naming' | 'tls' | 'http' | 'telemetry' | 'mesh' | keyof LogSettings

/** The parts that carry the product's name. */
function namedDefaults(naming: Naming): Pick<AgentConfig, NamedPart> {
  return {
    naming,
    tls: { ...defaultTls, domain: defaultDomain(naming) },
    http: { ...defaultHttp, naming, aliases: naming.aliases },
    telemetry: { ...defaultTelemetry, prefix: naming.name, product: naming.name },
    mesh: defaultMesh(naming),
    ...defaultLog,
    log: { ...defaultLog.log, product: naming.name },
  }
}

function namedDns(naming: Naming): DnsConfig {
  const domains = [defaultDomain(naming), ...naming.aliases].map((name) => `${name}.`)
  return { ...defaultDns, domains, serversService: serversService(naming) }
}

/**
 * The settings of an agent without any configuration. `nodeName` and the addresses have no default here: they come from
 * the machine.
 */
export function defaultAgentConfig(
  nodeName: string,
  address: string,
  release: Release = newestRelease,
  naming: Naming = svcNaming,
): AgentConfig {
  const past = settingDefaultsOf(release, false)
  const { threshold: snapshotThreshold, intervalMs: snapshotIntervalMs } = snapshotDefaultsOf(release)
  return {
    ...namedDefaults(naming),
    release,
    nodeName,
    nodeId: undefined,
    datacenter: 'dc1',
    server: false,
    dev: false,
    bootstrap: false,
    bootstrapExpect: 0,
    acceptLostLog: false,
    dataDir: undefined,
    bindAddress: address,
    serfLanBindAddress: address,
    advertiseAddress: address,
    ...defaultFaces,
    ports: { http: 8500, https: -1, dns: 8600, grpc: -1, server: 8300, serfLan: 8301, serfWan: 8302 },
    cliRpc: { port: settingDefaultsOf(release, false).cliRpcPort, addresses: [] },
    startJoin: [],
    retryJoin: [],
    retryIntervalMs: 30_000,
    retryMax: 0,
    gossipLan: lanGossip,
    wan: defaultWan(address),
    pool: { ...defaultPool, protocol: internalProtocolsOf(release).spoken },
    raft: {
      protocol: past.raftProtocol,
      ...raftTiming(past.raftMultiplier),
      snapshotThreshold,
      snapshotIntervalMs,
      trailingLogs: 10_240,
    },
    rpcHoldTimeoutMs: 7_000,
    leaveDrainMs: 5_000,
    sessionTtlMinMs,
    leaveOnTerminate: past.leaveOnTerminate,
    skipLeaveOnInterrupt: past.skipLeaveOnInterrupt,
    autopilot: defaultAutopilot,
    access: { ...defaultAccess, enforceVersion8: past.enforceVersion8 },
    limits: { perSecond: undefined, burst: 1_000 },
    discoveryMaxStaleMs: 0,
    remoteExec: !past.disableRemoteExec,
    dns: { ...namedDns(naming), allowStale: past.dnsAllowStale, maxStaleMs: past.dnsMaxStaleMs },
    services: [],
    watches: [],
    checks: [],
    sidecarPorts: defaultSidecarPorts,
    managedProxies: defaultManagedSettings,
    checksConfig: defaultChecks,
    nodeMeta: {},
    debug: {},
  }
}
