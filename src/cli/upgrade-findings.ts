import { type Release, releaseText } from '../model/release.ts'

/** A member of the pool, as the agent that was asked knows it. */
export interface CheckedAgent {
  readonly name: string
  /** Undefined: its tag `build` names no release. */
  readonly release: Release | undefined
  readonly status: string
}

export interface CheckedServer extends CheckedAgent {
  readonly raftProtocol: number
  readonly leads: boolean
  /** Whether it is a voter; undefined: unknown. */
  readonly voter: boolean | undefined
  /** Whether the leader considers it healthy; undefined: unknown. */
  readonly healthy: boolean | undefined
  /** The last log index that the leader knows of it; undefined: unknown. */
  readonly lastIndex: number | undefined
  /** What it announces to the pool. */
  readonly tags: Readonly<Record<string, string>>
  /** Its access control tag in the pool; servers below 1.4.0 have none. */
  readonly acls: string | undefined
}

/** A live cluster: one datacenter, without members that left. */
export interface CheckedCluster {
  readonly datacenter: string
  readonly servers: readonly CheckedServer[]
  readonly clients: readonly CheckedAgent[]
  /** Members of the consensus group that are not in the pool. */
  readonly strays: readonly string[]
  readonly otherDatacenters: readonly string[]
  /** What could not be read, one clause for each. */
  readonly unread: readonly string[]
}

export interface Finding {
  /** For programs; never changes. */
  readonly kind: string
  readonly what: string
  readonly remedy: string
}

export function finding(kind: string, what: string, remedy: string): Finding {
  return { kind, what, remedy }
}

export function namesOf(agents: readonly CheckedAgent[]): string {
  return agents.map(({ name }) => name).join(', ')
}

export function withReleases(agents: readonly CheckedAgent[]): string {
  return agents.map(({ name, release }) => `${name} ${textOf(release)}`).join(', ')
}

export function textOf(release: Release | undefined): string {
  return release === undefined ? '?' : releaseText(release)
}
