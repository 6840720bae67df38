import { useEffect, useState } from 'preact/hooks'
import { type StatePart, withChanges } from '../report/state-changes.ts'
import type { FilmSource } from './film-source.ts'
import { seconds, type View } from './view.ts'

/** What the chosen machine was at the cursor, as `svc-sim inspect` shows it. */
export function StatePanel({ source, view }: { readonly source: FilmSource; readonly view: View }) {
  const state = useStateAt(source, view)
  if (view.machine === undefined)
    return <p class="hint">Click the lane of a machine: its state at that time stands here.</p>
  return (
    <div>
      <h2>
        {view.machine} <small>at {seconds(view.cursorUs)} s</small>
      </h2>
      {state === undefined || Object.keys(state).length === 0 ? (
        <p class="hint">Nothing is known of it: it is no agent, has not begun, or the page leaves out this time.</p>
      ) : (
        <Part part={state} depth={0} />
      )}
    </div>
  )
}

/** Records within records, as lists of names and values. */
function Part({ part, depth }: { readonly part: StatePart; readonly depth: number }) {
  return (
    <dl class={depth === 0 ? 'state' : undefined}>
      {Object.entries(part).map(([name, value]) => (
        <div key={name} class={isPart(value) ? 'group' : 'leaf'}>
          <dt>{name}</dt>
          <dd>{isPart(value) ? <Part part={value} depth={depth + 1} /> : textOf(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

function isPart(value: unknown): value is StatePart {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  if (!Array.isArray(value)) return String(value)
  return value.length === 0 ? 'none' : value.join('\n')
}

function useStateAt(source: FilmSource, { machine, cursorUs }: View): StatePart | undefined {
  const [state, setState] = useState<StatePart>()
  useEffect(() => {
    let isWanted = true
    if (machine !== undefined) {
      void stateAt(source, machine, cursorUs).then((found) => {
        if (isWanted) setState(found)
      })
    }
    return () => {
      isWanted = false
    }
  }, [source, machine, cursorUs])
  return state
}

/** The state at the beginning of the piece, with what changed in it until then. */
async function stateAt(source: FilmSource, machine: string, atUs: number): Promise<StatePart> {
  const { pieces } = source.overview
  const place = Math.max(
    0,
    pieces.findLastIndex(({ fromUs }) => fromUs <= atUs),
  )
  const { states, events } = await source.piece(place)
  let state: StatePart = states[machine] ?? {}
  for (const event of events) {
    if (event.t > atUs) break
    if (event.node === machine && event.state !== undefined) state = withChanges(state, event.state)
  }
  return state
}
