import { useEffect, useState } from 'preact/hooks'

export interface MomentProps {
  readonly ms: number
  /** How far the clock that the moment is of is ahead of that of the browser. */
  readonly aheadMs?: number
}

/** A moment with how long ago it was, or how far it is. */
export function Moment({ ms, aheadMs = 0 }: MomentProps) {
  const [browserMs, setNowMs] = useState(() => Date.now())
  const nowMs = browserMs + aheadMs
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 10_000)
    return () => clearInterval(timer)
  }, [])
  const distance = durationText(Math.abs(ms - nowMs))
  return (
    <time dateTime={new Date(ms).toISOString()}>
      {dateText(ms)} ({ms > nowMs ? `in ${distance}` : `${distance} ago`})
    </time>
  )
}

/** As the agent writes dates: in UTC. */
export function dateText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** In the largest unit of which there are two, or in seconds. */
export function durationText(ms: number): string {
  const [name, unitMs] = units.find(([, each]) => ms >= 2 * each) ?? units[3]
  const count = Math.floor(ms / unitMs)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
