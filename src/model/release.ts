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

/** Raft protocol of the newest release: servers are named by node ID. */
export const raftProtocol = { spoken: 3, min: 0, max: 3 } as const

export const behaviours = {
  /** A verb not listed for an endpoint is refused with 405. Spec: Ver/1.0. */
  'verbs-enforced': { major: 1, minor: 0, patch: 0 },
  /** Deleted keys leave tombstones, a replicated command older servers do not know. Spec: Ver/0.5. */
  'kv-tombstones': { major: 0, minor: 5, patch: 0 },
} as const satisfies Record<string, Release>

export type Behaviour = keyof typeof behaviours

export function releaseText(release: Release): string {
  return `${release.major}.${release.minor}.${release.patch}`
}

export function hasBehaviour(release: Release, behaviour: Behaviour): boolean {
  return isAtLeast(release, behaviours[behaviour])
}

/** Whether `release` is `since` or a later one. */
export function isAtLeast(release: Release, since: Release): boolean {
  if (release.major !== since.major) return release.major > since.major
  if (release.minor !== since.minor) return release.minor > since.minor
  return release.patch >= since.patch
}
