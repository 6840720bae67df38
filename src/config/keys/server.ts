import { block, keysOf } from './key.ts'
import { bool, count, duration, notNegative, text, whole } from './types.ts'

/**
 * Keys of servers: consensus, autopilot, sessions. Reference: configuration.md#top-level-keys,
 * configuration.md#performance, configuration.md#autopilot-keys.
 */

const key = keysOf('consensus')
const autopilot = keysOf('autopilot', { since: '0.8.0' })
const commercial = { waits: { for: 'it is of the commercial edition', never: true } } as const

export const serverKeys = {
  autopilot: block('How servers look after each other; the first settings of a cluster.', {
    cleanup_dead_servers: autopilot(bool, 'Failed servers make way where the others can do without them.', {
      default: true,
    }),
    disable_upgrade_migration: autopilot(bool, 'Of the commercial edition.', { default: false, ...commercial }),
    last_contact_threshold: autopilot(duration, 'A server is well while its leader was heard of so lately.', {
      default: '200ms',
    }),
    max_trailing_logs: autopilot(whole, 'A server is well while it is no more entries behind.', { default: 250 }),
    min_quorum: autopilot(notNegative, 'Dead servers are not removed below this many voters.', { default: 0 }),
    redundancy_zone_tag: autopilot(text, 'Of the commercial edition.', { default: '', ...commercial }),
    server_stabilization_time: autopilot(duration, 'A server is given a vote after being well for this long.', {
      default: '10s',
    }),
    upgrade_version_tag: autopilot(text, 'Of the commercial edition.', { default: '', ...commercial }),
  }),
  bootstrap: key(bool, 'Form a cluster of this server alone.', { default: false }),
  bootstrap_expect: key(whole, 'Form the cluster when this many servers know of each other.', { default: 0 }),
  non_voting_server: key(bool, 'Of the commercial edition.', { default: false, ...commercial }),
  performance: block('How fast it is to notice.', {
    leave_drain_time: key(duration, 'How long a server that leaves goes on answering.', {
      default: '5s',
      since: '1.0.0',
    }),
    raft_multiplier: key(whole, 'Times of consensus: 1 is the fastest, 10 the slowest. -dev: shorter still.', {
      default: 5,
      since: '0.7.0',
    }),
    rpc_hold_timeout: key(duration, 'How long a request is held while there is no leader.', {
      default: '7s',
      since: '1.0.0',
    }),
  }),
  raft_protocol: key(whole, 'Version of the protocol of consensus, 1 to 3.', { default: 3, since: '0.8.0' }),
  raft_snapshot_interval: key(duration, 'How often it is looked whether to take a snapshot.', {
    default: '30s',
    since: '1.1.0',
  }),
  raft_snapshot_threshold: key(count, 'Entries between two snapshots.', { default: 16_384, since: '1.1.0' }),
  server: key(bool, 'Run as a server. -dev: true.', { default: false }),
  session_ttl_min: key(duration, 'The least time to live of a session.', { default: '10s', since: '0.5.1' }),
}
