/**
 * Releases of the service, and what changed with each: code asks `hasBehaviour(release, …)`, it never compares version
 * strings. A row is one behaviour change. Spec: Versioning, Release notes.
 */
export interface Release {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

export const newestRelease: Release = { major: 1, minor: 4, patch: 0 }

/** Protocol of the LAN pool between agents (not the Raft protocol): spoken by default, and the range understood. */
export const internalProtocol = { spoken: 2, min: 2, max: 3 } as const

/** Raft protocols that are known at all, as `info` shows them. */
export const knownRaftProtocols = { min: 0, max: 3 } as const

export const behaviours = {
  /** Deleted keys leave tombstones, a replicated command older servers do not know. Spec: Ver/0.5. */
  'kv-tombstones': { major: 0, minor: 5, patch: 0 },
  /** Prepared queries, whose replicated commands older servers do not know. Spec: Ver/0.6. */
  'prepared-queries': { major: 0, minor: 6, patch: 0 },
  /** A prepared query keeps a node near which its instances are to be, and agents say where they are. Spec: Ver/0.7. */
  'query-near': { major: 0, minor: 7, patch: 0 },
  /** A node's addresses for its own datacenter and for others are told apart by tags: `lan` beside `wan`. Spec: Ver/0.7. */
  'lan-address-tagged': { major: 0, minor: 7, patch: 0 },
  /** Raft protocol 1; before it was 0. Spec: Versioning. */
  'raft-protocol-1': { major: 0, minor: 7, patch: 0 },
  /** `peers.json` is there for recovery alone, and read only beside its marker `peers.info`. Spec: Ver/0.7. */
  'peers-json-for-recovery': { major: 0, minor: 7, patch: 0 },
  /** Whether a snapshot is due is looked at every 5 s, before every 2 min. Reference: releases, 0. */
  'raft-snapshot-looked-at-often': { major: 0, minor: 7, patch: 2 },
  /** `raft_protocol` chooses 1, 2 or 3; 2 if absent. Spec: Versioning. */
  'raft-protocol-chosen': { major: 0, minor: 8, patch: 0 },
  /** `raft_protocol` is 3 if absent. Spec: Ver/1.0. */
  'raft-protocol-3-by-default': { major: 1, minor: 0, patch: 0 },
  /** A check in a file that is wrong keeps the agent from starting; before, it was left out. Spec: Ver/1.0. */
  'invalid-checks-refused': { major: 1, minor: 0, patch: 0 },
  /** A verb not listed for an endpoint is refused with 405. Spec: Ver/1.0. */
  'verbs-enforced': { major: 1, minor: 0, patch: 0 },
  /** A server gets its vote as soon as it is stable; before, voters were promoted so that their number stays odd. Spec: Ver/1.0.1. */
  'promotion-one-by-one': { major: 1, minor: 0, patch: 1 },
  /** Raft snapshots are taken more rarely. Spec: Ver/1.1.0. */
  'raft-snapshots-rarer': { major: 1, minor: 1, patch: 0 },
} as const satisfies Record<string, Release>

export type Behaviour = keyof typeof behaviours

export function releaseText(release: Release): string {
  return `${release.major}.${release.minor}.${release.patch}`
}

export function hasBehaviour(release: Release, behaviour: Behaviour): boolean {
  return isAtLeast(release, behaviours[behaviour])
}

export interface RaftProtocols {
  /** What `raft_protocol` may be. */
  readonly min: number
  readonly max: number
  /** If it is absent. */
  readonly spoken: number
}

/** Which Raft protocols a server of this release speaks. Spec: Versioning; reference: releases, 0. */
export function raftProtocolsOf(release: Release): RaftProtocols {
  if (hasBehaviour(release, 'raft-protocol-3-by-default')) return { min: 1, max: 3, spoken: 3 }
  if (hasBehaviour(release, 'raft-protocol-chosen')) return { min: 1, max: 3, spoken: 2 }
  return hasBehaviour(release, 'raft-protocol-1') ? { min: 1, max: 1, spoken: 1 } : { min: 0, max: 0, spoken: 0 }
}

/** When a snapshot is taken, if the configuration does not say. Spec: Ver/1.1.0; reference: releases, 0. */
export function snapshotDefaultsOf(release: Release): { readonly threshold: number; readonly intervalMs: number } {
  if (hasBehaviour(release, 'raft-snapshots-rarer')) return { threshold: 16_384, intervalMs: 30_000 }
  return { threshold: 8_192, intervalMs: hasBehaviour(release, 'raft-snapshot-looked-at-often') ? 5_000 : 120_000 }
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
