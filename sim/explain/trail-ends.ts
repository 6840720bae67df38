import type { TraceRecord } from '../report/trace-record.ts'
import type { Events } from './events.ts'

/** A trail with more effects than this leads on to everything that its agents do. */
const effectsMax = 2_000
/** More ends than this are no longer the end of one thing. */
const endsMax = 12

/**
 * Where the trail of a question ends that was never answered: if the violation is that a time for an answer is over, the
 * last effects of what was asked. What should have been done next was not, so the fault is in their turns or behind. If
 * the asked agent did nothing but wait, it waits for another trail: all are taken that ended there without an effect.
 */
export function trailEnds(events: Events, violation: TraceRecord): readonly TraceRecord[] {
  const effects = effectsIn(events, violation)
  const waits = events.causesOf(violation).filter(({ kind }) => kind === 'timer')
  const asked = waits.flatMap((wait) => events.causesOf(wait)).flatMap(({ n }) => effects.get(n) ?? [])
  return asked.filter(isSending).flatMap((question) => {
    const ends = endsOf(question, effects)
    const [only] = ends
    const isWaiting = ends.length === 1 && only?.causes.includes(question.n)
    return isWaiting && only !== undefined ? [only, ...deadEndsAt(only, question, { events, effects })] : ends
  })
}

/** What an agent wrote or was told, and nothing followed from it; nothing if that is usual. */
function deadEndsAt(
  { n: arrival, node }: TraceRecord,
  question: TraceRecord,
  { events, effects }: { readonly events: Events; readonly effects: Effects },
): readonly TraceRecord[] {
  const found = events.all.filter((event) => {
    const isDone = event.kind === 'diskDone' || (event.kind === 'segment' && event.from !== question.node)
    return isDone && event.node === node && event.n < arrival && !effects.has(event.n)
  })
  return found.length > endsMax ? [] : found
}

type Effects = ReadonlyMap<number, readonly TraceRecord[]>

function effectsIn({ all }: Events, violation: TraceRecord): Effects {
  const effects = new Map<number, TraceRecord[]>()
  for (const event of all) {
    if (event.n > violation.n) break
    for (const cause of event.causes) {
      const known = effects.get(cause)
      if (known === undefined) effects.set(cause, [event])
      else known.push(event)
    }
  }
  return effects
}

function endsOf(question: TraceRecord, effects: Effects): readonly TraceRecord[] {
  const seen = new Set<TraceRecord>([question])
  for (const event of seen) {
    if (isAnswer(event, question) || seen.size > effectsMax) return []
    for (const effect of effects.get(event.n) ?? []) seen.add(effect)
  }
  const ends = [...seen].filter(({ n }) => !effects.has(n))
  return ends.length > endsMax ? [] : ends
}

/** Something of this trail arrives where the question came from. */
function isAnswer(event: TraceRecord, { node }: TraceRecord): boolean {
  return event.node === node && (event.kind === 'segment' || event.kind === 'datagram')
}

function isSending({ kind }: TraceRecord): boolean {
  return kind === 'segmentSent' || kind === 'datagramSent'
}
