/**
 * Releases of the service, and what changed with each: code asks `hasBehaviour(release, …)`, it never compares version
 * strings. Spec: UPG-001.
 */
import { accessChanges } from './access-changes.ts'
import { dnsChanges } from './dns-changes.ts'
import { interfaceChanges } from './interface-changes.ts'
import { optionChanges } from './option-changes.ts'
import type { Release, ReleaseChange } from './release-change.ts'
import { serverChanges } from './server-changes.ts'

export type { Release, ReleaseChange } from './release-change.ts'

export const newestRelease: Release = { major: 1, minor: 4, patch: 0 }

/** The earliest release that an agent can be set to; too little is known of the releases before it. */
export const oldestRelease: Release = { major: 0, minor: 2, patch: 0 }

/** Raft protocols that are known at all, as `info` shows them. */
export const knownRaftProtocols = { min: 0, max: 3 } as const

/**
 * Every change of behaviour that an agent can be set back behind: first those of servers and of defaults, oldest first,
 * then those of DNS, of the rest of the interface, and of options. Code asks for them by name; a release has those that
 * were introduced with it or before. Releases between two rows behave as the earlier row.
 */
export const changes = {
  ...serverChanges,
  ...dnsChanges,
  ...interfaceChanges,
  ...optionChanges,
  ...accessChanges,
} as const satisfies Record<string, ReleaseChange>

export type Behaviour = keyof typeof changes

export function releaseText(release: Release): string {
  return `${release.major}.${release.minor}.${release.patch}`
}

export function hasBehaviour(release: Release, behaviour: Behaviour): boolean {
  return isWithin(release, changes[behaviour])
}

/** Whether a release is among those that have a change. */
export function isWithin(release: Release, { since, until }: Pick<ReleaseChange, 'since' | 'until'>): boolean {
  return isAtLeast(release, since) && (until === undefined || !isAtLeast(release, until))
}

/** The release that introduced a change: for replicated commands, servers of an older release stop at them. */
export function releaseOf(behaviour: Behaviour): Release {
  return changes[behaviour].since
}

export interface ProtocolRange {
  /** The versions that are understood. */
  readonly min: number
  readonly max: number
  /** The version that is used by default. */
  readonly spoken: number
}

/**
 * The protocols between agents (not the Raft protocol) that an agent of this release speaks. By the reference, version
 * 2 begins with 0.4; that agents of 0.3 can join those of 0.7 is from the specification. Spec: MEM-023, MEM-024.
 * Reference: releases.md#internal-protocol.
 */
export function internalProtocolsOf(release: Release): ProtocolRange {
  const has = (behaviour: Behaviour): boolean => hasBehaviour(release, behaviour)
  const max = has('protocol-3') ? 3 : has('protocol-2') ? 2 : 1
  return { min: has('protocol-1-dropped') ? 2 : 1, max, spoken: Math.min(2, max) }
}

export interface RaftProtocols {
  /** The permitted values of `raft_protocol`. */
  readonly min: number
  readonly max: number
  /** The value if it is absent. */
  readonly spoken: number
}

/**
 * The Raft protocols that a server of this release speaks. Spec: RFT-004, RFT-005, RFT-006, RFT-032.
 * Reference: releases.md#raft-protocol.
 */
export function raftProtocolsOf(release: Release): RaftProtocols {
  if (hasBehaviour(release, 'raft-protocol-3-by-default')) return { min: 1, max: 3, spoken: 3 }
  if (hasBehaviour(release, 'raft-protocol-chosen')) return { min: 1, max: 3, spoken: 2 }
  return hasBehaviour(release, 'raft-protocol-1') ? { min: 1, max: 1, spoken: 1 } : { min: 0, max: 0, spoken: 0 }
}

/** How a server of this release treats a log in `mdb`. Spec: RFT-022, RFT-023. */
export function oldLogsOf(release: Release): 'kept' | 'migrated' | 'refused' {
  if (hasBehaviour(release, 'mdb-refused')) return 'refused'
  return hasBehaviour(release, 'log-out-of-mdb') ? 'migrated' : 'kept'
}

/**
 * When a snapshot is taken by default. The reference has a longer interval for releases up to 0.7.1, which is not
 * distinguished here.
 * Spec: RFT-018, RFT-019. Reference: releases.md#raft-snapshots.
 */
export function snapshotDefaultsOf(release: Release): { readonly threshold: number; readonly intervalMs: number } {
  if (hasBehaviour(release, 'raft-snapshots-rarer')) return { threshold: 16_384, intervalMs: 30_000 }
  return { threshold: 8_192, intervalMs: 5_000 }
}

/** Defaults that have changed between releases. Reference: releases.md#changed-defaults. */
export interface SettingDefaults {
  readonly raftProtocol: number
  /** `performance.raft_multiplier` */
  readonly raftMultiplier: number
  readonly leaveOnTerminate: boolean
  readonly skipLeaveOnInterrupt: boolean
  /** `dns_config.allow_stale` */
  readonly dnsAllowStale: boolean
  /** `dns_config.max_stale` */
  readonly dnsMaxStaleMs: number
  readonly disableRemoteExec: boolean
  /** `ports.rpc`; -1: there is none. */
  readonly cliRpcPort: number
  readonly enableScriptChecks: boolean
  /** `acl_enforce_version_8` */
  readonly enforceVersion8: boolean
}

export function settingDefaultsOf(release: Release, server: boolean): SettingDefaults {
  const has = (behaviour: Behaviour): boolean => hasBehaviour(release, behaviour)
  return {
    raftProtocol: raftProtocolsOf(release).spoken,
    raftMultiplier: has('raft-timing-slow') ? 5 : 1,
    leaveOnTerminate: has('leave-by-kind') && !server,
    skipLeaveOnInterrupt: has('leave-by-kind') && server,
    dnsAllowStale: has('dns-from-any-server'),
    dnsMaxStaleMs: has('dns-however-old') ? 87_600 * 3_600_000 : 5_000,
    disableRemoteExec: has('remote-exec-off'),
    cliRpcPort: has('cli-rpc-gone') ? -1 : 8400,
    enableScriptChecks: !has('script-checks-opt-in'),
    enforceVersion8: has('rules-of-version-8'),
  }
}

/** The release that a text such as `1.0.1` names. */
export function parseRelease(text: string): Release | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (parts === null) return undefined
  return { major: Number(parts[1]), minor: Number(parts[2]), patch: Number(parts[3]) }
}

/** Whether `release` is `since` or a later one. */
export function isAtLeast(release: Release, since: Release): boolean {
  if (release.major !== since.major) return release.major > since.major
  if (release.minor !== since.minor) return release.minor > since.minor
  return release.patch >= since.patch
}
