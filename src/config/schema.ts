import { z } from 'zod'
import { parseDuration } from '../base/duration.ts'
import { watchSchema } from './watches.ts'

const duration = z.string().superRefine((text, context) => {
  const parsed = parseDuration(text)
  if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.error })
  else if (parsed.value < 0) context.addIssue({ code: 'custom', message: 'must not be negative' })
})

const port = z.int().max(65_535)
const texts = z.array(z.string())
const count = z.int().min(1)
/** RFC 1035, section 3.3.13: the fields of a SOA record are 32 bits wide. */
const uint32 = z.int().min(0).max(0xffff_ffff)
/** What is inside is checked by those who will run it (`definitions.ts`). */
const definition = z.looseObject({})

const gossip = z.strictObject({
  gossip_interval: duration.optional(),
  gossip_nodes: count.optional(),
  probe_interval: duration.optional(),
  probe_timeout: duration.optional(),
  retransmit_mult: count.optional(),
  suspicion_mult: count.optional(),
})

/** Becomes part of header names and of a DNS domain. */
const alias = z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i, 'write letters and digits, with dashes between')

/** RFC 9110, section 5. Checked here, for the HTTP server can send nothing else. */
const headers = z.record(z.string(), z.string()).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)) continue
    const message = 'write a name of letters, digits and dashes, and a value of one line in ASCII'
    context.addIssue({ code: 'custom', path: [name], message })
  }
})

/**
 * A configuration file as people write it. Strict: a key that is not here is an error. Each field may be absent; the
 * defaults are applied when all sources are merged. Reference: configuration 3.
 */
export const fileSchema = z.strictObject({
  addresses: z
    .strictObject({ dns: z.string().optional(), http: z.string().optional(), https: z.string().optional() })
    .optional()
    .describe('Where each face listens; http and https also on unix://<path>.'),
  advertise_addr: z.string().optional().describe('Address that other agents use to reach this one.'),
  advertise_addr_wan: z
    .string()
    .optional()
    .describe('Address that servers of other datacenters use to reach this one.'),
  aliases: z.array(alias).optional().describe('Further product names under which headers are sent and accepted.'),
  autopilot: z
    .strictObject({
      cleanup_dead_servers: z.boolean().optional(),
      disable_upgrade_migration: z.boolean().optional().describe('Of the commercial edition: accepted, of no effect.'),
      last_contact_threshold: duration.optional(),
      max_trailing_logs: z.int().min(0).optional(),
      min_quorum: z.int().min(0).optional().describe('Dead servers are not removed below this many voters.'),
      redundancy_zone_tag: z.string().optional().describe('Of the commercial edition: accepted, of no effect.'),
      server_stabilization_time: duration.optional(),
      upgrade_version_tag: z.string().optional().describe('Of the commercial edition: accepted, of no effect.'),
    })
    .optional(),
  bind_addr: z.string().optional().describe('Address that the agent listens on for other agents.'),
  bootstrap: z.boolean().optional().describe('Form a cluster of this server alone.'),
  bootstrap_expect: z.int().optional().describe('Form the cluster when this many servers know of each other.'),
  ca_file: z.string().optional().describe('PEM file of authorities whose certificates are trusted.'),
  ca_path: z.string().optional().describe('Directory of such files.'),
  cert_file: z.string().optional().describe('PEM file of this agent’s certificate, and what leads to its authority.'),
  check: definition.optional().describe('A check of this node, or of a service that it names.'),
  check_update_interval: duration.optional().describe("A change of a check's output alone is synced after this."),
  checks: z.array(definition).optional(),
  client_addr: z.string().optional().describe('Addresses that the agent listens on for clients, separated by spaces.'),
  data_dir: z.string().optional().describe('Directory for all that must survive a restart.'),
  datacenter: z.string().optional(),
  discovery_max_stale: duration.optional().describe('Catalog and health are read stale by default, and no older.'),
  disable_coordinates: z.boolean().optional().describe('No round-trip times are estimated.'),
  disable_http_unprintable_char_filter: z.boolean().optional(),
  disable_remote_exec: z.boolean().optional().describe('Refuse what `svc exec` asks of this node. Default: true.'),
  disable_update_check: z.boolean().optional().describe('Accepted and of no effect: no update check is ever made.'),
  disable_keyring_file: z.boolean().optional().describe('Encryption keys are not kept in the data directory.'),
  discard_check_output: z.boolean().optional(),
  dns_config: z
    .strictObject({
      a_record_limit: z.int().optional(),
      allow_stale: z.boolean().optional(),
      disable_compression: z.boolean().optional(),
      enable_additional_node_meta_txt: z.boolean().optional(),
      enable_truncate: z.boolean().optional(),
      max_stale: duration.optional(),
      node_ttl: duration.optional(),
      only_passing: z.boolean().optional(),
      recursor_timeout: duration.optional(),
      service_ttl: z.record(z.string(), duration).optional(),
      soa: z
        .strictObject({
          expire: uint32.optional(),
          min_ttl: uint32.optional(),
          refresh: uint32.optional(),
          retry: uint32.optional(),
        })
        .optional(),
      udp_answer_limit: z.int().optional(),
    })
    .optional(),
  domain: z.string().optional().describe('Domain that DNS answers for.'),
  encrypt: z.string().optional().describe('Key that gossip is encrypted with, in base64.'),
  encrypt_verify_incoming: z.boolean().optional(),
  encrypt_verify_outgoing: z.boolean().optional(),
  enable_local_script_checks: z
    .boolean()
    .optional()
    .describe('Configuration files may define checks that run scripts.'),
  enable_script_checks: z.boolean().optional().describe('Checks may run scripts, also those registered over HTTP.'),
  gossip_lan: gossip.optional(),
  gossip_wan: gossip.optional(),
  http_config: z.strictObject({ block_endpoints: texts.optional(), response_headers: headers.optional() }).optional(),
  key_file: z.string().optional().describe('PEM file of its private key.'),
  leave_on_terminate: z.boolean().optional(),
  limits: z
    .strictObject({
      rpc_max_burst: z.int().min(0).optional().describe('Requests that may go to servers at once.'),
      rpc_rate: z
        .number()
        .optional()
        .describe('Requests a second that a client agent may send to servers; -1: no limit.'),
    })
    .optional(),
  log_level: z.string().optional(),
  node_id: z.string().optional(),
  node_meta: z.record(z.string(), z.string()).optional(),
  node_name: z.string().optional(),
  performance: z
    .strictObject({
      leave_drain_time: duration.optional(),
      raft_multiplier: z.int().optional(),
      rpc_hold_timeout: duration.optional(),
    })
    .optional(),
  ports: z
    .strictObject({
      dns: port.optional(),
      grpc: port.optional(),
      http: port.optional(),
      https: port.optional(),
      serf_lan: port.optional(),
      serf_wan: port.optional(),
      server: port.optional(),
    })
    .optional(),
  raft_protocol: z.int().optional(),
  raft_snapshot_interval: duration.optional(),
  raft_snapshot_threshold: z.int().min(1).optional(),
  recursors: z
    .array(z.string())
    .optional()
    .describe('DNS servers that are asked for names outside the domain, in order.'),
  reconnect_timeout: duration.optional().describe('A failed member is forgotten after this.'),
  reconnect_timeout_wan: duration.optional().describe('The same of the pool of all datacenters.'),
  rejoin_after_leave: z.boolean().optional(),
  retry_interval: duration.optional(),
  retry_interval_wan: duration.optional(),
  retry_join: texts.optional().describe('host[:port] where other agents gossip, tried until one answers.'),
  retry_join_wan: texts
    .optional()
    .describe('host[:port] where servers of other datacenters gossip, tried until one answers.'),
  retry_max: z.int().min(0).optional(),
  retry_max_wan: z.int().min(0).optional(),
  serf_lan: z.string().optional().describe('Address that the LAN pool listens on.'),
  serf_wan: z.string().optional().describe('Address that the pool of all datacenters listens on.'),
  server: z.boolean().optional(),
  server_name: z
    .string()
    .optional()
    .describe('Name that the certificates of servers must carry under verify_outgoing.'),
  service: definition.optional().describe('A service that this agent offers.'),
  services: z.array(definition).optional(),
  session_ttl_min: duration.optional(),
  skip_leave_on_interrupt: z.boolean().optional(),
  start_join: texts.optional().describe('host[:port] where other agents gossip, tried once at start.'),
  start_join_wan: texts
    .optional()
    .describe('host[:port] where servers of other datacenters gossip, tried once at start.'),
  telemetry: z
    .strictObject({
      disable_hostname: z.boolean().optional().describe('Names of gauges do not carry the host’s.'),
      dogstatsd_addr: z.string().optional().describe('host:port of DogStatsD, over UDP.'),
      dogstatsd_tags: texts.optional(),
      filter_default: z.boolean().optional().describe('Whether metrics that prefix_filter does not name are kept.'),
      metrics_prefix: z.string().optional(),
      prefix_filter: texts
        .optional()
        .describe('+prefix or -prefix of metrics that are kept or not; the longest counts.'),
      prometheus_retention_time: duration.optional().describe('How long a metric is shown to Prometheus; 0: never.'),
      statsd_address: z.string().optional().describe('host:port of statsd, over UDP.'),
      statsite_address: z.string().optional().describe('host:port of statsite, over TCP.'),
    })
    .optional(),
  translate_wan_addrs: z
    .boolean()
    .optional()
    .describe('Answers about another datacenter have the addresses that are reached from outside it.'),
  tls_cipher_suites: z.string().optional().describe('Suites of TLS up to 1.2 for HTTPS, separated by commas.'),
  tls_min_version: z.string().optional().describe('tls10, tls11 or tls12; tls12 unless said.'),
  tls_prefer_server_cipher_suites: z.boolean().optional(),
  unix_sockets: z
    .strictObject({
      group: z.string().optional().describe('Number of the group.'),
      mode: z.string().optional().describe('Octal: 0770.'),
      user: z.string().optional().describe('Name or number.'),
    })
    .optional(),
  verify_incoming: z.boolean().optional().describe('Both of the two below.'),
  verify_incoming_https: z
    .boolean()
    .optional()
    .describe('HTTPS clients must show a certificate of an authority in ca_file.'),
  verify_incoming_rpc: z
    .boolean()
    .optional()
    .describe('Servers take other agents with TLS alone, and with a certificate of an authority in ca_file.'),
  verify_outgoing: z
    .boolean()
    .optional()
    .describe('TLS is spoken to every server, whose certificate must be of an authority in ca_file.'),
  verify_server_hostname: z
    .boolean()
    .optional()
    .describe('It must be for server.<datacenter>.<domain>. Implies verify_outgoing.'),
  watches: z.array(watchSchema).optional().describe('What is watched, and who is told of changes.'),
})

export type FileConfig = z.infer<typeof fileSchema>

/**
 * Keys of the field that this version reads past, because the part they belong to is not there yet and running without it
 * harms nobody: each is named in a warning at start. Any other key of the field is refused as unknown: an agent that
 * ignored `acl` would be open where its operator believes it closed.
 */
export const keysWithoutEffect: ReadonlySet<string> = new Set([
  'connect',
  ...[
    'api_app',
    'api_token',
    'api_url',
    'broker_id',
    'broker_select_tag',
    'check_display_name',
    'check_force_metric_activation',
    'check_id',
    'check_instance_id',
    'check_search_tag',
    'check_tags',
    'submission_interval',
    'submission_url',
  ].map((key) => `telemetry.circonus_${key}`),
  'ui',
])

/** What to say of a key that is refused for more than being unknown. */
export const refusedKeys: ReadonlyMap<string, string> = new Map([
  ['acl', 'access control is not there yet: an agent that ignored it would be open to everybody'],
])
