import { useEffect, useState } from 'preact/hooks'

export type Theme = 'system' | 'light' | 'dark'

const kept = 'colours'

/** The colours that were chosen, for all visits with this browser. The style sheet reads them from the document. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => themeOf(localStorage.getItem(kept)))
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
    localStorage.setItem(kept, theme)
  }, [theme])
  return [theme, setTheme]
}

function themeOf(text: string | null): Theme {
  return text === 'light' || text === 'dark' ? text : 'system'
}
