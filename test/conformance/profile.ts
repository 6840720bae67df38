import type { Exact } from './golden/exact-json.ts'
import { fill, firstVariables, loadGolden } from './golden/sequence.ts'

/** The configuration file of a profile of `test/golden/profiles.json`, with these ports. */
export function profileDocument(profile: string, ports: Readonly<Record<string, number>>): Record<string, Exact> {
  const profiles = loadGolden('profiles.json') as Record<string, Record<string, Exact>>
  const named = profiles[profile]?.['config'] as Record<string, Exact> | undefined
  if (named === undefined) throw new Error(`there is no profile ${profile}`)
  return fill({ ...profiles['base'], ...named }, firstVariables(ports)) as Record<string, Exact>
}
