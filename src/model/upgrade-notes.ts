import type { Behaviour } from './release.ts'
import type { Release } from './release-change.ts'
import type { UpgradeAdvice, UpgradeNote } from './upgrade-note.ts'

const release = (major: number, minor: number, patch: number): Release => ({ major, minor, patch })

/**
 * The operator's tasks for the rows of the table of changes, by their names. A row that is not here requires nothing of
 * an operator. The page docs/releases.md, `svc-sim plan` and `svc operator upgrade check` are generated from these.
 */
export const adviceOnChanges: Readonly<Partial<Record<Behaviour, UpgradeAdvice>>> = {
  'protocol-2': {
    inSteps: true,
    before:
      'While agents of a release below 0.3 are in the pool, set `protocol` to 1 on the others; then restart every agent without that setting.',
  },
  'kv-tombstones': {
    order: 'leader last',
    during:
      'Upgrade followers first and the leader last; or add new servers and then remove the old ones; or have every server upgraded within 15 minutes of the first key that is deleted under a new leader.',
  },
  'mdb-refused': {
    through: release(0, 5, 1),
    before:
      'First start servers with data of a release below 0.5.1 as 0.5.1, which rewrites the data: later releases refuse it.',
  },
  'one-private-address': {
    before:
      'Set `bind_addr` or `advertise_addr` on machines with more than one private address: without it the agent does not start.',
  },
  'prepared-queries': {
    during: 'Do not define prepared queries before every server is upgraded: an older one stops at the first.',
  },
  'protocol-1-dropped': {
    through: release(0, 3, 0),
    before: 'First upgrade agents of a release below 0.3 to a release in between, which understands their protocol.',
  },
  transactions: {
    during: 'Do not use /v1/txn before every server is upgraded: an older one stops at the first transaction.',
  },
  'query-near': {
    during:
      'Do not define queries with `Near` before every agent is upgraded: older servers drop it, older agents ignore it.',
  },
  'lan-address-tagged': { before: 'Make sure that readers of TaggedAddresses accept a second entry.' },
  'raft-timing-slow': {
    before:
      'Set `performance.raft_multiplier` to 1 on the new servers for the time of the upgrade: old ones do not wait for slower heartbeats.',
    defaults: [{ key: 'performance.raft_multiplier', of: 'servers', before: '1', since: '5' }],
  },
  'leave-by-kind': {
    before:
      'Decide how agents are stopped: an agent that leaves removes its services from the catalog while it restarts, an agent that is killed does not.',
    defaults: [
      { key: 'leave_on_terminate', of: 'clients', before: 'false', since: 'true' },
      { key: 'skip_leave_on_interrupt', of: 'servers', before: 'false', since: 'true' },
    ],
  },
  'dns-from-any-server': {
    defaults: [{ key: 'dns_config.allow_stale', of: 'agents', before: 'false', since: 'true' }],
  },
  'peers-json-for-recovery': {
    before: 'Do not count on raft/peers.json: the first start deletes the old file unread.',
  },
  'dns-however-old': {
    defaults: [{ key: 'dns_config.max_stale', of: 'agents', before: '"5s"', since: '"87600h"' }],
  },
  'snapshots-over-http': {
    during: 'Do not restore a snapshot before every server is upgraded: an older one stops at it.',
    after: 'Save a snapshot before each further step: `svc snapshot save`.',
  },
  'raft-protocol-chosen': {
    inSteps: true,
    before: 'From releases below 0.7 set `raft_protocol` to 1, and raise it to 2 in a second round.',
  },
  autopilot: {
    order: 'leader last',
    during:
      'Upgrade the leader last: a leader of 0.8.0 may write its settings at once, and older servers stop at them (since 0.8.1 it waits for them).',
  },
  'cli-rpc-gone': {
    before: 'Use `-http-addr` instead of `-rpc-addr` in scripts, and close port 8400: commands talk HTTP.',
  },
  'remote-exec-off': {
    defaults: [{ key: 'disable_remote_exec', of: 'agents', before: 'false', since: 'true' }],
  },
  'script-checks-opt-in': {
    before:
      'Set `enable_script_checks` where checks run programs: without it, such a check in a file keeps the agent from starting.',
    defaults: [{ key: 'enable_script_checks', of: 'agents', before: 'true', since: 'false' }],
  },
  'raft-protocol-3-by-default': {
    inSteps: true,
    before:
      'While servers of a release below 0.8 are in the cluster, set `raft_protocol` to 2. A single server that is upgraded in place stays on 2, or is told its new name by raft/peers.json.',
    defaults: [{ key: 'raft_protocol', of: 'servers', before: '2', since: '3' }],
  },
  'http-translates': {
    before:
      'With `translate_wan_addrs` make sure that clients reach nodes of other datacenters from outside: HTTP answers show those addresses, too.',
  },
  'child-reaping-gone': { before: 'Run an agent that is process 1 under an init process.' },
  'passing-has-a-value': {
    before: 'Look for clients that send `?passing=false` and expect only passing instances, as before.',
  },
  'old-options-refused': { before: 'Write options by their new names: with an old one the agent does not start.' },
  'unknown-keys-refused': { before: 'Correct unknown keys: with one the agent does not start.' },
  'metric-names-single': {
    before:
      'Use the names of metrics without the doubled prefix in dashboards; `telemetry.enable_deprecated_names` sends both until 1.1.0.',
  },
  'few-settings-told': {
    before: 'Make sure that programs which read /v1/agent/self take the settings from DebugConfig.',
  },
  'hcl-files': {
    before: 'Give configuration files a name that ends in .json or .hcl: in a directory other files are skipped.',
  },
  'denied-key-is-told-once': {
    where: 'access control',
    before:
      'Make sure that clients of keys accept 403 for a key that their token may not read: it was 404, and is 404 again with 0.9.2.',
  },
  'denied-key-is-told': {
    where: 'access control',
    before: 'Make sure that clients of keys accept 403 for a key that their token may not read: it was 404.',
  },
  'one-datacenter-in-names': {
    before: 'Look for DNS names with more than one label between kind and domain: they get NXDOMAIN.',
  },
  'unprintable-refused': {
    before: 'Look for clients that send characters in paths that cannot be printed: they get 400.',
  },
  'old-metric-names-gone': { before: 'Make sure that no program reads metrics by their doubled names any more.' },
  'old-definition-keys-refused': {
    before: 'Write checks and services by their new keys: with an old one the agent does not start.',
  },
  'tokens-and-policies': {
    where: 'access control',
    during:
      'The old system stays in force until every server of the primary datacenter runs 1.4.0; the new paths answer 500 until then.',
    after:
      'Wait until every legacy token has its accessor (128 a second, `svc acl status` shows the progress), then give tokens policies in place of their rules. `svc-sim run scenarios/acl-migration.yaml` rehearses all of it.',
  },
  'invalid-checks-refused': {
    before:
      'Run `svc validate -release=1.0.0` on the configuration of every agent: an invalid check keeps it from starting.',
  },
  'verbs-enforced': { before: 'Make sure that clients use the verbs of the interface: others get 405.' },
  'promotion-one-by-one': {
    during: 'When servers are replaced and not restarted, remove old ones of 1.0.0 by hand: `svc force-leave`.',
  },
  'index-of-one-service': {
    during: 'Clients with blocking queries must begin again at index 0 when an index falls.',
  },
  'raft-snapshots-rarer': {
    defaults: [
      { key: 'raft_snapshot_threshold', of: 'servers', before: '8192', since: '16384' },
      { key: 'raft_snapshot_interval', of: 'servers', before: '"5s"', since: '"30s"' },
    ],
  },
  'several-tags': {
    order: 'servers first',
    instead: release(1, 3, 1),
    during: 'Upgrade servers before clients: an older server finds nothing for a newer client that asks for a tag.',
  },
  'catalog-reads-one-tag': {
    inSteps: true,
    before:
      'Upgrade to 1.3.1 directly, not to 1.3.0, whose servers give older clients every instance, whatever tag they ask for.',
  },
  'registrations-need-a-rule': {
    where: 'access control',
    before:
      'Where the default policy is deny, give the tokens of agents a rule for their services: `service "" { policy = "write" }`.',
  },
  'reads-need-a-rule': {
    where: 'access control',
    before:
      'Where the default policy is deny, give clients, and agents for DNS, a rule to read services: `service "" { policy = "read" }`.',
  },
  'events-and-keyring-need-a-rule': {
    where: 'access control',
    after:
      'Give tokens that fire events or manage gossip keys the rules `event` and `keyring`, which older servers refuse.',
  },
  'queries-need-a-rule': {
    where: 'access control',
    after: 'Give tokens that manage named queries a rule `query`.',
  },
  'query-tokens-as-given': {
    where: 'access control',
    after: 'Give changed queries a `Token`, where the tokens that execute them may not see enough.',
  },
  'rules-of-version-8': {
    where: 'access control',
    before: 'Set `acl_enforce_version_8` to false on servers and clients.',
    after: 'Give tokens rules for node, agent, session, operator and query, then remove `acl_enforce_version_8`.',
    defaults: [{ key: 'acl_enforce_version_8', of: 'agents', before: 'false', since: 'true' }],
  },
}

/**
 * Tasks for changes without a row in the table of changes, because no agent of this program has the earlier behaviour.
 * Oldest first.
 */
export const furtherNotes = {
  'state-in-memory': {
    since: release(0, 6, 0),
    reference: 'REL-0.6-4',
    before: 'Give servers twice as much memory as they have data: the state is held in memory.',
  },
  'node-ids-unique': {
    since: release(0, 8, 0),
    reference: 'REL-0.8.0-9, REL-0.8.5-2',
    before: 'Make sure that no two machines have the same node ID, as copies of a machine do: the second cannot join.',
  },
  'interface-built-in': {
    since: release(0, 9, 0),
    reference: 'REL-0.9.0-2',
    before: 'Use `ui = true` instead of a `ui_dir` that holds the files of a release.',
  },
  'discovery-taken-literally': {
    since: release(1, 0, 0),
    reference: 'REL-1.0-6, REL-1.0-7',
    before:
      'Write values of `retry_join` as they are, in quotes where necessary: `+` and `%20` are not decoded any more.',
  },
  'secondary-datacenters-wait': {
    since: release(1, 4, 0),
    reference: 'REL-1.4.0-6, REL-1.4.0-12',
    where: 'access control',
    during:
      'Datacenters may be upgraded in any order; a secondary datacenter keeps the old system of access control until the primary one is upgraded.',
  },
  'no-way-back': {
    since: release(1, 4, 0),
    reference: 'REL-1.4.0-5',
    noWayBack: true,
    before: 'Save a snapshot, and keep it: an older server stops at what 1.4.0 writes, so this step cannot be undone.',
  },
} as const satisfies Readonly<Record<string, UpgradeNote>>
