import { useEffect, useRef } from 'preact/hooks'
import type { PageName } from '../place/place.ts'
import { pageKeys } from '../words/shell-words.ts'

export interface KeyActions {
  open(page: PageName): void
  askForToken(): void
  toggleHelp(): void
  closeAll(): void
}

/** After `g`, a letter within this time opens a page. */
const chordMs = 3_000

/** Keys work while no field has the focus. The browser's own keys stay as they are. */
export function useKeyboard(actions: KeyActions): void {
  const now = useRef(actions)
  now.current = actions
  useEffect(() => {
    let chordUntilMs = 0
    const pressed = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') now.current.closeAll()
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      const page = event.timeStamp < chordUntilMs ? pageKeys[event.key] : undefined
      chordUntilMs = event.key === 'g' ? event.timeStamp + chordMs : 0
      if (page !== undefined) now.current.open(page)
      else if (event.key === 't') now.current.askForToken()
      else if (event.key === '?') now.current.toggleHelp()
      else if (event.key === '/') document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
  )
}
