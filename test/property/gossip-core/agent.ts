import type { GossipAddress, Message } from '../../../src/gossip/core/messages.ts'
import type { GossipCore } from '../../../src/gossip/core/state.ts'
import type { CoreChange, GossipTimer } from '../../../src/gossip/core/types.ts'
import type { GossipTiming } from '../../../src/gossip/pool.ts'
import type { Dice } from '../../tools/dice.ts'

export const worldTiming: GossipTiming = {
  gossipIntervalMs: 200,
  gossipNodes: 3,
  probeIntervalMs: 1_000,
  probeTimeoutMs: 500,
  suspicionMult: 4,
  retransmitMult: 4,
  pushPullIntervalMs: 10_000,
  streamTimeoutMs: 5_000,
  gossipToDeadMs: 10_000,
  reconnectIntervalMs: 5_000,
  reapIntervalMs: 5_000,
  reconnectTimeoutMs: 3_600_000,
  tombstoneTimeoutMs: 3_600_000,
  leavePropagateDelayMs: 1_000,
}

export const worldVersions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}

/** About what the codec makes of it; never less than its texts and bytes. */
export function sizeOf(message: Message): number {
  switch (message.kind) {
    case 'alive':
      return 90 + message.node.length + message.meta.length
    case 'suspect':
    case 'dead':
      return 40 + message.node.length + message.from.length
    case 'leave-intent':
    case 'join-intent':
      return 40 + message.node.length
    default:
      return 60
  }
}

export interface Agent {
  readonly name: string
  address: GossipAddress
  core: GossipCore
  isRunning: boolean
  isPaused: boolean
  hasJoined: boolean
  boot: number
  dice: Dice
  readonly timers: Map<GossipTimer, number>
  inbox: (() => void)[]
  changes: CoreChange[]
}
