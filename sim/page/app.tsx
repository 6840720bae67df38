import { useEffect, useMemo, useState } from 'preact/hooks'
import type { FilmViolation } from '../picture/film-format.ts'
import { FilmPanel, TabList } from './film-panels.tsx'
import type { FilmSource } from './film-source.ts'
import { keyPressed } from './keyboard.ts'
import { LeftOutNote } from './left-out.tsx'
import { Picture } from './picture.tsx'
import { Plots } from './plots.tsx'
import { ThemeChoice, type ThemeChoiceProps, useTheme } from './theme.tsx'
import {
  explainingEvents,
  hashOf,
  nearEvents,
  seconds,
  showing,
  showingChain,
  type Tab,
  tabs,
  type View,
  viewOfHash,
  wholeView,
} from './view.ts'
import { ViewControls } from './view-controls.tsx'

export function App({ source, opened }: { readonly source: FilmSource; readonly opened: number }) {
  const { overview } = source
  const [view, setView] = useState<View>(() => viewOfHash(location.hash, firstView(source), overview))
  const [tab, setTab] = useState<Tab>(view.selected === undefined ? 'story' : 'event')
  const [theme, setTheme] = useTheme()
  const lit = useMemo(() => explainingEvents(overview, view), [overview, view.violation])

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
  const onViolation = (place: number): void => setView((now) => showingChain(now, place, overview))
  const onShow = ({ n, t, node }: { readonly n: number; readonly t: number; readonly node: string }): void => {
    setView((now) => ({ ...showing(nearEvents(now, overview), t, overview), selected: n, machine: node }))
    setTab('event')
  }
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
      <LeftOutNote overview={overview} />
      <ViewControls source={source} view={view} setView={setView} />
      <main>
        <div id="picture">
          <Picture source={source} opened={opened} view={view} lit={lit} theme={theme} onView={onChoice} />
          <Plots overview={overview} view={view} theme={theme} />
        </div>
        <aside aria-label="What is chosen">
          <TabList tabs={tabs} tab={tab} setTab={setTab} />
          <FilmPanel {...{ source, view, tab, onTime, onShow, onViolation }} />
        </aside>
      </main>
    </>
  )
}

/** All of the run, with the cursor where something is wrong. */
function firstView({ overview }: FilmSource): View {
  return { ...wholeView(overview), cursorUs: overview.violations[0]?.atUs ?? 0 }
}

interface HeadingProps extends ThemeChoiceProps {
  readonly source: FilmSource
}

function Heading({ source, theme, setTheme }: HeadingProps) {
  const { scenario, seed, build, events, endUs, violations } = source.overview
  return (
    <header>
      <h1>
        {scenario} <small>seed {seed}</small>
      </h1>
      <p class={violations.length === 0 ? 'good' : 'bad'}>
        {violations.length === 0 ? 'nothing failed' : `${countedCodes(violations)} failed`}
      </p>
      <p class="hint">
        {seconds(endUs)} virtual seconds, {events.toLocaleString('en')} events, build {build}
      </p>
      <ThemeChoice theme={theme} setTheme={setTheme} />
    </header>
  )
}

/** `C3 twice, C1 4 times`: each code once, in the order of the first violations. */
function countedCodes(violations: readonly FilmViolation[]): string {
  const counts = new Map<string, number>()
  for (const { code } of violations) counts.set(code, (counts.get(code) ?? 0) + 1)
  const times = (count: number): string => (count === 1 ? '' : count === 2 ? ' twice' : ` ${count} times`)
  return [...counts].map(([code, count]) => `${code}${times(count)}`).join(', ')
}
