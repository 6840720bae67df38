import { type AgentConfig, defaultAgentConfig, devRaftTiming, raftTiming } from '../agent/settings/agent-config.ts'
import { devGossip, devWanGossip, lanGossip, wanGossip } from '../agent/settings/gossip-timing.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Machine } from '../env/process.ts'
import { keyFrom } from '../gossip/keyring.ts'
import type { GossipTiming } from '../gossip/pool.ts'
import { productName } from '../model/names.ts'
import { hasBehaviour, newestRelease, type Release, settingDefaultsOf } from '../model/release.ts'
import { debugConfig } from './debug.ts'
import { type DefinitionSource, type Definitions, definitionSources, readDefinitions } from './definitions.ts'
import { accessOf, accessWarnings } from './parts/access.ts'
import { advertiseWan, bindAddress } from './parts/addresses.ts'
import { checkConnect, connectWarnings, managedOf, meshOf } from './parts/connect.ts'
import { dnsConfig } from './parts/dns.ts'
import { type Join, joinReader } from './parts/joins.ts'
import { checkAddressClash, listenAddresses, portsOf, serfBind } from './parts/network.ts'
import { syslogOf } from './parts/syslog.ts'
import { filterWarnings, telemetryOf } from './parts/telemetry.ts'
import { socketAccessOf, tlsOf } from './parts/tls.ts'
import { checkInterval, milliseconds, type Report } from './parts/values.ts'
import { watchesOf } from './parts/watches.ts'
import { accessContradictions } from './past/access-contradictions.ts'
import type { ConfigProblem } from './problem.ts'
import {
  checkCounts,
  checkNames,
  checkRaft,
  checkRoles,
  logLevelOf,
  logPlacesOf,
  nodeMetaOf,
  warningsOf,
} from './rules.ts'
import type { FileConfig } from './schema.ts'
import { withAddresses } from './sources/expand.ts'
import { waitingKeys } from './waiting.ts'

export interface Normalized {
  readonly config: AgentConfig
  /** The merged sources that it was made from. */
  readonly file: FileConfig
  /** Printed before the agent starts. */
  readonly warnings: readonly string[]
  /** Those of them about keys that have no effect. */
  readonly unheeded: readonly string[]
}

/**
 * The only maker of an `AgentConfig` from written configuration: applies defaults, converts units, and checks what a
 * schema of single fields cannot. `sources`: the definitions of services and checks, if they were removed from
 * `written` to keep their places. `release`: the release that the agent runs as. `placeOf`: the place of a key. The
 * texts are the field's. Reference: configuration.md#top-level-keys.
 */
export function normalize(
  written: FileConfig,
  dev: boolean,
  machine: Machine,
  sources: readonly DefinitionSource[] = definitionSources(written, () => 'config'),
  release: Release = newestRelease,
  placeOf: (path: readonly string[]) => string = () => 'config',
): Result<Normalized, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = []
  const problem: Report = (message, remedy, key, others = []) => {
    const restsOn = key === undefined ? others : [key, ...others]
    problems.push({ place: placeOf(key?.split('.') ?? []), message, remedy, restsOn })
  }
  const file = withAddresses(written, machine, problem)
  const waiting = [
    ...waitingKeys(file, problem, placeOf),
    ...connectWarnings(file),
    ...accessContradictions(file, placeOf),
  ]
  const found = bindAddress(file, dev, machine, release)
  if (!found.ok) problem(...found.error)
  // Without an address nothing starts; with some address everything else is looked at all the same.
  const address = found.ok ? found.value : { bind: '127.0.0.1', advertise: '127.0.0.1' }
  const defaults = defaultAgentConfig((file.node_name ?? machine.hostName).trim(), address.advertise, release)
  const remoteScripts = file.enable_script_checks ?? settingDefaultsOf(release, false).enableScriptChecks
  const scripts = file.enable_local_script_checks ?? remoteScripts
  const passedOver: string[] = []
  const join = joinReader(file, problem, (key, message) => passedOver.push(`${placeOf([key])}: ${message}`))
  const { definitions, warnings: ofDefinitions } = definitionsOf(sources, scripts, release)
  if (!definitions.ok) problems.push(...definitions.error)
  const network = networkOf(file, dev, defaults, { bind: address.bind, join }, problem)
  const dns = dnsConfig(file, file.aliases ?? defaults.http.aliases, defaults.dns, problem, release)
  const config: AgentConfig = {
    ...defaults,
    ...identityOf(file, dev, defaults, problem),
    ...network,
    wan: wanOf(file, dev, { ...address, port: network.ports.serfWan, join }, problem),
    ...timingOf(file, dev, defaults, problem),
    ...(definitions.ok ? definitions.value : noDefinitions),
    sidecarPorts: sidecarPortsOf(file, defaults),
    managedProxies: managedOf(file, defaults.managedProxies),
    pool: poolOf(file, dev, defaults, problem),
    limits: limitsOf(file, defaults),
    access: accessOf(file, defaults.access, problem),
    watches: watchesOf(file.watches, problem),
    telemetry: telemetryOf(file, defaults.telemetry, problem, release),
    http: httpOf(file, dev, defaults),
    discoveryMaxStaleMs: milliseconds(file.discovery_max_stale, defaults.discoveryMaxStaleMs),
    remoteExec: file.disable_remote_exec === undefined ? defaults.remoteExec : !file.disable_remote_exec,
    dns,
    mesh: meshOf(file, dev, defaults, dns.domains[0]?.slice(0, -1) ?? productName),
    checksConfig: checksOf(file, { remoteScripts, localScripts: scripts }, defaults.checksConfig),
    log: logPlacesOf(file, defaults.log),
    syslog: syslogOf(file, problem),
    pidFile: file.pid_file ?? defaults.pidFile,
    logLevel: logLevelOf(file, dev, problem),
  }
  checkCounts(file, release, problem)
  checkConnect(file, problem)
  checkAddressClash(config, file, problem)
  if (problems.length > 0) return err(problems)
  const warnings = [
    ...waiting,
    ...accessWarnings(file),
    ...warningsOf(config, file),
    ...filterWarnings(file),
    ...ofDefinitions,
    ...passedOver,
  ]
  return ok({ config: { ...config, debug: debugConfig(config) }, file: written, warnings, unheeded: waiting })
}

function sidecarPortsOf({ ports }: FileConfig, defaults: AgentConfig): AgentConfig['sidecarPorts'] {
  const { min, max } = defaults.sidecarPorts
  return { min: ports?.sidecar_min_port ?? min, max: ports?.sidecar_max_port ?? max }
}

function checksOf(
  file: FileConfig,
  scripts: Pick<AgentConfig['checksConfig'], 'remoteScripts' | 'localScripts'>,
  defaults: AgentConfig['checksConfig'],
): AgentConfig['checksConfig'] {
  return {
    ...scripts,
    containerRuntime: defaults.containerRuntime,
    updateIntervalMs: milliseconds(file.check_update_interval, defaults.updateIntervalMs),
    discardOutput: file.discard_check_output ?? false,
    agentTls: file.enable_agent_tls_for_checks ?? false,
  }
}

/** The valid definitions; others are dropped with a warning. */
function definitionsOf(
  sources: readonly DefinitionSource[],
  scripts: boolean,
  release: Release,
): { readonly definitions: ReturnType<typeof readDefinitions>; readonly warnings: readonly string[] } {
  const skipped: ConfigProblem[] = []
  const replaced: ConfigProblem[] = []
  const refusing = hasBehaviour(release, 'invalid-checks-refused')
  const reading = { scripts, skipped: refusing ? undefined : skipped, replaced, release }
  const definitions = readDefinitions(sources, reading)
  const warnings = [
    ...skipped.map(({ place, message }) => `${place}: a check is left out: ${message}`),
    ...replaced.map(({ place, message }) => `${place}: ${message}`),
  ]
  return { definitions, warnings }
}

const noDefinitions: Definitions = { services: [], checks: [] }

type Part<K extends keyof AgentConfig> = Pick<AgentConfig, K>

/** The identity of the agent, and its role in the cluster. */
function identityOf(
  file: FileConfig,
  dev: boolean,
  defaults: AgentConfig,
  problem: Report,
): Part<
  | 'nodeId'
  | 'datacenter'
  | 'server'
  | 'dev'
  | 'bootstrap'
  | 'bootstrapExpect'
  | 'dataDir'
  | 'leaveOnTerminate'
  | 'skipLeaveOnInterrupt'
  | 'nodeMeta'
> {
  const server = file.server ?? dev
  const past = settingDefaultsOf(defaults.release, server)
  checkNames(file, defaults.nodeName, problem)
  checkRoles(file, dev, server, problem)
  if (!dev && (file.data_dir ?? '') === '')
    problem('data_dir cannot be empty', 'name a directory with -data-dir, or try -dev', 'data_dir')
  return {
    nodeId: file.node_id?.toLowerCase(),
    datacenter: (file.datacenter ?? defaults.datacenter).toLowerCase(),
    server,
    dev,
    bootstrap: (file.bootstrap ?? false) || file.bootstrap_expect === 1 || (dev && server),
    bootstrapExpect: file.bootstrap_expect === 1 ? 0 : (file.bootstrap_expect ?? 0),
    dataDir: dev ? undefined : file.data_dir,
    leaveOnTerminate: file.leave_on_terminate ?? past.leaveOnTerminate,
    skipLeaveOnInterrupt: file.skip_leave_on_interrupt ?? past.skipLeaveOnInterrupt,
    nodeMeta: nodeMetaOf(file, problem),
  }
}

/** Listen addresses, and addresses of other agents. */
function networkOf(
  file: FileConfig,
  dev: boolean,
  defaults: AgentConfig,
  { bind, join }: { readonly bind: string; readonly join: Join },
  problem: Report,
): Part<
  | 'bindAddress'
  | 'serfLanBindAddress'
  | 'clientAddresses'
  | 'httpsAddresses'
  | 'tls'
  | 'unixSockets'
  | 'dnsAddresses'
  | 'ports'
  | 'cliRpc'
  | 'startJoin'
  | 'retryJoin'
  | 'retryIntervalMs'
  | 'retryMax'
> {
  const ports = portsOf(file, file.server ?? dev, defaults.ports, problem)
  const client = file.client_addr ?? '127.0.0.1'
  const listen = (face: 'http' | 'https' | 'dns'): readonly string[] => {
    const own = file.addresses?.[face]
    return own === undefined
      ? listenAddresses('client_addr', client, face === 'http' ? problem : silent)
      : listenAddresses(`addresses.${face}`, own, problem, face !== 'dns')
  }
  return {
    bindAddress: bind,
    serfLanBindAddress: serfBind('serf_lan', file, bind, problem),
    clientAddresses: listen('http'),
    httpsAddresses: listen('https'),
    tls: tlsOf(file, file.server ?? dev, ports.https > 0, problem),
    unixSockets: socketAccessOf(file, problem),
    dnsAddresses: listen('dns'),
    ports,
    cliRpc: cliRpcOf(file, client, defaults, problem),
    startJoin: join('start_join', ports.serfLan),
    retryJoin: join('retry_join', ports.serfLan),
    retryIntervalMs: milliseconds(file.retry_interval, defaults.retryIntervalMs),
    retryMax: file.retry_max ?? 0,
  }
}

/** For releases that have that port. */
function cliRpcOf({ past }: FileConfig, client: string, defaults: AgentConfig, problem: Report): AgentConfig['cliRpc'] {
  const port = past?.cliRpcPort ?? defaults.cliRpc.port
  if (port <= 0) return { port: -1, addresses: [] }
  const { cliRpcAddress: own } = past ?? {}
  const addresses =
    own === undefined ? listenAddresses('client_addr', client, silent) : listenAddresses('addresses.rpc', own, problem)
  return { port, addresses }
}

/** An error in `client_addr` is reported once, for HTTP. */
const silent: Report = () => undefined

/** How fast it is to notice and to act. */
function timingOf(
  file: FileConfig,
  dev: boolean,
  defaults: AgentConfig,
  problem: Report,
): Part<'raft' | 'gossipLan' | 'rpcHoldTimeoutMs' | 'leaveDrainMs' | 'sessionTtlMinMs' | 'autopilot'> {
  checkRaft(file, defaults.release, problem)
  for (const key of ['raft_snapshot_interval', 'retry_interval', 'retry_interval_wan'] as const)
    checkInterval(key, file[key], problem)
  const { autopilot, performance } = file
  return {
    raft: {
      ...defaults.raft,
      ...(dev
        ? devRaftTiming
        : raftTiming(performance?.raft_multiplier ?? settingDefaultsOf(defaults.release, false).raftMultiplier)),
      protocol: file.raft_protocol ?? defaults.raft.protocol,
      snapshotThreshold: file.raft_snapshot_threshold ?? defaults.raft.snapshotThreshold,
      snapshotIntervalMs: milliseconds(file.raft_snapshot_interval, defaults.raft.snapshotIntervalMs),
    },
    gossipLan: gossipOf('gossip_lan', file, dev ? devGossip : lanGossip, problem),
    rpcHoldTimeoutMs: milliseconds(performance?.rpc_hold_timeout, defaults.rpcHoldTimeoutMs),
    leaveDrainMs: milliseconds(performance?.leave_drain_time, defaults.leaveDrainMs),
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

/** Reference: configuration.md#gossip-timing. */
function gossipOf(
  block: 'gossip_lan' | 'gossip_wan',
  file: FileConfig,
  defaults: GossipTiming,
  problem: Report,
): GossipTiming {
  const given = file[block] ?? {}
  const reconnect = block === 'gossip_lan' ? file.reconnect_timeout : file.reconnect_timeout_wan
  for (const key of ['gossip_interval', 'probe_interval', 'probe_timeout'] as const) {
    checkInterval(`${block}.${key}`, given[key], problem)
  }
  return {
    ...defaults,
    gossipIntervalMs: milliseconds(given.gossip_interval, defaults.gossipIntervalMs),
    gossipNodes: given.gossip_nodes ?? defaults.gossipNodes,
    probeIntervalMs: milliseconds(given.probe_interval, defaults.probeIntervalMs),
    probeTimeoutMs: milliseconds(given.probe_timeout, defaults.probeTimeoutMs),
    suspicionMult: given.suspicion_mult ?? defaults.suspicionMult,
    retransmitMult: given.retransmit_mult ?? defaults.retransmitMult,
    reconnectTimeoutMs: milliseconds(reconnect, defaults.reconnectTimeoutMs),
  }
}

/** The pool of the servers of all datacenters. */
function wanOf(
  file: FileConfig,
  dev: boolean,
  at: { readonly bind: string; readonly advertise: string; readonly port: number; readonly join: Join },
  problem: Report,
): AgentConfig['wan'] {
  const port = at.port > 0 ? at.port : defaultWanPort
  return {
    bindAddress: serfBind('serf_wan', file, at.bind, problem),
    advertiseAddress: advertiseWan(file, at.advertise, problem),
    startJoin: at.join('start_join_wan', port),
    retryJoin: at.join('retry_join_wan', port),
    retryIntervalMs: milliseconds(file.retry_interval_wan, 30_000),
    retryMax: file.retry_max_wan ?? 0,
    gossip: gossipOf('gossip_wan', file, dev ? devWanGossip : wanGossip, problem),
    translatesAddresses: file.translate_wan_addrs ?? false,
  }
}

/** If this agent has no such pool nothing is joined, but the written addresses are still checked. */
const defaultWanPort = 8302

function poolOf(file: FileConfig, dev: boolean, defaults: AgentConfig, problem: Report): AgentConfig['pool'] {
  const encrypt = file.encrypt === '' ? undefined : file.encrypt
  const key = encrypt === undefined ? undefined : keyFrom(encrypt)
  if (key?.ok === false)
    problem(`encrypt has invalid key: ${key.error}`, `make one with ${productName} keygen`, 'encrypt')
  return {
    encrypt,
    verifyIncoming: file.encrypt_verify_incoming ?? defaults.pool.verifyIncoming,
    verifyOutgoing: file.encrypt_verify_outgoing ?? defaults.pool.verifyOutgoing,
    keepsKeyring: !(file.disable_keyring_file ?? dev),
    rejoinAfterLeave: file.rejoin_after_leave ?? defaults.pool.rejoinAfterLeave,
    keepsCoordinate: !(file.disable_coordinates ?? false),
    protocol: file.protocol ?? defaults.pool.protocol,
  }
}

function limitsOf({ limits }: FileConfig, defaults: AgentConfig): AgentConfig['limits'] {
  const rate = limits?.rpc_rate ?? -1
  return { perSecond: rate < 0 ? undefined : rate, burst: limits?.rpc_max_burst ?? defaults.limits.burst }
}

function httpOf(file: FileConfig, dev: boolean, defaults: AgentConfig): AgentConfig['http'] {
  return {
    aliases: file.aliases ?? defaults.http.aliases,
    responseHeaders: file.http_config?.response_headers ?? {},
    blockEndpoints: file.http_config?.block_endpoints ?? [],
    allowUnprintableCharacters: file.disable_http_unprintable_char_filter ?? false,
    pretty: dev,
    ui: uiOf(file, dev),
  }
}

/** A directory of one's own is served instead of what `-dev` would. */
function uiOf({ ui, ui_dir: path = '' }: FileConfig, dev: boolean): AgentConfig['http']['ui'] {
  if (path !== '') return { kind: 'directory', path }
  return { kind: (ui ?? dev) ? 'built-in' : 'off' }
}
