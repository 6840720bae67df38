import { useEffect, useMemo, useState } from 'preact/hooks'
import { EventPanel } from './event-panel.tsx'
import type { FilmSource } from './film-source.ts'
import { HelpPanel } from './help-panel.tsx'
import { keyPressed } from './keyboard.ts'
import { MembersPanel } from './members-panel.tsx'
import { Picture } from './picture.tsx'
import { Plots } from './plots.tsx'
import { SearchPanel } from './search-panel.tsx'
import { StatePanel } from './state-panel.tsx'
import { StoryPanel } from './story-panel.tsx'
import {
  hashOf,
  type Layer,
  layers,
  seconds,
  showing,
  type Tab,
  tabs,
  type View,
  viewOfHash,
  wholeView,
  zoomed,
} from './view.ts'

type Theme = 'system' | 'light' | 'dark'

export function App({ source, opened }: { readonly source: FilmSource; readonly opened: number }) {
  const { overview } = source
  const [view, setView] = useState<View>(() => viewOfHash(location.hash, firstView(source), overview))
  const [tab, setTab] = useState<Tab>(view.selected === undefined ? 'story' : 'event')
  const [theme, setTheme] = useState<Theme>('system')
  const lit = useMemo(() => new Set(overview.violations.flatMap(({ chain }) => chain.map(({ n }) => n))), [overview])

  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(undefined, '', hashOf(view)), 200)
    return () => clearTimeout(timer)
  }, [view])
  useEffect(() => {
    const followed = (): void => setView((now) => viewOfHash(location.hash, now, overview))
    addEventListener('hashchange', followed)
    return () => removeEventListener('hashchange', followed)
  }, [])
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => keyPressed(event, source, setView, setTab)
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])

  const onTime = (atUs: number): void => setView((now) => showing(now, atUs, overview))
  const onShow = ({ n, t, node }: { readonly n: number; readonly t: number; readonly node: string }): void => {
    setView((now) => ({ ...showing(near(now), t, overview), selected: n, machine: node }))
    setTab('event')
  }
  /** So near that single events are drawn. */
  const near = (now: View): View =>
    now.toUs - now.fromUs > 500_000 ? zoomed(now, now.cursorUs, 200_000 / (now.toUs - now.fromUs), overview) : now
  const onChoice = (change: (now: View) => View): void => {
    setView((now) => {
      const next = change(now)
      if (next.selected !== now.selected) setTab('event')
      else if (next.machine !== now.machine) setTab('state')
      return next
    })
  }
  return (
    <>
      <Heading source={source} theme={theme} setTheme={setTheme} />
      <Controls source={source} view={view} setView={setView} />
      <main>
        <div id="picture">
          <Picture source={source} opened={opened} view={view} lit={lit} theme={theme} onView={onChoice} />
          <Plots overview={overview} view={view} theme={theme} />
        </div>
        <aside aria-label="What is chosen">
          <Tabs tab={tab} setTab={setTab} />
          <div role="tabpanel" id={`panel-${tab}`}>
            {tab === 'story' ? <StoryPanel overview={overview} view={view} onTime={onTime} onShow={onShow} /> : null}
            {tab === 'event' ? <EventPanel source={source} view={view} onShow={onShow} /> : null}
            {tab === 'state' ? <StatePanel source={source} view={view} /> : null}
            {tab === 'members' ? <MembersPanel overview={overview} view={view} /> : null}
            {tab === 'search' ? <SearchPanel source={source} onShow={onShow} /> : null}
            {tab === 'help' ? <HelpPanel /> : null}
          </div>
        </aside>
      </main>
    </>
  )
}

/** All of the run, with the cursor where something is wrong. */
function firstView({ overview }: FilmSource): View {
  return { ...wholeView(overview), cursorUs: overview.violations[0]?.atUs ?? 0 }
}

function Tabs({ tab, setTab }: { readonly tab: Tab; readonly setTab: (tab: Tab) => void }) {
  return (
    <div role="tablist" class="tabs">
      {tabs.map((name) => (
        <button type="button" role="tab" key={name} aria-selected={name === tab} onClick={() => setTab(name)}>
          {name}
        </button>
      ))}
    </div>
  )
}

interface HeadingProps {
  readonly source: FilmSource
  readonly theme: Theme
  readonly setTheme: (theme: Theme) => void
}

function Heading({ source, theme, setTheme }: HeadingProps) {
  const { scenario, seed, build, events, endUs, violations } = source.overview
  return (
    <header>
      <h1>
        {scenario} <small>seed {seed}</small>
      </h1>
      <p class={violations.length === 0 ? 'good' : 'bad'}>
        {violations.length === 0 ? 'nothing failed' : `${violations.map(({ code }) => code).join(', ')} failed`}
      </p>
      <p class="hint">
        {seconds(endUs)} virtual seconds, {events.toLocaleString('en')} events, build {build}
      </p>
      <label class="theme">
        <span>Colours</span>
        <select value={theme} onChange={({ currentTarget }) => setTheme(currentTarget.value as Theme)}>
          <option value="system">as the system has them</option>
          <option value="light">light</option>
          <option value="dark">dark</option>
        </select>
      </label>
    </header>
  )
}

interface ControlsProps {
  readonly source: FilmSource
  readonly view: View
  readonly setView: (change: (view: View) => View) => void
}

/** What is shown of the messages, and of which time. */
function Controls({ source, view, setView }: ControlsProps) {
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
        <button type="button" onClick={() => setView((now) => ({ ...now, fromUs: 0, toUs: overview.endUs }))}>
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
