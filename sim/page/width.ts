import { useEffect, useState } from 'preact/hooks'

/** How wide an element is, in CSS pixels; 0: it has not been laid out yet. */
export function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    if (element.current !== null) watch.observe(element.current)
    return () => watch.disconnect()
  }, [])
  return width
}
