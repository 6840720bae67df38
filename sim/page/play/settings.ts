import type { PlayConfiguration } from '../../play/play-api.ts'

export type Settings = PlayConfiguration['config']

/** Undefined: the text is not a JSON object. */
export function settingsIn(text: string): Settings | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Settings) : undefined
  } catch {
    return undefined
  }
}

/** Settings that differ, and null for those to be removed. */
export function changedSettings(present: Settings, wanted: Settings): Settings {
  const differs = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(present[name]) !== JSON.stringify(value),
  )
  const gone = Object.keys(present).filter((name) => !Object.hasOwn(wanted, name))
  return Object.fromEntries([...differs, ...gone.map((name) => [name, null] as const)])
}
