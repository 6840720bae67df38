import { err, ok, type Result } from '../base/result.ts'
import { productName } from '../model/names.ts'
import type { ConfigProblem } from './problem.ts'
import type { FileConfig } from './schema.ts'

/** A flag of `svc agent`. `list` flags may be given several times. */
export interface AgentFlag {
  readonly name: string
  readonly kind: 'bool' | 'text' | 'integer' | 'list' | 'pairs'
  /** Shown in help for the value. */
  readonly value?: string
  readonly help: string
  /** Where the value goes in the configuration; flags without one steer the loading itself. */
  readonly path?: readonly string[]
}

export const agentFlags: readonly AgentFlag[] = [
  {
    name: 'advertise',
    kind: 'text',
    value: '<address>',
    help: 'Address that other agents use to reach this one. Default: the bind address.',
    path: ['advertise_addr'],
  },
  {
    name: 'advertise-wan',
    kind: 'text',
    value: '<address>',
    help: 'Address that servers of other datacenters use to reach this one. Default: that of -advertise.',
    path: ['advertise_addr_wan'],
  },
  {
    name: 'bind',
    kind: 'text',
    value: '<address>',
    help: 'Address to listen on for other agents.',
    path: ['bind_addr'],
  },
  { name: 'bootstrap', kind: 'bool', help: 'Form a cluster of this server alone.', path: ['bootstrap'] },
  {
    name: 'bootstrap-expect',
    kind: 'integer',
    value: '<n>',
    help: 'Form the cluster when this many servers know of each other.',
    path: ['bootstrap_expect'],
  },
  {
    name: 'client',
    kind: 'text',
    value: '<addresses>',
    help: 'Addresses to listen on for clients. Default: 127.0.0.1.',
    path: ['client_addr'],
  },
  {
    name: 'config-dir',
    kind: 'list',
    value: '<dir>',
    help: 'Load every .json and .hcl file of a directory, by name. May be repeated.',
  },
  {
    name: 'config-file',
    kind: 'list',
    value: '<file>',
    help: 'Load a .json or .hcl configuration file. May be repeated.',
  },
  {
    name: 'config-format',
    kind: 'text',
    value: '<format>',
    help: 'Read every configuration file as this, json or hcl, whatever its name.',
  },
  {
    name: 'data-dir',
    kind: 'text',
    value: '<dir>',
    help: 'Directory for all that must survive a restart.',
    path: ['data_dir'],
  },
  {
    name: 'datacenter',
    kind: 'text',
    value: '<name>',
    help: 'Datacenter of this agent. Default: dc1.',
    path: ['datacenter'],
  },
  { name: 'dev', kind: 'bool', help: 'A single server that keeps nothing on disk. Not for production.' },
  {
    name: 'disable-keyring-file',
    kind: 'bool',
    help: 'Do not keep encryption keys in the data directory.',
    path: ['disable_keyring_file'],
  },
  {
    name: 'dns-port',
    kind: 'integer',
    value: '<port>',
    help: 'Port of DNS, over UDP and TCP. Default: 8600; -1 closes it.',
    path: ['ports', 'dns'],
  },
  {
    name: 'domain',
    kind: 'text',
    value: '<name>',
    help: `Domain that DNS answers for. Default: ${productName}.`,
    path: ['domain'],
  },
  {
    name: 'enable-local-script-checks',
    kind: 'bool',
    help: 'Let checks run scripts that configuration files define.',
    path: ['enable_local_script_checks'],
  },
  {
    name: 'encrypt',
    kind: 'text',
    value: '<key>',
    help: 'Key that gossip is encrypted with, in base64. Of no effect where keys are kept already.',
    path: ['encrypt'],
  },
  {
    name: 'enable-script-checks',
    kind: 'bool',
    help: 'Let checks run scripts, also those registered over HTTP.',
    path: ['enable_script_checks'],
  },
  {
    name: 'hcl',
    kind: 'list',
    value: '<fragment>',
    help: 'A piece of configuration in HCL, over files and other flags. May be repeated.',
  },
  {
    name: 'http-port',
    kind: 'integer',
    value: '<port>',
    help: 'Port of the HTTP API. Default: 8500; -1 closes it.',
    path: ['ports', 'http'],
  },
  {
    name: 'join',
    kind: 'list',
    value: '<address>',
    help: 'Another agent, host[:port], tried once: without an answer the agent does not start. May be repeated.',
    path: ['start_join'],
  },
  {
    name: 'join-wan',
    kind: 'list',
    value: '<address>',
    help: 'A server of another datacenter, host[:port], tried once as by -join. May be repeated.',
    path: ['start_join_wan'],
  },
  {
    name: 'log-level',
    kind: 'text',
    value: '<level>',
    help: 'TRACE, DEBUG, INFO, WARN or ERR. Default: INFO.',
    path: ['log_level'],
  },
  {
    name: 'node',
    kind: 'text',
    value: '<name>',
    help: 'Name of this node. Default: the host name.',
    path: ['node_name'],
  },
  {
    name: 'node-id',
    kind: 'text',
    value: '<uuid>',
    help: 'ID of this node. Default: kept in the data directory.',
    path: ['node_id'],
  },
  {
    name: 'node-meta',
    kind: 'pairs',
    value: '<key:value>',
    help: 'Metadata of this node. May be repeated.',
    path: ['node_meta'],
  },
  {
    name: 'raft-protocol',
    kind: 'integer',
    value: '<n>',
    help: 'Raft protocol version. Default: 3.',
    path: ['raft_protocol'],
  },
  {
    name: 'recursor',
    kind: 'list',
    value: '<address>',
    help: 'DNS server to ask for names outside the domain. May be given several times.',
    path: ['recursors'],
  },
  {
    name: 'rejoin',
    kind: 'bool',
    help: 'After it has left, too, join at the start whom it knew before.',
    path: ['rejoin_after_leave'],
  },
  {
    name: 'retry-interval',
    kind: 'text',
    value: '<duration>',
    help: 'Time between attempts to join. Default: 30s.',
    path: ['retry_interval'],
  },
  {
    name: 'retry-interval-wan',
    kind: 'text',
    value: '<duration>',
    help: 'Time between attempts to join other datacenters. Default: 30s.',
    path: ['retry_interval_wan'],
  },
  {
    name: 'retry-join',
    kind: 'list',
    value: '<address>',
    help: 'Another agent, host[:port] (the own port of gossip if left out), tried until one answers. May be repeated.',
    path: ['retry_join'],
  },
  {
    name: 'retry-join-wan',
    kind: 'list',
    value: '<address>',
    help: 'A server of another datacenter, host[:port], tried until one answers. May be repeated.',
    path: ['retry_join_wan'],
  },
  {
    name: 'retry-max',
    kind: 'integer',
    value: '<n>',
    help: 'Attempts to join before giving up. Default: 0, for ever.',
    path: ['retry_max'],
  },
  {
    name: 'retry-max-wan',
    kind: 'integer',
    value: '<n>',
    help: 'Attempts to join other datacenters before giving up. Default: 0, for ever.',
    path: ['retry_max_wan'],
  },
  {
    name: 'serf-lan-bind',
    kind: 'text',
    value: '<address>',
    help: 'Address to listen on for gossip. Default: that of -bind.',
    path: ['serf_lan'],
  },
  {
    name: 'serf-lan-port',
    kind: 'integer',
    value: '<port>',
    help: 'Port of gossip within the datacenter, over UDP and TCP. Default: 8301.',
    path: ['ports', 'serf_lan'],
  },
  {
    name: 'serf-wan-bind',
    kind: 'text',
    value: '<address>',
    help: 'Address to listen on for gossip between datacenters. Default: that of -bind.',
    path: ['serf_wan'],
  },
  {
    name: 'serf-wan-port',
    kind: 'integer',
    value: '<port>',
    help: 'Port of gossip between datacenters, over UDP and TCP. Default: 8302; -1 closes it.',
    path: ['ports', 'serf_wan'],
  },
  { name: 'server', kind: 'bool', help: 'Run as a server.', path: ['server'] },
  {
    name: 'server-port',
    kind: 'integer',
    value: '<port>',
    help: 'Port for other servers. Default: 8300.',
    path: ['ports', 'server'],
  },
]

export interface FlagValues {
  /** List-valued flags: merged before the files. */
  readonly lists: FileConfig
  /** Scalar flags: merged after the files. */
  readonly scalars: FileConfig
}

/** Turns the values of given flags into configuration. */
export function configOfFlags(
  given: ReadonlyMap<string, boolean | string | readonly string[]>,
): Result<FlagValues, readonly ConfigProblem[]> {
  const lists: Record<string, unknown> = {}
  const scalars: Record<string, unknown> = {}
  const problems: ConfigProblem[] = []
  for (const flag of agentFlags) {
    const value = given.get(flag.name)
    if (value === undefined || flag.path === undefined) continue
    if (flag.kind === 'list') put(lists, flag.path, value)
    else if (flag.kind === 'pairs') put(scalars, flag.path, pairsOf(value as readonly string[]))
    else if (flag.kind === 'integer') {
      if (!/^[+-]?\d+$/.test(String(value))) {
        problems.push({
          place: `-${flag.name}`,
          message: `invalid value "${String(value)}"`,
          remedy: 'write a whole number',
        })
      } else put(scalars, flag.path, Number(value))
    } else put(scalars, flag.path, value)
  }
  return problems.length > 0 ? err(problems) : ok({ lists: lists as FileConfig, scalars: scalars as FileConfig })
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path as [string, ...string[]]
  if (rest.length === 0) {
    into[head] = value
    return
  }
  const inner = (into[head] ?? {}) as Record<string, unknown>
  into[head] = inner
  put(inner, rest, value)
}

function pairsOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const colon = pair.indexOf(':')
      return colon < 0 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)]
    }),
  )
}
