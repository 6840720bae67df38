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
    gossip_interval: key(duration, 'Time between messages. -dev: 100ms.', { default: gossip, since }),
    gossip_nodes: key(count, 'Members that a message goes to.', { default: 3, since }),
    probe_interval: key(duration, 'Time between probes of one member after another. -dev: 100ms.', {
      default: probe,
      since,
    }),
    probe_timeout: key(duration, 'How long the answer to a probe may take. -dev: 100ms.', { default: timeout, since }),
    retransmit_mult: key(count, 'How often a message is repeated, times the logarithm of the members.', {
      default: 4,
      since,
    }),
    suspicion_mult: key(count, 'How long a member is suspected before it has failed. -dev: 3.', {
      default: suspicion,
      since,
    }),
  })
}

export const gossipKeys = {
  disable_coordinates: key(bool, 'No round-trip times are estimated.', { default: false }),
  disable_keyring_file: key(bool, 'Encryption keys are not kept in the data directory. -dev: true.', {
    default: false,
  }),
  encrypt: key(text, 'Key that gossip is encrypted with, in base64. Of no effect where keys are kept already.'),
  encrypt_verify_incoming: key(bool, 'Gossip in the clear is not listened to.', { default: true }),
  encrypt_verify_outgoing: key(bool, 'Gossip is sent encrypted.', { default: true }),
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
  reconnect_timeout: key(duration, 'A failed member is forgotten after this.', { default: '72h', since: '0.7.0' }),
  reconnect_timeout_wan: key(duration, 'The same of the pool of all datacenters.', {
    default: '72h',
    since: '0.7.0',
  }),
  rejoin_after_leave: key(bool, 'Rejoins at its start the members that it knew before, even if it had left.', {
    default: false,
  }),
  retry_interval: key(duration, 'Time between attempts of retry_join.', { default: '30s' }),
  retry_interval_wan: key(duration, 'Time between attempts of retry_join_wan.', { default: '30s' }),
  retry_join: key(
    texts,
    'Where other agents gossip, tried until one answers: host[:port], an address template, or provider=… of a cloud.',
    { default: [] },
  ),
  retry_join_wan: key(texts, 'The same of servers of other datacenters.', { default: [] }),
  retry_max: key(whole, 'Attempts after the first, then the agent ends; 0: for ever.', { default: 0 }),
  retry_max_wan: key(whole, 'The same of retry_join_wan.', { default: 0 }),
  start_join: key(texts, 'Where other agents gossip, host[:port], tried once: without an answer the agent ends.', {
    default: [],
  }),
  start_join_wan: key(texts, 'The same of servers of other datacenters.', { default: [] }),
}
