import { z } from 'zod'
import { block, keysOf } from './key.ts'
import { bool, duration, notNegative, text, whole } from './types.ts'

/**
 * Keys of servers: consensus, autopilot, sessions. Reference: configuration.md#top-level-keys,
 * configuration.md#performance, configuration.md#autopilot-keys.
 */

const key = keysOf('consensus')
const autopilot = keysOf('autopilot', { since: '0.8.0' })
const commercial = { waits: { for: 'it is of the commercial edition', never: true } } as const

export const serverKeys = {
  autopilot: block(
    'How the leader looks after the other servers. These are the settings of a new cluster; afterwards `svc operator autopilot set-config` changes them.',
    {
      cleanup_dead_servers: autopilot(
        bool,
        'Failed servers are removed from the cluster as long as the remaining ones keep a majority.',
        {
          default: true,
        },
      ),
      disable_upgrade_migration: autopilot(bool, 'Accepted, without effect: it belongs to the commercial edition.', {
        default: false,
        ...commercial,
      }),
      last_contact_threshold: autopilot(duration, 'A server is healthy if it heard from the leader within this time.', {
        default: '200ms',
      }),
      max_trailing_logs: autopilot(
        whole,
        'A server is healthy if its log is at most this many entries behind the leader’s.',
        { default: 250 },
      ),
      min_quorum: autopilot(notNegative, 'Failed servers are not removed if fewer voters than this would remain.', {
        default: 0,
      }),
      redundancy_zone_tag: autopilot(text, 'Accepted, without effect: it belongs to the commercial edition.', {
        default: '',
        ...commercial,
      }),
      server_stabilization_time: autopilot(
        duration,
        'A new server gets its vote after it has been healthy for this long.',
        {
          default: '10s',
        },
      ),
      upgrade_version_tag: autopilot(text, 'Accepted, without effect: it belongs to the commercial edition.', {
        default: '',
        ...commercial,
      }),
    },
  ),
  bootstrap: key(bool, 'The server forms a cluster by itself.', { default: false }),
  bootstrap_expect: key(
    whole,
    'The servers form the cluster as soon as this many of them know each other. The same number on each.',
    { default: 0 },
  ),
  non_voting_server: key(bool, 'Accepted, without effect: it belongs to the commercial edition.', {
    default: false,
    ...commercial,
  }),
  performance: block('Times that trade the speed of reactions for load.', {
    leader_detection: key(
      z.enum(['adaptive', 'fixed']),
      '`adaptive`: a server that hears its leader regularly misses it after half of the timeout already. `fixed`: never before all of it.',
      { default: 'adaptive' },
    ),
    leave_drain_time: key(duration, 'How long a server that leaves goes on answering requests.', {
      default: '5s',
      since: '1.0.0',
    }),
    raft_multiplier: key(
      whole,
      'Factor of the timeouts of consensus: 1 is the fastest, 10 the slowest. -dev: faster still.',
      {
        default: 5,
        since: '0.7.0',
      },
    ),
    rpc_hold_timeout: key(duration, 'How long a request waits for a leader before it fails.', {
      default: '7s',
      since: '1.0.0',
    }),
    warm_up: key(
      bool,
      'While it is idle after its start, the agent runs common requests on a scratch agent, so that the first real ones meet compiled code. Takes at most 0.2 s, in parts of 5 ms.',
      { default: false },
    ),
  }),
  raft_protocol: key(whole, 'Version of the consensus protocol, 1 to 3.', { default: 3, since: '0.8.0' }),
  raft_snapshot_interval: key(duration, 'How often a server looks whether a snapshot is due; 0s: the default.', {
    default: '30s',
    since: '1.1.0',
  }),
  raft_snapshot_threshold: key(notNegative, 'How many new log entries make a snapshot due; 0: the default.', {
    default: 16_384,
    since: '1.1.0',
  }),
  server: key(bool, 'The agent is a server, and not a client. -dev: true.', { default: false }),
  session_ttl_min: key(duration, 'The shortest time to live that a session may have.', {
    default: '10s',
    since: '0.5.1',
  }),
}
