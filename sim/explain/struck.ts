import type { TraceRecord } from '../report/trace-record.ts'
import type { Events } from './events.ts'

/** Events in which a fault strikes a machine. */
const strikes: ReadonlySet<TraceRecord['kind']> = new Set([
  'boot',
  'clock',
  'crash',
  'diskFault',
  'link',
  'pause',
  'resume',
])
const struckMax = 12

/** The events in which these decisions, named by their identities, took effect at machines: the first ones. */
export function struckBy(events: Events, decisions: readonly string[]): readonly TraceRecord[] {
  const wanted = new Set(decisions)
  const near = new Set<number>()
  const found: TraceRecord[] = []
  for (const event of events.all) {
    if (event.kind === 'decision' && wanted.has(event.id)) near.add(event.n)
    else if (event.causes.some((n) => near.has(n))) {
      // A fault is a deed of the driver first, and strikes machines by that.
      if (event.kind === 'driver') near.add(event.n)
      else if (strikes.has(event.kind) || event.kind === 'segmentSent') found.push(event)
    }
    if (found.length >= struckMax) break
  }
  return found
}
