import { type AgentConfig, defaultAgentConfig, devRaftTiming, raftTiming } from '../agent/agent-config.ts'
import { parseDuration } from '../base/duration.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Machine } from '../env/process.ts'
import { raftProtocol } from '../model/release.ts'
import { parseEndpoint } from '../rpc/address.ts'
import { bindAddress, isAddress } from './addresses.ts'
import { debugConfig } from './debug.ts'
import type { ConfigProblem } from './problem.ts'
import type { FileConfig } from './schema.ts'

export interface Normalized {
  readonly config: AgentConfig
  /** Printed before the agent starts. */
  readonly warnings: readonly string[]
}

const logLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERR'] as const
const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Attempts to join name the port of servers where they leave it out. */
const joinPort = 8300

/**
 * The only maker of an `AgentConfig` from what people wrote: applies the defaults, converts units, and checks what a
 * schema of single fields cannot. Texts follow the reference, configuration 3.
 */
export function normalize(
  file: FileConfig,
  dev: boolean,
  machine: Machine,
): Result<Normalized, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = []
  const problem = (message: string, remedy: string): void => {
    problems.push({ place: 'config', message, remedy })
  }
  const bind = bindAddress(file, dev, machine)
  if (!bind.ok) return err([bind.error])
  const server = file.server ?? dev
  const defaults = defaultAgentConfig((file.node_name ?? machine.hostName).trim(), bind.value.advertise)
  checkNames(file, defaults.nodeName, problem)
  checkRoles(file, dev, server, problem)
  checkRaft(file, problem)
  checkIntervals(file, problem)
  checkServerPort(file, problem)
  const config: AgentConfig = {
    ...defaults,
    nodeId: file.node_id?.toLowerCase(),
    datacenter: (file.datacenter ?? defaults.datacenter).toLowerCase(),
    server,
    dev,
    bootstrap: (file.bootstrap ?? false) || file.bootstrap_expect === 1 || (dev && server),
    bootstrapExpect: file.bootstrap_expect === 1 ? 0 : (file.bootstrap_expect ?? 0),
    dataDir: dev ? undefined : file.data_dir,
    bindAddress: bind.value.bind,
    advertiseAddress: bind.value.advertise,
    clientAddresses: clientAddresses(file, problem),
    ports: ports(file, defaults.ports),
    retryJoin: retryJoin(file, problem),
    retryIntervalMs: milliseconds(file.retry_interval, defaults.retryIntervalMs),
    retryMax: file.retry_max ?? 0,
    raft: {
      ...defaults.raft,
      ...(dev ? devRaftTiming : raftTiming(file.performance?.raft_multiplier ?? 5)),
      protocol: file.raft_protocol ?? raftProtocol.spoken,
      snapshotThreshold: file.raft_snapshot_threshold ?? defaults.raft.snapshotThreshold,
      snapshotIntervalMs: milliseconds(file.raft_snapshot_interval, defaults.raft.snapshotIntervalMs),
    },
    rpcHoldTimeoutMs: milliseconds(file.performance?.rpc_hold_timeout, defaults.rpcHoldTimeoutMs),
    leaveOnTerminate: file.leave_on_terminate ?? !server,
    skipLeaveOnInterrupt: file.skip_leave_on_interrupt ?? server,
    autopilot: {
      serverStabilizationMs: milliseconds(
        file.autopilot?.server_stabilization_time,
        defaults.autopilot.serverStabilizationMs,
      ),
      lastContactThresholdMs: milliseconds(
        file.autopilot?.last_contact_threshold,
        defaults.autopilot.lastContactThresholdMs,
      ),
      maxTrailingLogs: file.autopilot?.max_trailing_logs ?? defaults.autopilot.maxTrailingLogs,
    },
    http: {
      aliases: file.aliases ?? defaults.http.aliases,
      responseHeaders: file.http_config?.response_headers ?? {},
      blockEndpoints: file.http_config?.block_endpoints ?? [],
      allowUnprintableCharacters: file.disable_http_unprintable_char_filter ?? false,
      pretty: dev,
    },
    nodeMeta: nodeMeta(file, problem),
    logLevel: logLevel(file, dev, problem),
  }
  if (!dev && config.dataDir === undefined)
    problem('data_dir cannot be empty', 'name a directory with -data-dir, or try -dev')
  if (problems.length > 0) return err(problems)
  return ok({ config: { ...config, debug: debugConfig(config) }, warnings: warningsOf(config) })
}

type Report = (message: string, remedy: string) => void

function checkNames(file: FileConfig, nodeName: string, problem: Report): void {
  if (nodeName === '') problem('node_name cannot be empty', 'give it with -node')
  const datacenter = file.datacenter?.toLowerCase()
  if (datacenter !== undefined && !/^[a-z0-9_-]+$/.test(datacenter)) {
    problem(`datacenter cannot be "${datacenter}"`, 'please use only [a-z0-9-_]')
  }
  if (file.node_id !== undefined && !uuidShape.test(file.node_id.toLowerCase())) {
    problem(`node_id "${file.node_id}" is not a UUID`, 'write it as 8-4-4-4-12 hexadecimal digits')
  }
}

function checkRoles(file: FileConfig, dev: boolean, server: boolean, problem: Report): void {
  const expect = file.bootstrap_expect ?? 0
  if (expect < 0) problem(`bootstrap_expect cannot be ${expect}`, 'must be greater than or equal to zero')
  if (expect > 0 && dev) problem("'bootstrap_expect > 0' not allowed in dev mode", 'leave out one of the two')
  if (expect > 0 && !server) problem("'bootstrap_expect > 0' requires 'server = true'", 'add -server')
  if (expect > 0 && file.bootstrap === true) {
    problem("'bootstrap_expect > 0' and 'bootstrap = true' are mutually exclusive", 'leave out one of the two')
  }
  if (file.bootstrap === true && !server) problem("'bootstrap = true' requires 'server = true'", 'add -server')
  if (!server)
    problem('client agents are not there yet: they need the gossip pool', 'run it as a server: -server or -dev')
}

function checkRaft(file: FileConfig, problem: Report): void {
  const multiplier = file.performance?.raft_multiplier ?? 5
  if (multiplier < 1 || multiplier > 10)
    problem(`performance.raft_multiplier cannot be ${multiplier}`, 'must be between 1 and 10')
  const protocol = file.raft_protocol ?? raftProtocol.spoken
  if (protocol !== raftProtocol.spoken) {
    problem(
      `raft_protocol ${protocol} is not there yet`,
      `this version speaks Raft protocol ${raftProtocol.spoken} only`,
    )
  }
}

/** What is done again and again at this interval would keep a processor busy below it. */
const shortestIntervalMs = 10

function checkIntervals(file: FileConfig, problem: Report): void {
  for (const key of ['raft_snapshot_interval', 'retry_interval'] as const) {
    if (milliseconds(file[key], shortestIntervalMs) < shortestIntervalMs) {
      problem(`${key} cannot be ${file[key]}`, `must be at least ${shortestIntervalMs}ms`)
    }
  }
}

function checkServerPort(file: FileConfig, problem: Report): void {
  const port = file.ports?.server ?? joinPort
  if (port <= 0) problem(`ports.server cannot be ${port}`, 'a server needs a port from 1 to 65535 for other servers')
}

function milliseconds(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const parsed = parseDuration(text)
  return parsed.ok ? parsed.value : otherwise
}

function clientAddresses(file: FileConfig, problem: Report): readonly string[] {
  const text = file.addresses?.http ?? file.client_addr ?? '127.0.0.1'
  const addresses = text.split(' ').filter((address) => address !== '')
  for (const address of addresses) {
    if (!isAddress(address))
      problem(`client_addr "${address}" is not an IP address`, 'write addresses such as 127.0.0.1 or 0.0.0.0')
  }
  if (addresses.length === 0) problem('client_addr cannot be empty', 'write an address such as 127.0.0.1')
  return addresses
}

function ports(file: FileConfig, defaults: AgentConfig['ports']): AgentConfig['ports'] {
  const given = file.ports ?? {}
  const open = (port: number | undefined, otherwise: number): number =>
    port === undefined ? otherwise : port <= 0 ? -1 : port
  return {
    http: open(given.http, defaults.http),
    https: open(given.https, defaults.https),
    dns: open(given.dns, defaults.dns),
    grpc: open(given.grpc, defaults.grpc),
    server: open(given.server, defaults.server),
    serfLan: open(given.serf_lan, defaults.serfLan),
    serfWan: open(given.serf_wan, defaults.serfWan),
  }
}

function retryJoin(file: FileConfig, problem: Report): readonly string[] {
  return (file.retry_join ?? []).map((address) => {
    const host = address.replace(/^\[(.*)\]$/, '$1')
    const full = isAddress(host) ? `${host.includes(':') ? `[${host}]` : host}:${joinPort}` : address
    const endpoint = parseEndpoint(full)
    if (endpoint === undefined || !isAddress(endpoint.host)) {
      problem(`retry_join "${address}" is not an address`, 'write host or host:port with an IP address')
    }
    return full
  })
}

function nodeMeta(file: FileConfig, problem: Report): Readonly<Record<string, string>> {
  const meta = file.node_meta ?? {}
  const frame = (key: string, value: string, reason: string): void =>
    problem(`node_meta invalid: Couldn't load metadata pair ('${key}', '${value}')`, reason)
  for (const [key, value] of Object.entries(meta)) {
    if (key === '') frame(key, value, 'Key cannot be blank')
    else if (!/^[A-Za-z0-9_-]+$/.test(key)) frame(key, value, 'Key contains invalid characters')
    else if (key.length > 128) frame(key, value, 'Key is too long (limit: 128 characters)')
    else if (key.startsWith('svc-')) frame(key, value, "Key prefix 'svc-' is reserved for internal use")
    else if (value.length > 512) frame(key, value, 'Value is too long (limit: 512 characters)')
  }
  if (Object.keys(meta).length > 64) problem('Node metadata cannot contain more than 64 key/value pairs', 'remove some')
  return meta
}

function logLevel(file: FileConfig, dev: boolean, problem: Report): AgentConfig['logLevel'] {
  const given = file.log_level?.toUpperCase()
  if (given === undefined) return dev ? 'DEBUG' : 'INFO'
  const level = logLevels.find((name) => name === given)
  if (level === undefined) problem(`Invalid log level: ${given}`, `Valid log levels are: [${logLevels.join(' ')}]`)
  return level ?? 'INFO'
}

function warningsOf(config: AgentConfig): readonly string[] {
  const expect = config.bootstrapExpect
  const warnings: string[] = []
  if (config.dev) warnings.push('-dev keeps nothing on disk and is not for production.')
  else if (config.bootstrap) warnings.push('bootstrap = true: do not enable unless necessary')
  if (expect > 0) warnings.push(`bootstrap_expect > 0: expecting ${expect} servers`)
  if (expect === 2) warnings.push('A cluster with 2 servers will provide no failure tolerance.')
  else if (expect > 0 && expect % 2 === 0)
    warnings.push('A cluster with an even number of servers does not achieve optimum fault tolerance.')
  if (expect > 7) warnings.push(`A cluster of ${expect} servers is larger than recommended: 3 to 5.`)
  return warnings
}
