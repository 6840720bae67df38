import type { ChangedDefault, UpgradeAdvice } from './upgrade-note.ts'

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
  return `Write \`${key}\` = ${before} down on ${of} to keep what is so today, or accept ${since}, the new default.`
}
