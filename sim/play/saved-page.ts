import type { LoadedScenario } from '../scenario/language/load.ts'
import { pageText } from '../scenario/language/page-text.ts'
import type { Place } from '../scenario/played/played-schema.ts'
import { type DoneAct, placeText } from './acts-done.ts'
import { actsWithTokens } from './secrets.ts'

interface Saved {
  readonly loaded: LoadedScenario
  readonly seed: number
  readonly build: string
  readonly acts: readonly DoneAct[]
  readonly ends: Place
  readonly hash: string
}

/** `2 acts of it hold a token`: for the reader of a saved page. */
export function tokensText(acts: number): string {
  return acts === 1 ? '1 act in it holds a token' : `${acts} acts in it hold a token`
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
  const secrets = actsWithTokens(acts.map(({ given }) => given))
  const warning = secrets === 0 ? '' : `# Keep it secret: ${tokensText(secrets)}.\n`
  return `# Saved by svc-sim play (${build}). Run it: svc-sim run FILE. Go on with it: svc-sim play FILE.\n${warning}${pageText(page)}`
}
