import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Client, Query } from '../api/client.ts'
import { useCaller } from './context.ts'
import { follow, type Known } from './follow.ts'

export interface Live<T> extends Known<T> {
  /** Asks again now, for answers that cannot block. */
  refresh(): void
}

/** For what hardly ever changes while a page is open, such as the configuration of the agent. */
export const rarelyMs = 30_000

const nothing = { value: undefined, failure: undefined, answers: 0 } as const

/**
 * Follows one question for as long as the component is shown. An undefined path asks nothing. `everyMs`: between requests
 * that do not block.
 */
export function useLive<T>(path: string | undefined, query: Query = {}, everyMs?: number): Live<T> {
  const { client, slots } = useCaller()
  const asked = JSON.stringify([path, query])
  const [known, setKnown] = useState<{ readonly of: string; readonly by: Client; readonly known: Known<T> }>()
  const wake = useRef(() => {})
  useEffect(() => {
    if (path === undefined) return undefined
    const aborter = new AbortController()
    const { signal } = aborter
    void follow<T>({
      query,
      ask: (full) => client.ask<T>({ path, query: full }, signal),
      show: (next) =>
        setKnown((now) => {
          const isSame =
            now?.of === asked &&
            now.by === client &&
            now.known.value === next.value &&
            now.known.failure === next.failure
          return isSame ? now : { of: asked, by: client, known: next }
        }),
      pause: (ms) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake.current = () => {
            clearTimeout(timer)
            resolve()
          }
          signal.addEventListener('abort', wake.current)
        }),
      isOver: () => signal.aborted,
      take: () => slots.take(),
      ...(everyMs === undefined ? {} : { everyMs }),
    })
    return () => aborter.abort()
  }, [client, asked])
  const refresh = useCallback(() => wake.current(), [])
  // What was read with another token, or of another path, is not shown for a moment.
  const shown = known?.of === asked && known.by === client ? known.known : nothing
  return { ...shown, refresh }
}
