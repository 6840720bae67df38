import type { SocketAccess } from '../../env/http.ts'
import type { Endpoint } from '../../env/net.ts'
import type { MeshSettings } from '../../features/contract/mesh.ts'
import type { GossipTiming, PoolLimits } from '../../gossip/pool.ts'
import type { CheckDefinition, ServiceDefinition } from '../../model/catalog.ts'
import type { KeyCare } from '../../model/limits.ts'
import type { Naming } from '../../model/naming/naming.ts'
import type { Release } from '../../model/release.ts'
import type { RaftLimits } from '../../raft/core/options.ts'
import type { AccessSettings } from './access-settings.ts'
import type { HttpConfig } from './http-settings.ts'
import type { LogSettings } from './log-settings.ts'
import type { ManagedSettings, SidecarPorts } from './proxy-settings.ts'
import type { TelemetryConfig } from './telemetry-settings.ts'
import type { TlsSettings } from './tls-settings.ts'
import type { WatchDefinition } from './watch-settings.ts'

/**
 * The effective configuration of one agent: typed, complete, every default applied, durations in milliseconds. Only
 * `config/` makes one from files and flags, and `defaultAgentConfig` gives the defaults to begin from.
 */
export interface AgentConfig extends LogSettings {
  /** The product's names in everything that the agent shows and reads. */
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
  /** Whether the agent runs common requests on a scratch agent after its start, while it is idle. */
  readonly warmsUp: boolean
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
  /** Profiles of the process can be fetched where access control is off. */
  readonly isDebugged: boolean
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
  /** Limits of gossip that no configuration file has. Absent, or of one: those of production. */
  readonly limits?: Partial<PoolLimits>
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
  /** How soon a follower that hears its leader regularly believes that it is lost. */
  readonly detection: 'adaptive' | 'fixed'
  readonly snapshotThreshold: number
  readonly snapshotIntervalMs: number
  /** Entries kept in the log before a snapshot, for followers that lag a little. */
  readonly trailingLogs: number
  /** Limits that differ from production's, for the simulator: no setting changes them. */
  readonly limits?: Partial<RaftLimits>
  /** Size of a segment of the log where it differs from production's, for the simulator, too. */
  readonly logSegmentBytes?: number
  /** Size of the log in memory beyond which a snapshot is taken at once, likewise. */
  readonly logBytesMax?: number
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
