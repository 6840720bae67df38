import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Client } from '../api/client.ts'
import { Bounded } from '../live/bounded.ts'

type Typed = Map<string, unknown>

/** What is typed and not yet sent: on the page that is shown, and on pages that were left. */
export interface TypedTexts {
  readonly typed: Typed
  /** Grows when what was typed before is taken up: the forms of the page then begin with it. */
  readonly taken: number
  /** Undefined: nothing was left behind on this page. */
  readonly left: LeftTexts | undefined
}

export interface LeftTexts {
  takeUp(): void
  drop(): void
}

/** Pages whose texts a tab keeps, and how long these are together, in characters. */
const pagesMax = 30
const lengthMax = 1_500_000

/** Another token, or another datacenter, drops what was typed on pages that were left. */
export function useTyped(pageKey: string, client: Client): TypedTexts {
  const shelf = useMemo(() => new Bounded<Typed>(pagesMax, lengthMax), [client])
  const typed = useMemo<Typed>(() => new Map(), [pageKey])
  const [taken, draw] = useState(0)
  useEffect(
    () => () => {
      if (typed.size > 0) shelf.set(pageKey, typed, [...typed])
    },
    [typed, shelf],
  )
  const left = shelf.get(pageKey)
  const decide = (texts: Typed): void => {
    for (const [name, text] of texts) typed.set(name, text)
    shelf.delete(pageKey)
    draw((count) => count + 1)
  }
  return { typed, taken, left: left && { takeUp: () => decide(left), drop: () => decide(new Map()) } }
}
