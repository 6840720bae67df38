import { createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import { aheadMs } from '../explain/clock.ts'
import { shellWords } from '../words/shell-words.ts'
import { dateText, durationText, Moment } from './moment.tsx'

/** How far the clock of the servers is ahead of that of the browser, where the difference matters. */
const ahead = createContext(0)

export const ServerClock = ahead.Provider

/** `now`: the time of the servers, when the answer came. Zero if the clocks differ by up to a minute. */
export function useAheadMs(now: string): number {
  return useMemo(() => aheadMs(Date.parse(now), Date.now()), [now])
}

/** Says that the clocks differ, if they do. */
export function ClockNote({ now, ms }: { readonly now: string; readonly ms: number }) {
  if (ms === 0) return null
  const text = shellWords.clocks(dateText(Date.parse(now)), durationText(Math.abs(ms)), ms > 0)
  return <p class="warning">{text}</p>
}

/** A date of the servers, and how far it is by their clock. */
export function ServerMoment({ text }: { readonly text: string }) {
  return <Moment ms={Date.parse(text)} aheadMs={useContext(ahead)} />
}
