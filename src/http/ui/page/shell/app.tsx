import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { type Caller, Client } from '../api/client.ts'
import type { KeyEntry } from '../api/key-shapes.ts'
import type { Product } from '../api/product.ts'
import { Bounded } from '../live/bounded.ts'
import { PageProvider } from '../live/context.ts'
import { Ring } from '../live/ring.ts'
import { Slots } from '../live/slots.ts'
import { Watchers } from '../live/watchers.tsx'
import { Outage } from '../parts/outage.tsx'
import { hashOf, hrefOf, type PageName, type Place, placeOf } from '../place/place.ts'
import { shellWords } from '../words/shell-words.ts'
import { Header } from './header.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { useKeyboard } from './keyboard.ts'
import { LeftText } from './left-text.tsx'
import { OpenPage } from './pages.tsx'
import { keepCaller, keptCaller } from './session-store.ts'
import { useTheme } from './theme.ts'
import { TokenDialog } from './token-dialog.tsx'
import { datacenterField, useDatacenterInAddress } from './use-datacenter-in-address.ts'
import { useTyped } from './use-typed.ts'

/** The frame of the interface: where the operator is, with which token, in which datacenter. */
export function App({ product }: { readonly product: Product }) {
  const [place, go, setQuery] = usePlace()
  const [caller, setCaller] = useState<Caller>(() => ({ ...keptCaller(), ...callerIn(place) }))
  const [theme, setTheme] = useTheme()
  const [dialog, setDialog] = useState<'token' | 'help' | undefined>()
  const slots = useMemo(() => new Slots(() => !document.hidden), [])
  const client = useMemo(() => new Client(product, caller, () => slots.beginWrite()), [product, caller, slots])
  // What happened in another datacenter, or was seen with other rights, is not part of this story.
  const ring = useMemo(() => new Ring(Date.now()), [client])
  const choose = (change: Partial<Caller>): void => {
    const chosen = { ...caller, ...change }
    keepCaller(chosen)
    setCaller(chosen)
  }
  useDatacenterInAddress(
    place,
    caller.datacenter,
    (datacenter) => choose({ datacenter }),
    (datacenter) => setQuery({ [datacenterField]: datacenter }),
  )
  const askForToken = useCallback(() => setDialog('token'), [])
  useBack(client, slots)
  const closeAll = useCallback(() => setDialog(undefined), [])
  useKeyboard({
    open: (page) => go(hrefOf(page)),
    askForToken,
    toggleHelp: () => setDialog((now) => (now === 'help' ? undefined : 'help')),
    closeAll,
  })
  // Of another datacenter nothing may stay, above all no value to restore.
  const pageKey = [caller.datacenter, ...place.path].join('/')
  const deleted = useMemo(() => new Bounded<KeyEntry>(deletedMax, deletedLengthMax), [client])
  const { typed, taken, left } = useTyped(pageKey, client)
  const setToken = useCallback(
    (token: string) => {
      closeAll()
      choose({ token })
    },
    [caller],
  )
  const context = useMemo(
    () => ({ client, place, ring, slots, typed, deleted, setQuery, go, askForToken, setToken }),
    [client, place, ring, slots, typed, deleted, setQuery, go, askForToken, setToken],
  )
  const page = place.path[0] as PageName
  return (
    <PageProvider value={context}>
      <button type="button" class="skip" onClick={skip}>
        {shellWords.skip}
      </button>
      <Header
        {...{ client, page, caller, theme, setTheme, askForToken }}
        setDatacenter={(datacenter) => choose({ datacenter })}
        showHelp={() => setDialog('help')}
      />
      <Watchers key={`watch ${caller.datacenter} ${caller.token}`}>{(leader) => <Outage leader={leader} />}</Watchers>
      <main id="main" tabIndex={-1}>
        <LeftText left={left} />
        <OpenPage key={`${pageKey} ${taken}`} path={place.path} />
      </main>
      <TokenDialog token={caller.token} open={dialog === 'token'} use={setToken} close={closeAll} />
      <HelpDialog open={dialog === 'help'} close={closeAll} />
    </PageProvider>
  )
}

/** Deleted keys that a tab keeps: 100, and 1.5 million characters, so that one of the longest values (512 KB) finds room. */
const deletedMax = 100
const deletedLengthMax = 1_500_000

/** The first address of the tab may name a datacenter. */
function callerIn({ query }: Place): Partial<Caller> {
  const datacenter = query[datacenterField]
  return datacenter === undefined ? {} : { datacenter }
}

/** It is no link, because the part of an address behind `#` names the page. */
function skip(): void {
  document.querySelector<HTMLElement>('#main')?.focus()
}

/** Asks at once when the network is back, or the tab is seen again. A hidden tab gives its connections to others. */
function useBack(client: Client, slots: Slots): void {
  useEffect(() => {
    const back = (): void => {
      if (document.hidden) slots.endAll()
      else client.askAgain()
    }
    addEventListener('online', back)
    document.addEventListener('visibilitychange', back)
    return () => {
      removeEventListener('online', back)
      document.removeEventListener('visibilitychange', back)
    }
  }, [client, slots])
}

type SetQuery = (change: Readonly<Record<string, string>>) => void

function usePlace(): readonly [Place, (href: string) => void, SetQuery] {
  const [place, setPlace] = useState<Place>(() => placeOf(location.hash))
  useEffect(() => {
    const changed = (): void => setPlace(placeOf(location.hash))
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  const go = useCallback((href: string) => {
    location.hash = href
  }, [])
  const setQuery = useCallback<SetQuery>((change) => {
    const now = placeOf(location.hash)
    const next = { path: now.path, query: { ...now.query, ...change } }
    history.replaceState(null, '', hashOf(next))
    setPlace(next)
  }, [])
  return [place, go, setQuery]
}
