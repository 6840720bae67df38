import type { Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Endpoint } from '../env/net.ts'
import type { Versions } from './core/messages.ts'
import type { GossipTiming, MemberStatus } from './core/types.ts'
import type { Keyring } from './keyring.ts'

export type { GossipTiming, MemberStatus }

export interface Member {
  readonly name: string
  /** Where it gossips. */
  readonly endpoint: Endpoint
  readonly tags: Readonly<Record<string, string>>
  readonly status: MemberStatus
  readonly versions: Versions
}

/** `reaped`: forgotten, after it had been failed or left for long. */
export interface MemberChange {
  readonly kind: 'joined' | 'updated' | 'failed' | 'left' | 'reaped'
  readonly member: Member
}

export interface PoolOptions {
  /** Unique in the pool. */
  readonly name: string
  readonly bind: Endpoint
  readonly advertise: Endpoint
  readonly tags: Readonly<Record<string, string>>
  readonly timing: GossipTiming
  /** Absent: everything goes in the clear. */
  readonly encryption?: PoolEncryption | undefined
  /** Why these members, said to be alive, may not be in this pool; undefined: they may. Pure. */
  readonly refuse?: (members: readonly Claim[]) => string | undefined
}

export interface PoolEncryption {
  readonly keyring: Keyring
  /** What comes in the clear is dropped. Off only while a pool is moved to encryption. */
  readonly verifyIncoming: boolean
  /** What is sent is encrypted. Off only while a pool is moved to encryption. */
  readonly verifyOutgoing: boolean
}

/** Somebody of whom it is said that it lives, before it is a member. */
export interface Claim {
  readonly name: string
  readonly tags: Readonly<Record<string, string>>
}

export interface PoolStats {
  readonly members: number
  readonly failed: number
  readonly left: number
  /** Local health, 0 for well. Lifeguard, section 3. */
  readonly healthScore: number
  readonly memberTime: number
  readonly broadcastQueue: number
}

/** One pool of agents that know of each other by gossip. */
export interface Pool {
  /** In order of name, the own one among them. */
  members(): readonly Member[]
  self(): Member
  stats(): PoolStats
  /** Calls `use` for what changes from now on, in a turn of the pool's; changes of one turn come together. */
  onChange(use: (changes: readonly MemberChange[]) => void): Closable
  /** One exchange with the pool's member at this address; afterwards both know what the other knew. */
  join(at: Endpoint): Promise<Result<undefined, string>>
  /** Says that this agent leaves and waits until that has spread, within the delays of `timing`. The pool goes on until `stop`. */
  leave(): Promise<void>
  /** Takes a failed member for one that left; one that is alive refutes it. False for a name that nobody has. */
  forceLeave(name: string): boolean
  /** Replaces the own tags; the others learn of it. */
  setTags(tags: Readonly<Record<string, string>>): void
  stop(): Promise<void>
}
