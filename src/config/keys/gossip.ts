import { block, keysOf } from './key.ts'
import { bool, count, duration, text, texts, whole } from './types.ts'

/**
 * Keys of the pools: their members, and how these find each other. Reference: configuration.md#top-level-keys,
 * configuration.md#gossip-timing, configuration.md#addresses-to-join.
 */

const key = keysOf('pool')

interface GossipDefaults {
  readonly gossip: string
  readonly probe: string
  readonly timeout: string
  readonly suspicion: number
}

function gossip(about: string, { gossip, probe, timeout, suspicion }: GossipDefaults) {
  const since = '1.2.2'
  return block(about, {
    gossip_interval: key(duration, 'Time between two rounds of messages. -dev: 100ms.', { default: gossip, since }),
    gossip_nodes: key(count, 'To how many members a message is sent in each round.', { default: 3, since }),
    probe_interval: key(duration, 'Time between two probes. Members are probed one after another. -dev: 100ms.', {
      default: probe,
      since,
    }),
    probe_timeout: key(
      duration,
      'How long a probed member has to answer before others are asked to reach it. -dev: 100ms.',
      { default: timeout, since },
    ),
    retransmit_mult: key(count, 'How often a message is sent, as a factor of the logarithm of the number of members.', {
      default: 4,
      since,
    }),
    suspicion_mult: key(
      count,
      'How long a member is suspected before it counts as failed, as a factor of probe_interval and the logarithm of the number of members. -dev: 3.',
      {
        default: suspicion,
        since,
      },
    ),
  })
}

export const gossipKeys = {
  disable_coordinates: key(bool, 'Turns the estimates of round-trip times off.', { default: false }),
  disable_keyring_file: key(bool, 'Gossip keys are not stored in the data directory. -dev: true.', {
    default: false,
  }),
  encrypt: key(
    text,
    'Key that encrypts gossip, in base64. It has no effect where the data directory has keys already.',
  ),
  encrypt_verify_incoming: key(
    bool,
    'Gossip that is not encrypted is refused. false only while encryption is being turned on.',
    { default: true },
  ),
  encrypt_verify_outgoing: key(bool, 'Gossip is sent encrypted. false only while encryption is being turned on.', {
    default: true,
  }),
  gossip_lan: gossip('Gossip within the datacenter.', {
    gossip: '200ms',
    probe: '1s',
    timeout: '500ms',
    suspicion: 4,
  }),
  gossip_wan: gossip('Gossip among servers of all datacenters.', {
    gossip: '500ms',
    probe: '5s',
    timeout: '3s',
    suspicion: 6,
  }),
  protocol: key(whole, 'Version of the protocol between agents: 2 or 3.', { default: 2 }),
  reconnect_timeout: key(duration, 'Time after which a failed member is forgotten.', {
    default: '72h',
    since: '0.7.0',
  }),
  reconnect_timeout_wan: key(duration, 'The same for the pool of all datacenters.', {
    default: '72h',
    since: '0.7.0',
  }),
  rejoin_after_leave: key(
    bool,
    'At its start the agent joins the members that it knew before, even if it had left them.',
    {
      default: false,
    },
  ),
  retry_interval: key(duration, 'Time between attempts of retry_join.', { default: '30s' }),
  retry_interval_wan: key(duration, 'Time between attempts of retry_join_wan.', { default: '30s' }),
  retry_join: key(
    texts,
    'Other agents to join, tried again and again until one answers: host[:port], an address template, or provider=… of a cloud.',
    { default: [] },
  ),
  retry_join_wan: key(texts, 'The same for servers of other datacenters.', { default: [] }),
  retry_max: key(whole, 'How often joining is tried again before the agent gives up and ends; 0: no limit.', {
    default: 0,
  }),
  retry_max_wan: key(whole, 'The same for retry_join_wan.', { default: 0 }),
  start_join: key(texts, 'Other agents to join, host[:port], tried once: if none answers, the agent ends.', {
    default: [],
  }),
  start_join_wan: key(texts, 'The same for servers of other datacenters.', { default: [] }),
}
