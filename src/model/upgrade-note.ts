import type { Release } from './release-change.ts'

/** A default that changed: an operator writes the old value down, or accepts the new one. */
interface ChangedDefault {
  /** With dots, as in a configuration file. */
  readonly key: string
  readonly of: 'servers' | 'clients' | 'agents'
  /** As it would be written. */
  readonly before: string
  readonly since: string
}

/**
 * What an operator does about one change when a cluster is upgraded over it. Texts are sentences for people; members of
 * their own hold what a plan decides by.
 */
export interface UpgradeAdvice {
  /** Absent: everywhere. */
  readonly where?: 'access control'
  /** Before the first agent runs the release. */
  readonly before?: string
  /** While some agents run it and others do not. */
  readonly during?: string
  /** When all run it. */
  readonly after?: string
  readonly defaults?: readonly ChangedDefault[]
  /** What is done `during` the upgrade is a matter of the order of steps; this gives the reason. */
  readonly order?: 'leader last' | 'servers first'
  /** The path and the steps of a plan take care of it, so that the operator need not. */
  readonly inSteps?: true
  /** An upgrade from an earlier release passes through this one. */
  readonly through?: Release
  /** Not this release itself, but this one. */
  readonly instead?: Release
  /** An agent that has run the release cannot be downgraded. */
  readonly noWayBack?: true
}

/** Advice on what no agent can be taken back behind, and so has no row in the table of changes. */
export interface UpgradeNote extends UpgradeAdvice {
  readonly since: Release
  /** Row of docs/reference/releases.md. */
  readonly reference: string
}

/** When in the course of an upgrade something is to be done. */
export const moments = ['before', 'during', 'after'] as const

export type Moment = (typeof moments)[number]

/** The tasks at that moment, as sentences; changed defaults are set before the upgrade. */
export function adviceAt(advice: UpgradeAdvice, moment: Moment): readonly string[] {
  const scope = advice.where === undefined ? '' : '(with access control) '
  const said = advice[moment]
  const defaults = moment === 'before' ? (advice.defaults ?? []).map(defaultText) : []
  return [...(said === undefined ? [] : [said]), ...defaults].map((sentence) => `${scope}${sentence}`)
}

function defaultText({ key, of, before, since }: ChangedDefault): string {
  return `Write \`${key}\` = ${before} in the configuration of ${of} to keep the present behaviour, or accept ${since}, the new default.`
}
