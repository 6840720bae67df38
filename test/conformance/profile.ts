import type { Exact } from './golden/exact-json.ts'
import { fill, firstVariables, loadGolden } from './golden/sequence.ts'

/** The configuration file of a profile of `test/golden/profiles.json`, with these ports. */
export function profileDocument(profile: string, ports: Readonly<Record<string, number>>): Record<string, Exact> {
  const profiles = loadGolden('profiles.json') as Record<string, Record<string, Exact>>
  const named = profiles[profile]?.['config'] as Record<string, Exact> | undefined
  if (named === undefined) throw new Error(`there is no profile ${profile}`)
  const config = { ...profiles['base'], ...named } as Record<string, Exact>
  return fill(config, firstVariables(ports)) as Record<string, Exact>
}

/** Whether the recorder waits for the agent's own entry in the catalog, and with which token. */
export function profileFacts(profile: string): { readonly wait: boolean; readonly token: string } {
  const named = (loadGolden('profiles.json') as Record<string, Record<string, Exact>>)[profile] ?? {}
  return { wait: named['wait'] !== false, token: String(named['token'] ?? '') }
}
