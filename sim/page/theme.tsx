import { useEffect, useState } from 'preact/hooks'

export type Theme = 'system' | 'light' | 'dark'

/** The colours that were chosen. The style sheet reads them from the root of the document. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>('system')
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  return [theme, setTheme]
}

export interface ThemeChoiceProps {
  readonly theme: Theme
  readonly setTheme: (theme: Theme) => void
}

export function ThemeChoice({ theme, setTheme }: ThemeChoiceProps) {
  return (
    <label class="theme">
      <span>Colours</span>
      <select value={theme} onChange={({ currentTarget }) => setTheme(currentTarget.value as Theme)}>
        <option value="system">as the system has them</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  )
}
