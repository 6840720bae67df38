import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Client, Query } from '../api/client.ts'
import { useCaller } from './context.ts'
import { follow, type Known } from './follow.ts'
import { Pause } from './pause.ts'

export interface Live<T> extends Known<T> {
  /**
   * Reads once more and shows the answer, for a form that must know the state after its write before it can be sent again.
   * Without an answer, what is shown stays until the question that is followed has one.
   */
  reread(): Promise<void>
}

/** For what hardly ever changes while a page is open, such as the configuration of the agent. */
export const rarelyMs = 30_000

const nothing = { value: undefined, failure: undefined, answers: 0 } as const

/** What is known of one question by one caller. */
interface Kept<T> {
  readonly of: string
  readonly by: Client
  readonly known: Known<T>
  /** What was read after a write; it is shown until the question that is followed has another answer than `upon`. */
  readonly reread?: { readonly upon: T | undefined; readonly value: T } | undefined
}

/**
 * Follows one question for as long as the component is shown. An undefined path asks nothing. `everyMs`: between requests
 * that do not block. A reason to ask again cuts the pause short, unless what is asked rarely changes.
 */
export function useLive<T>(path: string | undefined, query: Query = {}, everyMs?: number): Live<T> {
  const { client, slots } = useCaller()
  const asked = JSON.stringify([path, query])
  const [kept, setKept] = useState<Kept<T>>()
  useEffect(() => {
    if (path === undefined) return undefined
    const aborter = new AbortController()
    const { signal } = aborter
    const pause = new Pause()
    const ends = client.follow(() => everyMs === rarelyMs || pause.cut())
    void follow<T>({
      query,
      ask: (full, ended) =>
        client.ask<T>({ path, query: full }, ended === undefined ? signal : AbortSignal.any([signal, ended])),
      show: (known) => setKept((now) => shownNext(now, asked, client, known)),
      pause: (ms) => pause.wait(ms),
      isOver: () => signal.aborted,
      take: () => slots.take(),
      ...(everyMs === undefined ? {} : { everyMs }),
    })
    return () => {
      ends()
      aborter.abort()
      pause.cut()
    }
  }, [client, asked])
  const reread = useCallback(async (): Promise<void> => {
    if (path === undefined) return
    const answer = await client.ask<T>({ path, query })
    if (!answer.ok) return
    const { value } = answer
    setKept((now) => {
      if (now === undefined || !isOf(now, asked, client)) return now
      return { ...now, reread: { upon: now.known.value, value } }
    })
  }, [client, asked])
  // What was read with another token, or of another path, is not shown for a moment.
  if (kept === undefined || !isOf(kept, asked, client)) return { ...nothing, reread }
  const { known, reread: read } = kept
  return { ...known, value: read !== undefined && read.upon === known.value ? read.value : known.value, reread }
}

function isOf<T>({ of, by }: Kept<T>, asked: string, client: Client): boolean {
  return of === asked && by === client
}

/** The same object if there is nothing new to draw. */
function shownNext<T>(now: Kept<T> | undefined, of: string, by: Client, known: Known<T>): Kept<T> {
  if (now === undefined || !isOf(now, of, by)) return { of, by, known }
  const isSame = now.known.value === known.value && now.known.failure === known.failure
  return isSame ? now : { of, by, known, reread: now.reread }
}
