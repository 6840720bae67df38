import { useEffect, useState } from 'preact/hooks'
import type { TraceRecord } from '../report/trace-record.ts'
import { eventWords } from './event-words.ts'
import type { FilmSource } from './film-source.ts'
import { seconds, shortSeconds, type View } from './view.ts'

/** Causes and effects of one event that are listed. */
const listedMax = 24

interface Found {
  readonly event: TraceRecord
  readonly causes: readonly TraceRecord[]
  readonly effects: readonly TraceRecord[]
}

export interface EventPanelProps {
  readonly source: FilmSource
  readonly view: View
  readonly onShow: (event: { readonly n: number; readonly t: number; readonly node: string }) => void
}

/** The event that was chosen: its words, its fields, what led to it and what it led to. */
export function EventPanel({ source, view, onShow }: EventPanelProps) {
  const found = useEvent(source, view.selected)
  if (view.selected === undefined) {
    return <p class="hint">Zoom in until single events and messages are drawn, and click one.</p>
  }
  if (found === undefined) return <p class="hint">Event {view.selected} is being opened.</p>
  if (found === 'not there') return <p class="hint">Event {view.selected} is not in the page.</p>
  const { event, causes, effects } = found
  const { n, t, node, kind, causes: _, state, ...fields } = event
  return (
    <div>
      <h2>
        #{n} <small>{kind}</small>
      </h2>
      <p>
        <b>{node}</b> at {seconds(t)} s
      </p>
      <p>{eventWords(event, source.overview)}</p>
      <EventList title="Caused by" events={causes} {...{ source, onShow }} />
      <EventList title="Leads to" events={effects} {...{ source, onShow }} />
      <details>
        <summary>Fields</summary>
        <pre>{JSON.stringify(fields, undefined, 2)}</pre>
      </details>
      {state === undefined ? null : (
        <details open>
          <summary>What it changed here</summary>
          <pre>{JSON.stringify(state, undefined, 2)}</pre>
        </details>
      )}
    </div>
  )
}

interface EventListProps extends Omit<EventPanelProps, 'view'> {
  readonly title: string
  readonly events: readonly TraceRecord[]
}

export function EventList({ source, title, events, onShow }: EventListProps) {
  if (events.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <ul class="events">
        {events.slice(0, listedMax).map((event) => (
          <li key={event.n}>
            <button type="button" onClick={() => onShow(event)}>
              <time>{shortSeconds(event.t)}</time> <b>{event.node}</b>{' '}
              {eventWords(event, source.overview).slice(0, 160)}
            </button>
          </li>
        ))}
      </ul>
      {events.length > listedMax ? <p class="hint">and {events.length - listedMax} more</p> : null}
    </section>
  )
}

function useEvent(source: FilmSource, n: number | undefined): Found | 'not there' | undefined {
  const [found, setFound] = useState<Found | 'not there'>()
  useEffect(() => {
    let isWanted = true
    setFound(undefined)
    if (n !== undefined) {
      void lookUp(source, n).then((result) => {
        if (isWanted) setFound(result ?? 'not there')
      })
    }
    return () => {
      isWanted = false
    }
  }, [source, n])
  return found
}

/** What it led to is looked for in the same piece and the next one: few effects come later. */
async function lookUp(source: FilmSource, n: number): Promise<Found | undefined> {
  const event = await source.eventOf(n)
  if (event === undefined) return undefined
  const causes = await Promise.all(event.causes.map((cause) => source.eventOf(cause)))
  const at = source.overview.pieces.findIndex(({ first, last }) => n >= first && n <= last)
  const places = [at, at + 1].filter((place) => place < source.overview.pieces.length)
  const pieces = await Promise.all(places.map((place) => source.piece(place)))
  const effects = pieces.flatMap(({ events }) => events.filter((later) => later.causes.includes(n)))
  return { event, causes: causes.filter((cause) => cause !== undefined), effects }
}
