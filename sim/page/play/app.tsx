import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PlayStatus } from '../../play/play-api.ts'
import { FilmPanel, TabList } from '../film-panels.tsx'
import type { FilmSource } from '../film-source.ts'
import { LeftOutNote } from '../left-out.tsx'
import { Picture } from '../picture.tsx'
import { Plots } from '../plots.tsx'
import { ThemeChoice, type ThemeChoiceProps, useTheme } from '../theme.tsx'
import { explainingEvents, tabs as filmTabs, nearEvents, showing, showingChain, type View } from '../view.ts'
import { ViewControls } from '../view-controls.tsx'
import { linkDeeds, sidesDeeds } from './act-words.ts'
import { ActsPanel } from './acts-panel.tsx'
import { Cluster } from './cluster.tsx'
import { DataPanel } from './data-panel.tsx'
import { type Doing, useDoing } from './doing.ts'
import { atTheEnd, firstView } from './following.ts'
import { playKeys, usePlayKeys } from './keys.ts'
import { LessonsPanel } from './lessons-panel.tsx'
import { NodePanel } from './node-panel.tsx'
import type { PlaySession } from './session.ts'
import { TerminalPanel } from './terminal-panel.tsx'
import { Notices, TimeBar } from './time-bar.tsx'

export const playTabs = ['node', 'terminal', 'data', 'done', 'lessons', ...filmTabs] as const
const tabsWithoutLessons = playTabs.filter((name) => name !== 'lessons')
export type PlayTab = (typeof playTabs)[number]

export interface PlayAppProps {
  readonly session: PlaySession
  readonly status: PlayStatus
  readonly source: FilmSource
  /** Rises with each look at the run, and when a piece of its film was opened. */
  readonly looked: number
}

/** A cluster to play with: its agents and links, its time, what can be done to it, and the picture of the run so far. */
export function PlayApp({ session, status, source, looked }: PlayAppProps) {
  const { overview } = source
  const [view, setView] = useState<View>(() => firstView(overview))
  const [follows, setFollows] = useState(true)
  const [tab, setTab] = useState<PlayTab>(status.lesson === null ? 'node' : 'lessons')
  const [theme, setTheme] = useTheme()
  const doing = useDoing(session)
  const lit = useMemo(() => explainingEvents(overview, view), [overview, view.violation])
  usePlayKeys({ session, doing, source, setView, setTab, setFollows })
  useEffect(() => {
    setView((now) => (follows ? atTheEnd(now, overview) : { ...now, cursorUs: Math.min(now.cursorUs, overview.endUs) }))
  }, [overview, follows])

  const onTime = (atUs: number): void => {
    setFollows(false)
    setView((now) => showing(now, atUs, overview))
  }
  const onViolation = (place: number): void => {
    setFollows(false)
    setView((now) => showingChain(now, place, overview))
  }
  const onShow = ({ n, t, node }: { readonly n: number; readonly t: number; readonly node: string }): void => {
    setFollows(false)
    setView((now) => ({ ...showing(nearEvents(now, overview), t, overview), selected: n, machine: node }))
    setTab('event')
  }
  /** To look at another time is to let go of the end of the run; to zoom is not. */
  const onView = (change: (now: View) => View): void => {
    setView((now) => {
      const next = change(now)
      const hasMoved =
        next.cursorUs !== now.cursorUs || Math.round(next.toUs - next.fromUs - now.toUs + now.fromUs) === 0
      if (hasMoved && (next.cursorUs !== now.cursorUs || next.fromUs !== now.fromUs)) setFollows(false)
      if (next.selected !== now.selected) setTab('event')
      return next
    })
  }
  const onChoose = (name: string): void => {
    setView((now) => ({ ...now, machine: name }))
    setTab((now) => (now === 'state' ? now : 'node'))
  }
  const agent = status.agents.find(({ name }) => name === view.machine)
  return (
    <>
      <Heading status={status} theme={theme} setTheme={setTheme} />
      <TimeBar {...{ status, doing, follows }} cursorUs={view.cursorUs} onFollow={setFollows} />
      <Notices status={status} doing={doing} problem={session.problem} />
      <main>
        <div id="picture">
          <ClusterOf {...{ status, doing, onChoose }} chosen={view.machine} />
          <LeftOutNote overview={overview} />
          <ViewControls source={source} view={view} setView={onView} />
          <Picture {...{ source, view, lit, theme, onView }} opened={looked} />
          <Plots overview={overview} view={view} theme={theme} />
        </div>
        <aside aria-label="What is chosen">
          <TabList tabs={status.hasLessons ? playTabs : tabsWithoutLessons} tab={tab} setTab={setTab} />
          {tab === 'node' ? <NodePanel {...{ session, status, doing, agent }} /> : null}
          <TerminalPanel
            {...{ session, doing }}
            agents={status.agents}
            chosen={agent?.name}
            isShown={tab === 'terminal'}
          />
          {tab === 'data' ? <DataPanel {...{ session, doing }} agents={status.agents} chosen={agent?.name} /> : null}
          {tab === 'done' ? <ActsPanel {...{ session, status, doing, onTime }} /> : null}
          <Lessons {...{ session, status, doing }} isSeen={tab === 'lessons'} />
          {isFilmTab(tab) ? (
            <FilmPanel pageKeys={playKeys} {...{ source, view, tab, onTime, onShow, onViolation }} />
          ) : null}
        </aside>
      </main>
    </>
  )
}

interface LessonsProps {
  readonly session: PlaySession
  readonly status: PlayStatus
  readonly doing: Doing
  readonly isSeen: boolean
}

/** From the first look on it stays, hidden, so that what is typed is not lost when another panel is looked at. */
function Lessons({ session, status, doing, isSeen }: LessonsProps) {
  const wasSeen = useRef(false)
  wasSeen.current ||= isSeen
  if (!wasSeen.current) return null
  return (
    <div hidden={!isSeen} id="lessons">
      <LessonsPanel session={session} doing={doing} played={status.lesson} />
    </div>
  )
}

function isFilmTab(tab: PlayTab): tab is (typeof filmTabs)[number] {
  return filmTabs.some((name) => name === tab)
}

function Heading({ status, ...theme }: { readonly status: PlayStatus } & ThemeChoiceProps) {
  const { scenario, seed, build, failure } = status
  return (
    <header>
      <h1>
        {scenario} <small>seed {seed}</small>
      </h1>
      <p class={failure === null ? 'good' : 'bad'}>{failure === null ? 'nothing failed' : 'an invariant is broken'}</p>
      <p class="hint">build {build}</p>
      <ThemeChoice {...theme} />
    </header>
  )
}

interface ClusterOfProps {
  readonly status: PlayStatus
  readonly doing: Doing
  readonly chosen: string | undefined
  readonly onChoose: (name: string) => void
}

function ClusterOf({ status: { agents, cuts }, doing, chosen, onChoose }: ClusterOfProps) {
  return (
    <Cluster
      agents={agents}
      cuts={cuts}
      chosen={chosen}
      onChoose={onChoose}
      onSides={(sides) => void doing.act(sidesDeeds(sides, cuts.length > 0))}
      onLink={(one, other) => void doing.act(linkDeeds(one, other, cuts))}
    />
  )
}
