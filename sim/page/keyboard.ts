import type { FilmOverview } from '../picture/film-format.ts'
import type { FilmSource } from './film-source.ts'
import { isEmpty } from './geometry.ts'
import { panned, showing, showingNextChain, type Tab, type View, wholeView, zoomed } from './view.ts'

type SetView = (change: (view: View) => View) => void

const tabOfKey: Readonly<Record<string, Tab>> = { s: 'story', e: 'event', i: 'state', m: 'members', '?': 'help' }

export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
  )
}

/** The effect of a key while no text field has the focus. */
export function keyPressed(
  event: KeyboardEvent,
  source: FilmSource,
  setView: SetView,
  setTab: (tab: Tab) => void,
): void {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
  const { overview } = source
  const tab = tabOfKey[event.key]
  const change = changeOf(event.key, source)
  if (tab !== undefined) setTab(tab)
  else if (change !== undefined) setView(change)
  else if (event.key === ',' || event.key === '.') stepped(source, event.key === '.' ? 1 : -1, setView, setTab)
  else if (event.key === '/') {
    setTab('search')
    setTimeout(() => document.querySelector<HTMLInputElement>('#search')?.focus())
  } else if (event.key === 'v' && overview.violations.length > 0) {
    setView((now) => showingNextChain(now, overview))
    setTab('story')
  } else return
  event.preventDefault()
}

function changeOf(key: string, { overview }: FilmSource): ((view: View) => View) | undefined {
  const tenth = (view: View): number => (view.toUs - view.fromUs) / 10
  const changes: Readonly<Record<string, (view: View) => View>> = {
    ArrowLeft: (view) => panned(view, -tenth(view), overview),
    ArrowRight: (view) => panned(view, tenth(view), overview),
    '+': (view) => zoomed(view, view.cursorUs, 0.5, overview),
    '=': (view) => zoomed(view, view.cursorUs, 0.5, overview),
    '-': (view) => zoomed(view, view.cursorUs, 2, overview),
    '0': ({ cursorUs, machine, violation, hidden }) => {
      return { ...wholeView(overview), cursorUs, machine, violation, hidden }
    },
    j: (view) => ({ ...view, machine: nextMachine(overview, view.machine, 1) }),
    k: (view) => ({ ...view, machine: nextMachine(overview, view.machine, -1) }),
    Escape: (view) => ({ ...view, selected: undefined, machine: undefined }),
    '[': (view) => showing(view, overview.story.findLast(([atUs]) => atUs < view.cursorUs)?.[0] ?? 0, overview),
    ']': (view) => {
      return showing(view, overview.story.find(([atUs]) => atUs > view.cursorUs)?.[0] ?? view.cursorUs, overview)
    },
  }
  return changes[key]
}

/** The machine whose lane is below the chosen one, or above it; without one the first or the last. */
function nextMachine({ machines }: FilmOverview, chosen: string | undefined, by: 1 | -1): string | undefined {
  const names = machines.filter((lane) => !isEmpty(lane)).map(({ name }) => name)
  const at = names.indexOf(chosen ?? '')
  if (at < 0) return names.at(by > 0 ? 0 : -1)
  return names[at + by] ?? chosen
}

/** Moves to the next event of the chosen machine, or to the previous one. */
function stepped(source: FilmSource, by: 1 | -1, setView: SetView, setTab: (tab: Tab) => void): void {
  setView((now) => {
    const events = source
      .between(now.fromUs, now.toUs)
      .flatMap((piece) => piece.events)
      .filter(({ node }) => now.machine === undefined || node === now.machine)
    const isPast = (n: number, t: number): boolean => (now.selected === undefined ? t > now.cursorUs : n > now.selected)
    const isBefore = (n: number, t: number): boolean =>
      now.selected === undefined ? t < now.cursorUs : n < now.selected
    const next = by > 0 ? events.find(({ n, t }) => isPast(n, t)) : events.findLast(({ n, t }) => isBefore(n, t))
    return next === undefined ? now : { ...showing(now, next.t, source.overview), selected: next.n, machine: next.node }
  })
  setTab('event')
}
