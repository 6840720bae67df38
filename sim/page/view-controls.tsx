import type { FilmSource } from './film-source.ts'
import { type Layer, layers, seconds, showing, type View, wholeView, zoomed } from './view.ts'

interface ControlsProps {
  readonly source: FilmSource
  readonly view: View
  readonly setView: (change: (view: View) => View) => void
}

/** What is shown of the messages, and of which time. */
export function ViewControls({ source, view, setView }: ControlsProps) {
  const { overview } = source
  const toggled = (layer: Layer): void => {
    setView((now) => {
      const hidden = new Set(now.hidden)
      if (!hidden.delete(layer)) hidden.add(layer)
      return { ...now, hidden }
    })
  }
  const zoom = (factor: number): void => setView((now) => zoomed(now, (now.fromUs + now.toUs) / 2, factor, overview))
  return (
    <div class="controls">
      <fieldset>
        <legend>Messages</legend>
        {layers.map((layer) => (
          <label key={layer} class={`layer ${layer}`}>
            <input type="checkbox" checked={!view.hidden.has(layer)} onChange={() => toggled(layer)} />
            {layer}
          </label>
        ))}
      </fieldset>
      <div class="zoom">
        <button type="button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(2)}>
          −
        </button>
        <button type="button" onClick={() => setView((now) => ({ ...now, fromUs: 0, toUs: wholeView(overview).toUs }))}>
          all
        </button>
        <output>
          {seconds(Math.round(view.fromUs))} to {seconds(Math.round(view.toUs))} s, at{' '}
          {seconds(Math.round(view.cursorUs))} s
        </output>
      </div>
      <input
        class="scrub"
        type="range"
        aria-label="Time"
        min={0}
        max={overview.endUs}
        step={1000}
        value={view.cursorUs}
        onInput={({ currentTarget }) => setView((now) => showing(now, Number(currentTarget.value), overview))}
      />
    </div>
  )
}
