import type { LoadedScenario } from '../scenario/language/load.ts'
import { pageText } from '../scenario/language/page-text.ts'
import type { Place } from '../scenario/played/played-schema.ts'
import { type DoneAct, placeText } from './acts-done.ts'

interface Saved {
  readonly loaded: LoadedScenario
  readonly seed: number
  readonly build: string
  readonly acts: readonly DoneAct[]
  readonly ends: Place
  readonly hash: string
}

const suffix = ', played'

/** A page that repeats a session: its cluster and its rules, with the acts in place of steps. */
export function savedPage({ loaded, seed, build, acts, ends, hash }: Saved): string {
  const source = loaded.document.value as Readonly<Record<string, unknown>>
  const { scenario, seed: _seed, steps: _steps, lasts: _lasts, demands: _demands, played: _played, ...rest } = source
  const title = String(scenario)
  const page = {
    scenario: title.endsWith(suffix) ? title : `${title}${suffix}`,
    seed,
    ...rest,
    played: {
      acts: acts.map(({ given, place }) => ({ ...placeText(place), ...given })),
      ends: placeText(ends),
      trace: hash,
    },
  }
  return `# Saved by svc-sim play (${build}). Run it: svc-sim run FILE. Go on with it: svc-sim play FILE.\n${pageText(page)}`
}
