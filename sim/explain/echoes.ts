import type { EvidenceKind } from '../checkers/evidence.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import type { ChainEvent } from './chain-event.ts'
import type { Events } from './events.ts'
import { meaningsIn, ofPlace } from './evidence.ts'

/**
 * Leaves out lines that another line implies. Of a message, the arrival stays; of a client's request, the sending. If a
 * message makes a server write it to its log, the write stays. A crash by a fault is shown with the fault.
 */
export function withoutEchoes(found: readonly ChainEvent[], events: Events): readonly ChainEvent[] {
  const shown = new Map(found.map((each) => [each.event.n, each]))
  const told = new Set<number>()
  for (const copy of copies(found)) told.add(copy)
  for (const { event, part } of found) {
    for (const cause of events.causesOf(event)) {
      const isSameTurn = cause.node === event.node && cause.t === event.t
      if (event.kind === 'diskWrite' && isSameTurn && isMessage(cause)) told.add(cause.n)
      if (part === 'life' && cause.kind === 'driver' && cause.story === 'fault') told.add(event.n)
      if (!isMessage(event) || !isSending(cause)) continue
      if (isAsking(event) && shown.has(cause.n)) told.add(event.n)
      else told.add(cause.n)
    }
  }
  const deeds = found.filter(({ part }) => part === 'fault')
  for (const { event } of found) {
    const isCrash = event.kind === 'crash' || event.kind === 'pause'
    if (isCrash && deeds.some((deed) => deed.event.t === event.t)) told.add(event.n)
    const isNews = event.kind === 'driver' && event.story === 'note'
    const sameTime = (each: ChainEvent): boolean => each.event.t === event.t && each.event.kind === 'note'
    if (isNews && found.some(sameTime)) told.add(event.n)
  }
  return found.filter(({ event }) => !told.has(event.n))
}

/** If the content of a command matters, and not which servers have it, its first write stands for all. */
function copies(found: readonly ChainEvent[]): readonly number[] {
  const known = new Set<string>()
  return found.flatMap(({ event, part }) => {
    if (event.kind !== 'diskWrite' || ofPlace.has(part as EvidenceKind)) return []
    const entries = meaningsIn(event).flatMap((each) => (each.layer === 'log' && each.name === 'entry' ? [each] : []))
    const isCopy = entries.length > 0 && entries.every(({ index, term }) => known.has(`${index}/${term}`))
    for (const { index, term } of entries) known.add(`${index}/${term}`)
    return isCopy ? [event.n] : []
  })
}

function isMessage({ kind }: TraceRecord): boolean {
  return kind === 'segment' || kind === 'datagram'
}

function isSending({ kind }: TraceRecord): boolean {
  return kind === 'segmentSent' || kind === 'datagramSent'
}

/** The arrival of a client's request. */
function isAsking(event: TraceRecord): boolean {
  return meaningsIn(event).some(({ layer, name }) => (layer === 'http' && name === 'request') || name === 'question')
}
