import type { Release } from './release-change.ts'

/** A default that changed: an operator sets the old value explicitly, or accepts the new one. */
interface ChangedDefault {
  /** With dots, as in a configuration file. */
  readonly key: string
  readonly of: 'servers' | 'clients' | 'agents'
  /** The value in the form of a configuration file. */
  readonly before: string
  readonly since: string
}

/**
 * An operator's tasks for one change when a cluster is upgraded across it. Texts are sentences for people; facts that a
 * plan decides by have members of their own.
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
  /** The reason, where the tasks `during` the upgrade are an order of steps. */
  readonly order?: 'leader last' | 'servers first'
  /** Whether the path and the steps of a plan already do this, so that the operator need not. */
  readonly inSteps?: true
  /** An upgrade from an earlier release passes through this one. */
  readonly through?: Release
  /** The release to take in place of this one. */
  readonly instead?: Release
  /** An agent that has run the release cannot be downgraded. */
  readonly noWayBack?: true
}

/** Advice on a change without a row in the table of changes, because no agent can be set back behind it. */
export interface UpgradeNote extends UpgradeAdvice {
  readonly since: Release
  /** Row of docs/reference/releases.md. */
  readonly reference: string
}

/** The phase of an upgrade in which a task is due. */
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
