import type { AgentConfig, PoolConfig, WanConfig } from '../../agent/settings/agent-config.ts'
import { devWanGossip, wanGossip } from '../../agent/settings/gossip-timing.ts'
import { formatDuration } from '../../base/duration.ts'
import { keyFrom } from '../../gossip/keyring.ts'
import type { GossipTiming } from '../../gossip/pool.ts'
import { joinWithoutSecrets } from '../hidden.ts'
import type { FileConfig } from '../schema.ts'
import { advertiseWan } from './addresses.ts'
import type { Join } from './joins.ts'
import { serfBind } from './network.ts'
import { interval, milliseconds, notNegative, type Report, type Reports, type Shown } from './values.ts'

/** Reference: configuration.md#gossip-timing. */
export function gossipOf(
  block: 'gossip_lan' | 'gossip_wan',
  file: FileConfig,
  defaults: GossipTiming,
  warn: Report,
): GossipTiming {
  const given = file[block] ?? {}
  const reconnect = block === 'gossip_lan' ? file.reconnect_timeout : file.reconnect_timeout_wan
  const time = (key: 'gossip_interval' | 'probe_interval' | 'probe_timeout', otherwise: number): number =>
    interval(`${block}.${key}`, given[key], otherwise, warn)
  return {
    ...defaults,
    gossipIntervalMs: time('gossip_interval', defaults.gossipIntervalMs),
    gossipNodes: given.gossip_nodes ?? defaults.gossipNodes,
    probeIntervalMs: time('probe_interval', defaults.probeIntervalMs),
    probeTimeoutMs: time('probe_timeout', defaults.probeTimeoutMs),
    suspicionMult: given.suspicion_mult ?? defaults.suspicionMult,
    retransmitMult: given.retransmit_mult ?? defaults.retransmitMult,
    reconnectTimeoutMs: milliseconds(reconnect, defaults.reconnectTimeoutMs),
  }
}

/** The pool of the servers of all datacenters. */
export function wanOf(
  file: FileConfig,
  dev: boolean,
  at: { readonly bind: string; readonly advertise: string; readonly port: number; readonly join: Join },
  { problem, warn }: Reports,
): AgentConfig['wan'] {
  const port = at.port > 0 ? at.port : defaultWanPort
  return {
    bindAddress: serfBind('serf_wan', file, at.bind, problem),
    advertiseAddress: advertiseWan(file, at.advertise, problem),
    startJoin: at.join('start_join_wan', port),
    retryJoin: at.join('retry_join_wan', port),
    retryIntervalMs: interval('retry_interval_wan', file.retry_interval_wan, 30_000, warn),
    retryMax: notNegative('retry_max_wan', file.retry_max_wan, warn),
    gossip: gossipOf('gossip_wan', file, dev ? devWanGossip : wanGossip, warn),
    translatesAddresses: file.translate_wan_addrs ?? false,
  }
}

/** If this agent has no such pool, it joins no address, but the configured addresses are still checked. */
const defaultWanPort = 8302

export function poolOf(file: FileConfig, dev: boolean, defaults: AgentConfig, problem: Report): AgentConfig['pool'] {
  const encrypt = file.encrypt === '' ? undefined : file.encrypt
  const key = encrypt === undefined ? undefined : keyFrom(encrypt)
  if (key?.ok === false)
    problem(`encrypt has invalid key: ${key.error}`, `make one with ${defaults.naming.name} keygen`, 'encrypt')
  return {
    encrypt,
    verifyIncoming: file.encrypt_verify_incoming ?? defaults.pool.verifyIncoming,
    verifyOutgoing: file.encrypt_verify_outgoing ?? defaults.pool.verifyOutgoing,
    keepsKeyring: !(file.disable_keyring_file ?? dev),
    rejoinAfterLeave: file.rejoin_after_leave ?? defaults.pool.rejoinAfterLeave,
    keepsCoordinate: !(file.disable_coordinates ?? false),
    protocol: file.protocol ?? defaults.pool.protocol,
  }
}

/** As `/v1/agent/self` shows it. */
export function shownPool(pool: PoolConfig): Shown {
  return {
    DisableCoordinates: !pool.keepsCoordinate,
    DisableKeyringFile: !pool.keepsKeyring,
    EncryptKey: pool.encrypt === undefined ? '' : 'hidden',
    EncryptVerifyIncoming: pool.verifyIncoming,
    EncryptVerifyOutgoing: pool.verifyOutgoing,
    RPCProtocol: pool.protocol,
    RejoinAfterLeave: pool.rejoinAfterLeave,
  }
}

/** As `/v1/agent/self` shows it. */
export function shownGossip(pool: 'LAN' | 'WAN', timing: GossipTiming): Shown {
  return {
    [`Gossip${pool}GossipToDead`]: formatDuration(timing.gossipToDeadMs),
    [`Gossip${pool}GossipInterval`]: formatDuration(timing.gossipIntervalMs),
    [`Gossip${pool}GossipNodes`]: timing.gossipNodes,
    [`Gossip${pool}ProbeInterval`]: formatDuration(timing.probeIntervalMs),
    [`Gossip${pool}ProbeTimeout`]: formatDuration(timing.probeTimeoutMs),
    [`Gossip${pool}PushPullInterval`]: formatDuration(timing.pushPullIntervalMs),
    [`Gossip${pool}ReapInterval`]: formatDuration(timing.reapIntervalMs),
    [`Gossip${pool}ReconnectInterval`]: formatDuration(timing.reconnectIntervalMs),
    [`Gossip${pool}RetransmitMult`]: timing.retransmitMult,
    [`Gossip${pool}StreamTimeout`]: formatDuration(timing.streamTimeoutMs),
    [`Gossip${pool}SuspicionMult`]: timing.suspicionMult,
    [`Gossip${pool}TombstoneTimeout`]: formatDuration(timing.tombstoneTimeoutMs),
  }
}

/** As `/v1/agent/self` shows it. */
export function shownWan(wan: WanConfig): Shown {
  return {
    AdvertiseAddrWAN: wan.advertiseAddress,
    LeavePropagateDelayWAN: formatDuration(wan.gossip.leavePropagateDelayMs),
    ReconnectTimeoutWAN: formatDuration(wan.gossip.reconnectTimeoutMs),
    RetryJoinIntervalWAN: formatDuration(wan.retryIntervalMs),
    RetryJoinMaxAttemptsWAN: wan.retryMax,
    RetryJoinWAN: wan.retryJoin.map(joinWithoutSecrets),
    StartJoinAddrsWAN: wan.startJoin,
    TranslateWANAddrs: wan.translatesAddresses,
  }
}
