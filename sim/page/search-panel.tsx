import { useEffect, useState } from 'preact/hooks'
import { recordWords } from '../report/record-text.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { EventList, type EventPanelProps } from './event-panel.tsx'
import type { FilmSource } from './film-source.ts'

const foundMax = 200

/** Events whose words contain a text, whichever machine they are of. */
export function SearchPanel({ source, onShow }: Pick<EventPanelProps, 'source' | 'onShow'>) {
  const [wanted, setWanted] = useState('')
  const { found, isOver } = useSearch(source, wanted)
  return (
    <div>
      <label>
        Search the words of all events
        <input
          id="search"
          type="search"
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      </label>
      {wanted === '' ? null : (
        <p class="hint" aria-live="polite">
          {found.length >= foundMax ? `the first ${foundMax}` : found.length} found{isOver ? '' : ', searching'}
        </p>
      )}
      <EventList title="Found" events={found} onShow={onShow} />
    </div>
  )
}

function useSearch(
  source: FilmSource,
  wanted: string,
): { readonly found: readonly TraceRecord[]; readonly isOver: boolean } {
  const [result, setResult] = useState<{ readonly found: readonly TraceRecord[]; readonly isOver: boolean }>({
    found: [],
    isOver: true,
  })
  useEffect(() => {
    let isWanted = true
    const search = async (): Promise<void> => {
      const found: TraceRecord[] = []
      // What was found of other words is not said of these.
      setResult({ found, isOver: wanted === '' })
      for (const place of wanted === '' ? [] : source.overview.pieces.keys()) {
        const { events } = await source.piece(place)
        if (!isWanted) return
        found.push(...events.filter((event) => isAbout(event, wanted)).slice(0, foundMax - found.length))
        setResult({ found: [...found], isOver: false })
        if (found.length >= foundMax) break
      }
      setResult({ found, isOver: true })
    }
    void search()
    return () => {
      isWanted = false
    }
  }, [source, wanted])
  return result
}

function isAbout(event: TraceRecord, wanted: string): boolean {
  return `${event.node} ${recordWords(event)}`.toLowerCase().includes(wanted.toLowerCase())
}
