import { useEffect, useRef } from 'preact/hooks'

/** Draw canvases anew: these do not follow the colours by themselves. */
const redraws = new Set<() => void>()

/** Paper is light: while the page is printed its colours are those for light, whatever was chosen. */
export function useLightPaper(): void {
  useEffect(() => {
    const root = document.documentElement
    let chosen = root.dataset['theme']
    const before = (): void => {
      chosen = root.dataset['theme']
      root.dataset['theme'] = 'light'
      for (const redraw of redraws) redraw()
    }
    const after = (): void => {
      root.dataset['theme'] = chosen ?? 'system'
      for (const redraw of redraws) redraw()
    }
    addEventListener('beforeprint', before)
    addEventListener('afterprint', after)
    return () => {
      removeEventListener('beforeprint', before)
      removeEventListener('afterprint', after)
    }
  }, [])
}

/** Draws anew when the colours are those of paper, and when they are no more. */
export function useRedrawForPrint(draw: () => void): void {
  const drawn = useRef(draw)
  drawn.current = draw
  useEffect(() => {
    const again = (): void => drawn.current()
    redraws.add(again)
    return () => {
      redraws.delete(again)
    }
  }, [])
}
