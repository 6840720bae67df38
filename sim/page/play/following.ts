import type { FilmOverview } from '../../picture/film-format.ts'
import type { View } from '../view.ts'

/** The visible time of a run that has just begun. */
const firstSpanUs = 10_000_000

export function firstView({ endUs }: FilmOverview): View {
  const toUs = Math.max(endUs, firstSpanUs)
  return {
    fromUs: toUs - firstSpanUs,
    toUs,
    cursorUs: endUs,
    machine: undefined,
    selected: undefined,
    violation: 0,
    hidden: new Set(),
  }
}

/** The same span of time, with the end of the run visible, and the cursor there. */
export function atTheEnd(view: View, { endUs }: FilmOverview): View {
  const span = view.toUs - view.fromUs
  const toUs = Math.max(endUs + span * 0.02, span)
  return { ...view, fromUs: toUs - span, toUs, cursorUs: endUs }
}
