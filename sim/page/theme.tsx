import { useState } from 'preact/hooks'
import { useLightPaper } from './printing.ts'

export type Theme = 'system' | 'light' | 'dark'

/** The colours that were chosen. The style sheet reads them from the root of the document. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, draw] = useState<Theme>('system')
  /** The style sheet comes first: canvases that are drawn for the theme read their colours from it. */
  const setTheme = (chosen: Theme): void => {
    document.documentElement.dataset['theme'] = chosen
    draw(chosen)
  }
  useLightPaper()
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
        <option value="system">of the system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  )
}
