import { z } from 'zod'
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
  check_update_interval: checks(duration, 'A change of a check’s output alone is synced after this; 0: at once.', {
    default: '5m',
    reload: true,
  }),
  checks: checks(list, 'Several of them.', { default: [], reload: true }),
  data_dir: key(text, 'Directory for all that must survive a restart. Needed without -dev.'),
  datacenter: key(text, 'Datacenter of this agent.', { default: 'dc1' }),
  disable_anonymous_signature: key(bool, 'Of the check for updates, which is never made.', {
    default: false,
    waits: { for: 'no update check is ever made', never: true },
  }),
  disable_host_node_id: key(bool, 'The ID of the node is drawn, not that of the host.', {
    default: true,
    since: '0.8.5',
    waits: { for: 'IDs of hosts' },
  }),
  disable_remote_exec: key(bool, 'Refuse what svc exec asks of this node.', { default: true }),
  disable_update_check: key(bool, 'No update check is ever made.', { default: false }),
  discard_check_output: checks(bool, 'The output of checks is not kept.', {
    default: false,
    reload: true,
    since: '1.0.0',
  }),
  discovery_max_stale: keysOf('http')(duration, 'Catalog and health are read stale by default, and no older.', {
    default: '0s',
    since: '1.0.7',
  }),
  enable_debug: key(bool, 'Profiles of the running process over HTTP. -dev: true.', {
    default: false,
    waits: { for: 'profiles over HTTP' },
  }),
  enable_local_script_checks: checks(bool, 'Files may define checks that run scripts. Default: enable_script_checks.', {
    default: false,
    since: '1.3.0',
    reload: true,
  }),
  enable_retry_join_exec: keysOf('pool')(bool, 'retry_join may run programs (provider=exec).', { default: false }),
  enable_script_checks: checks(bool, 'Checks may run scripts, also those registered over HTTP.', {
    default: false,
    since: '0.9.0',
    reload: true,
  }),
  enable_syslog: log(bool, 'The log goes to syslog, too: see syslog_address.', { default: false }),
  leave_on_terminate: key(bool, 'SIGTERM leaves the cluster. Default: true on clients.'),
  log_file: log(text, 'The log goes to files, too: dir/name.ext becomes dir/name-<unix nanoseconds>.ext.', {
    default: '',
  }),
  log_json: log(bool, 'Each line of the log is a JSON object.', { default: false }),
  log_level: log(text, 'TRACE, DEBUG, INFO, WARN or ERR. -dev: DEBUG.', { default: 'INFO', reload: true }),
  log_rotate_bytes: log(whole, 'A new log file after so many bytes; 0: never.', {
    default: 0,
  }),
  log_rotate_duration: log(duration, 'A new log file after this time.', { default: '24h' }),
  log_rotate_max_files: log(z.int().min(-1), 'Old log files that are kept; 0: all, -1: none.', { default: 0 }),
  node_id: key(text, 'ID of this node, a UUID. Default: kept in the data directory.'),
  node_meta: key(pairs, 'Metadata of this node: at most 64 pairs.', { default: {}, reload: true }),
  node_name: key(text, 'Name of this node. Default: the host’s.'),
  pid_file: key(text, 'File that holds the number of the process while it runs.', { default: '' }),
  service: checks(definition, 'A service that this agent offers.', { reload: true }),
  services: checks(list, 'Several of them.', { default: [], reload: true }),
  skip_leave_on_interrupt: key(bool, 'SIGINT does not leave the cluster. Default: true on servers.'),
  syslog_address: log(
    text,
    'Where enable_syslog sends: host:port (UDP; port 514 unless given), or the path of a local socket. Default: the usual local socket, by logger(1).',
    { default: '' },
  ),
  syslog_facility: log(text, 'Facility of enable_syslog: DAEMON, USER, LOCAL0 to LOCAL7 and so on.', {
    default: 'LOCAL0',
  }),
  ui: keysOf('http')(bool, 'The web interface is served at /ui/. -dev: true.', { default: false }),
  ui_dir: keysOf('http')(text, 'Directory whose files are served at /ui/ instead of the built-in interface.', {
    default: '',
  }),
  watches: keysOf('watches')(z.array(watchSchema), 'What is watched, and where changes are sent.', {
    default: [],
    reload: true,
  }),
}

/** Settings of the field’s own tests: read, and of no effect. Reference: configuration.md#fact-10. */
export const fixedKeys = {
  ae_interval: fixed(duration, 'Always 1m.'),
  check_deregister_interval_min: fixed(duration, 'Always 1m.'),
  check_reap_interval: fixed(duration, 'Always 30s.'),
  revision: fixed(text, 'That of the program.'),
  segment_limit: fixed(whole, 'Always 64.'),
  segment_name_limit: fixed(whole, 'Always 64.'),
  snapshot_agent: fixed(definition, 'Of the commercial edition.'),
  sync_coordinate_interval_min: fixed(duration, 'Always 15s.'),
  sync_coordinate_rate_target: fixed(z.number(), 'Always 64.'),
  tagged_addresses: fixed(pairs, 'lan and wan are those that are advertised.'),
  version: fixed(text, 'That of the program.'),
  version_prerelease: fixed(text, 'That of the program.'),
}
