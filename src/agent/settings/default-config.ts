import { defaultMesh } from '../../features/contract/mesh.ts'
import { sessionTtlMinMs } from '../../model/limits.ts'
import { defaultDomain, serversService } from '../../model/naming/names.ts'
import { type Naming, svcNaming } from '../../model/naming/naming.ts'
import {
  internalProtocolsOf,
  newestRelease,
  type Release,
  settingDefaultsOf,
  snapshotDefaultsOf,
} from '../../model/release.ts'
import { defaultAccess } from './access-settings.ts'
import type {
  AgentConfig,
  AutopilotConfig,
  ChecksConfig,
  DnsConfig,
  PoolConfig,
  RaftConfig,
  WanConfig,
} from './agent-config.ts'
import { lanGossip, wanGossip } from './gossip-timing.ts'
import { defaultHttp } from './http-settings.ts'
import { defaultLog, type LogSettings } from './log-settings.ts'
import { defaultManagedSettings, defaultSidecarPorts } from './proxy-settings.ts'
import { defaultTelemetry } from './telemetry-settings.ts'
import { defaultTls } from './tls-settings.ts'

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
      detection: 'adaptive',
      snapshotThreshold,
      snapshotIntervalMs,
      trailingLogs: 10_240,
    },
    rpcHoldTimeoutMs: 7_000,
    leaveDrainMs: 5_000,
    warmsUp: false,
    sessionTtlMinMs,
    leaveOnTerminate: past.leaveOnTerminate,
    skipLeaveOnInterrupt: past.skipLeaveOnInterrupt,
    autopilot: defaultAutopilot,
    access: { ...defaultAccess, enforceVersion8: past.enforceVersion8 },
    limits: { perSecond: undefined, burst: 1_000 },
    discoveryMaxStaleMs: 0,
    remoteExec: !past.disableRemoteExec,
    isDebugged: false,
    dns: { ...namedDns(naming), allowStale: past.dnsAllowStale, maxStaleMs: past.dnsMaxStaleMs },
    services: [],
    watches: [],
    checks: [],
    sidecarPorts: defaultSidecarPorts,
    managedProxies: defaultManagedSettings,
    checksConfig: defaultChecks,
    nodeMeta: {},
  }
}
