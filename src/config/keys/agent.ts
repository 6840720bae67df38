import { z } from 'zod'
import { namingNames } from '../../model/naming/naming.ts'
import { watchSchema } from '../parts/watches.ts'
import { keysOf } from './key.ts'
import { bool, definition, duration, pairs, text, whole } from './types.ts'

/**
 * Keys of the agent itself: its identity, its data, its checks, its log. Reference: configuration.md#top-level-keys.
 */

const key = keysOf('agent')
const checks = keysOf('checks')
const log = keysOf('log')
const fixed = keysOf('agent', { waits: { for: 'the value is fixed', never: true } })
const list = z.array(definition)

export const agentKeys = {
  check: checks(definition, 'A check of this node, or of a service that it names.', { reload: true }),
  check_update_interval: checks(
    duration,
    'How long an agent waits before it sends a new output of a check whose status is the same; 0: it sends it at once.',
    {
      default: '5m',
      reload: true,
    },
  ),
  checks: checks(list, 'Several of them.', { default: [], reload: true }),
  data_dir: key(
    text,
    'Directory for everything that must survive a restart; it is made (0700). Needed unless -dev is given.',
  ),
  datacenter: key(text, 'Datacenter of this agent.', { default: 'dc1' }),
  disable_anonymous_signature: key(bool, 'Accepted, without effect: there is no check for updates.', {
    default: false,
    waits: { for: 'no update check is ever made', never: true },
  }),
  disable_host_node_id: key(bool, 'The ID of the node is drawn at random instead of taken from the host.', {
    default: true,
    since: '0.8.5',
    waits: { for: 'IDs of hosts' },
  }),
  disable_remote_exec: key(bool, 'The node refuses to run the commands of `svc exec`.', { default: true }),
  disable_update_check: key(bool, 'Accepted, without effect: there is no check for updates.', { default: false }),
  names: key(
    z.enum(namingNames),
    'Name that the agent uses for the product in headers, DNS, metrics and texts: `svc`, or the name of the system whose clients it serves. A cluster keeps the name that it was formed with.',
    { default: 'svc' },
  ),
  discard_check_output: checks(bool, 'The output of checks is thrown away; only their status is kept.', {
    default: false,
    reload: true,
    since: '1.0.0',
  }),
  discovery_max_stale: keysOf('http')(
    duration,
    'Requests of the catalog and of health are answered by any server whose data is not older than this; 0s: by the leader.',
    {
      default: '0s',
      since: '1.0.7',
    },
  ),
  enable_debug: key(bool, 'Profiles of the running process can be fetched at /debug/pprof/. -dev: true.', {
    default: false,
  }),
  enable_local_script_checks: checks(
    bool,
    'Checks that configuration files define may run scripts. Default: enable_script_checks.',
    {
      default: false,
      since: '1.3.0',
      reload: true,
    },
  ),
  enable_retry_join_exec: keysOf('pool')(bool, 'retry_join may run programs (provider=exec) to find addresses.', {
    default: false,
  }),
  enable_script_checks: checks(bool, 'All checks may run scripts, those registered over HTTP too.', {
    default: false,
    since: '0.9.0',
    reload: true,
  }),
  enable_syslog: log(bool, 'The log is sent to syslog as well: see syslog_address.', { default: false }),
  leave_on_terminate: key(bool, 'On SIGTERM the agent leaves the cluster. Default: true on clients.'),
  log_file: log(
    text,
    'The log is written to files as well: dir/name.ext becomes dir/name-<unix nanoseconds>.ext. The directory is made (0755).',
    {
      default: '',
    },
  ),
  log_json: log(bool, 'Each line of the log is a JSON object.', { default: false }),
  log_level: log(text, 'TRACE, DEBUG, INFO, WARN or ERR. -dev: DEBUG.', { default: 'INFO', reload: true }),
  log_rotate_bytes: log(whole, 'Size in bytes at which a new log file is begun; 0: no limit.', {
    default: 0,
  }),
  log_rotate_duration: log(duration, 'Age at which a new log file is begun.', { default: '24h' }),
  log_rotate_max_files: log(z.int().min(-1), 'How many old log files are kept; 0: all, -1: none.', { default: 0 }),
  node_id: key(text, 'ID of this node, a UUID. Default: the one in the data directory, which the first start makes.'),
  node_meta: key(pairs, 'Metadata of this node: at most 64 pairs.', { default: {}, reload: true }),
  node_name: key(text, 'Name of this node. Default: the name of the host.'),
  pid_file: key(text, 'File that holds the process ID while the agent runs. Its directory is made (0755).', {
    default: '',
  }),
  service: checks(definition, 'A service that this agent offers.', { reload: true }),
  services: checks(list, 'Several of them.', { default: [], reload: true }),
  skip_leave_on_interrupt: key(bool, 'On SIGINT the agent ends without leaving the cluster. Default: true on servers.'),
  syslog_address: log(
    text,
    'Where enable_syslog sends the log: host:port (over UDP; the port is 514 unless given), or the path of a local socket. Default: the local socket of the system, by logger(1).',
    { default: '' },
  ),
  syslog_facility: log(
    text,
    'Facility of the log lines that enable_syslog sends: DAEMON, USER, LOCAL0 to LOCAL7 and the others of syslog.',
    {
      default: 'LOCAL0',
    },
  ),
  ui: keysOf('http')(bool, 'The web interface is served at /ui/. -dev: true.', { default: false }),
  ui_dir: keysOf('http')(text, 'Directory whose files are served at /ui/ instead of the built-in interface.', {
    default: '',
  }),
  ui_content_path: keysOf('http')(
    text,
    'Path of URLs below which the web interface is served, such as /web/. Letters, digits, - and _ between slashes.',
    { default: '/ui/' },
  ),
  watches: keysOf('watches')(
    z.array(watchSchema),
    'What the agent watches, and the programs or URLs that are called at each change.',
    {
      default: [],
      reload: true,
    },
  ),
}

/** Settings of the field’s own tests: read, and of no effect. Reference: configuration.md#fact-10. */
export const fixedKeys = {
  ae_interval: fixed(duration, 'Accepted, without effect: it is always 1m.'),
  check_deregister_interval_min: fixed(duration, 'Accepted, without effect: it is always 1m.'),
  check_reap_interval: fixed(duration, 'Accepted, without effect: it is always 30s.'),
  revision: fixed(text, 'Accepted, without effect: it is that of the program.'),
  segment_limit: fixed(whole, 'Accepted, without effect: it is always 64.'),
  segment_name_limit: fixed(whole, 'Accepted, without effect: it is always 64.'),
  snapshot_agent: fixed(definition, 'Accepted, without effect: it belongs to the commercial edition.'),
  sync_coordinate_interval_min: fixed(duration, 'Accepted, without effect: it is always 15s.'),
  sync_coordinate_rate_target: fixed(z.number(), 'Accepted, without effect: it is always 64.'),
  tagged_addresses: fixed(pairs, 'Accepted, without effect: lan and wan are the addresses that the agent advertises.'),
  version: fixed(text, 'Accepted, without effect: it is that of the program.'),
  version_prerelease: fixed(text, 'Accepted, without effect: it is that of the program.'),
}
