import { useEffect, useRef } from 'preact/hooks'
import type { FilmSource } from '../film-source.ts'
import { isTyping, keyPressed } from '../keyboard.ts'
import type { Tab, View } from '../view.ts'
import type { Doing } from './doing.ts'
import type { PlaySession } from './session.ts'
import { steps } from './time-bar.tsx'

/** The keys, for the help. */
export const playKeys = [
  ['Space', 'time passes, or stands still'],
  ['n', 'the next event'],
  ['1 2 3 4', 'a step of 1, 10, 100 or 1,000 milliseconds'],
  ['u', 'undo the last act'],
  ['f', 'the picture follows the run'],
  ['Enter p', 'on an agent of the cluster: choose it; cut it off from the others, or let it come back'],
] as const

interface Ears {
  readonly session: PlaySession
  readonly doing: Doing
  readonly source: FilmSource
  readonly setView: (change: (view: View) => View) => void
  readonly setTab: (tab: Tab) => void
  readonly setFollows: (change: (follows: boolean) => boolean) => void
}

/** Keys that control time, besides those of every picture. */
export function usePlayKeys(ears: Ears): void {
  const told = useRef(ears)
  told.current = ears
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (!playKey(event, told.current)) filmKey(event, told.current)
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

function playKey(event: KeyboardEvent, { session, doing, setFollows }: Ears): boolean {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return false
  const wanted = steps.find(({ key }) => key === event.key)
  // The same key presses a button that has the focus.
  const isPressed = event.target instanceof HTMLButtonElement
  if (wanted !== undefined) void doing.step(wanted.step)
  else if (event.key === ' ' && !isPressed) void doing.pace({ paused: session.status?.paused === false })
  else if (event.key === 'u') void doing.undo({ last: true })
  else if (event.key === 'f') setFollows((now) => !now)
  else return false
  event.preventDefault()
  return true
}

/** Keys that move the picture to another time end its following of the run. */
function filmKey(event: KeyboardEvent, { source, setView, setTab, setFollows }: Ears): void {
  if (['ArrowLeft', 'ArrowRight', '[', ']', ',', '.', 'v'].includes(event.key) && !isTyping(event)) {
    setFollows(() => false)
  }
  keyPressed(event, source, setView, setTab)
}
