import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Client } from '../api/client.ts'
import type { KeyEntry } from '../api/key-shapes.ts'
import type { Place } from '../place/place.ts'
import type { Bounded } from './bounded.ts'
import type { Ring } from './ring.ts'
import type { Slots } from './slots.ts'

/** What every part of the page may need. */
export interface PageContext {
  readonly client: Client
  readonly place: Place
  readonly ring: Ring
  readonly slots: Slots
  /** What is typed into the forms of this page and not yet sent, by the names of the forms. */
  readonly typed: Map<string, unknown>
  /** Keys that were deleted while this tab showed them, by their names. They are dropped with the token. */
  readonly deleted: Bounded<KeyEntry>
  /** Changes what stands behind the `?` of the address, without a new entry in the browser's history. */
  setQuery(change: Readonly<Record<string, string>>): void
  /** Opens another place. */
  go(href: string): void
  /** Asks the operator for a token. */
  askForToken(): void
  setToken(token: string): void
}

const context = createContext<PageContext | undefined>(undefined)

export const PageProvider = context.Provider

export function useCaller(): PageContext {
  const given = useContext(context)
  if (given === undefined) throw new Error('a part of the page is shown outside of it')
  return given
}
