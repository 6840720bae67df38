import { useEffect, useState } from 'preact/hooks'
import type { FilmOverview } from '../picture/film-format.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import { EventList, type EventPanelProps } from './event-panel.tsx'
import { eventWords } from './event-words.ts'
import type { FilmSource } from './film-source.ts'

const foundMax = 200

/** The events among which a text is searched. */
interface Searched {
  /** Of this machine; undefined: of all. */
  readonly machine: string | undefined
  readonly fromUs: number
  readonly toUs: number
}

/** Also of a run that goes on. */
const wholeRun = { fromUs: 0, toUs: Number.POSITIVE_INFINITY }

/** Events whose words contain a text: of the whole run or of the visible time, of all machines or of the chosen one. */
export function SearchPanel({ source, view, onShow }: EventPanelProps) {
  const [wanted, setWanted] = useState('')
  const [isVisible, setVisible] = useState(false)
  const [isChosen, setChosen] = useState(false)
  const { fromUs, toUs, machine } = view
  const time = isVisible ? { fromUs, toUs } : wholeRun
  const { found, isOver } = useSearch(source, wanted, { ...time, machine: isChosen ? machine : undefined })
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
      <Choice id="search-visible" text="only the visible time" isOn={isVisible} onChange={setVisible} />
      <Choice
        id="search-chosen"
        text={`only ${machine ?? 'the chosen machine'}`}
        isOn={isChosen}
        onChange={setChosen}
      />
      {wanted === '' ? null : (
        <p class="hint" aria-live="polite">
          {found.length >= foundMax ? `the first ${foundMax}` : found.length} found{isOver ? '' : ', searching'}
        </p>
      )}
      <EventList title="Found" events={found} {...{ source, onShow }} />
    </div>
  )
}

interface ChoiceProps {
  readonly id: string
  readonly text: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

function Choice({ id, text, isOn, onChange }: ChoiceProps) {
  return (
    <label class="choice">
      <input id={id} type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {text}
    </label>
  )
}

function useSearch(
  source: FilmSource,
  wanted: string,
  { machine, fromUs, toUs }: Searched,
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
      const isSearched = ({ node, t }: TraceRecord): boolean =>
        t >= fromUs && t <= toUs && (machine === undefined || node === machine)
      for (const [place, piece] of wanted === '' ? [] : source.overview.pieces.entries()) {
        if (piece.toUs < fromUs || piece.fromUs > toUs) continue
        const { events } = await source.piece(place)
        if (!isWanted) return
        const fitting = events.filter((event) => isSearched(event) && isAbout(event, wanted, source.overview))
        found.push(...fitting.slice(0, foundMax - found.length))
        setResult({ found: [...found], isOver: false })
        if (found.length >= foundMax) break
      }
      setResult({ found, isOver: true })
    }
    void search()
    return () => {
      isWanted = false
    }
  }, [source, wanted, machine, fromUs, toUs])
  return result
}

function isAbout(event: TraceRecord, wanted: string, overview: FilmOverview): boolean {
  return `${event.node} ${eventWords(event, overview)}`.toLowerCase().includes(wanted.toLowerCase())
}
