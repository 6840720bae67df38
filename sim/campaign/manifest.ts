import { z } from 'zod'
import type { Demands } from '../scenario/language/demands.ts'
import { type SeedSpan, type Share, spanText } from './share.ts'

/** Maximum number of scenarios of one campaign. */
const scenariosMax = 10_000
/** Maximum number of shares of one campaign. */
export const sharesMax = 100_000
const text = z.string().max(4_000)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const seed = z.int().min(0)

const scenarioSchema = z.strictObject({
  scenario: text.describe('its title'),
  file: text.describe('as it was named'),
  page: hash.describe('SHA-256 of what the page says, whatever its comments'),
  demands: z
    .record(text, z.strictObject({ count: z.int().min(1), seeds: z.int().min(1) }))
    .optional()
    .describe('by mark: in at least `count` of `seeds` seeds it must be reached'),
  judged: z
    .record(text, z.strictObject({ least: z.int().min(1), count: z.int().min(1), seeds: z.int().min(1) }))
    .optional()
    .describe('by invariant: in at least `count` of `seeds` seeds it must have judged at least `least` facts'),
})

/**
 * The first line of a campaign's file: what was requested, so that the following lines can be judged without the
 * command.
 */
export const manifestSchema = z.strictObject({
  format: z.literal('svc-campaign'),
  version: z.literal(1),
  program: text.describe('release of the program'),
  build: hash.describe('SHA-256 of the modules of the program'),
  scenarios: z.array(scenarioSchema).min(1).max(scenariosMax).describe('every scenario, in the order of a seed'),
  seeds: z
    .strictObject({ first: seed, last: seed.optional() })
    .describe('of all shares together; without `last` as many as there was time for'),
  shard: z.strictObject({ index: z.int().min(1), of: z.int().min(1).max(sharesMax) }).describe('which share this is'),
  commit: text.optional().describe('hash of the commit that the seeds were made of'),
  flags: z
    .strictObject({
      verify: z.boolean().describe('each seed is run twice'),
      demands: z.boolean().describe('runs must come to what their scenario demands'),
      guided: z.boolean().optional().describe('runs that reached rare marks are gone on with, too'),
      steps: z.int().optional().describe('bound of the search over the history of a key'),
    })
    .describe('of the command line, where they decide a verdict'),
})

export type Manifest = z.infer<typeof manifestSchema>
export type ManifestScenario = Manifest['scenarios'][number]

/** The demands of a campaign on all its seeds together. */
export function demandsOf({ demands, judged }: ManifestScenario): Demands | undefined {
  if (demands === undefined && judged === undefined) return undefined
  const marks = Object.entries(demands ?? {}).map(([mark, demand]) => [mark, { kind: 'seeds', ...demand }] as const)
  const facts = Object.entries(judged ?? {}).map(([code, { least, ...seeds }]) => {
    return [code, { least, in: { kind: 'seeds', ...seeds } }] as const
  })
  return { marks: Object.fromEntries(marks), judged: Object.fromEntries(facts) } as Demands
}

/** The part of a page's demands that a manifest has. */
export function manifestDemands(demands: Demands | undefined): Pick<ManifestScenario, 'demands' | 'judged'> {
  const marks = Object.entries(demands?.marks ?? {}).flatMap(([mark, seeds]) =>
    seeds?.kind === 'seeds' ? [[mark, { count: seeds.count, seeds: seeds.seeds }] as const] : [],
  )
  const judged = Object.entries(demands?.judged ?? {}).flatMap(([code, demand]) => {
    if (demand?.in.kind !== 'seeds') return []
    return [[code, { least: demand.least, count: demand.in.count, seeds: demand.in.seeds }] as const]
  })
  return {
    ...(marks.length === 0 ? {} : { demands: Object.fromEntries(marks) }),
    ...(judged.length === 0 ? {} : { judged: Object.fromEntries(judged) }),
  }
}

/** Another build may run the same seeds in another way, and an old file looks like a new one; undefined: it is this build. */
export function otherBuildText({ build, program }: Manifest, own: string): string | undefined {
  if (build === own) return undefined
  return `these runs are of build ${short(build)} (${program}); this program is build ${short(own)}, which may run the same seeds in another way`
}

/** Why runs of two campaigns cannot be counted together, as a text about the second one; undefined: they can. */
export function cannotJoin(one: Manifest, other: Manifest): string | undefined {
  if (one.build !== other.build) {
    return `was made by build ${short(other.build)} (${other.program}), not ${short(one.build)} (${one.program})`
  }
  const pages = otherPage(one.scenarios, other.scenarios)
  if (pages !== undefined) return pages
  for (const flag of ['demands', 'steps'] as const) {
    const [had, has] = [one.flags[flag], other.flags[flag]]
    if (had !== has) return `was made with other flags: '${flag}' is ${has ?? 'not given'}, not ${had ?? 'not given'}`
  }
  return undefined
}

/**
 * Which scenario of the second campaign is another version of one of the first, known by its title or its file;
 * undefined: none is. A page that both have is no other version, even if several pages have its title.
 */
function otherPage(scenarios: readonly ManifestScenario[], others: readonly ManifestScenario[]): string | undefined {
  const known = new Set(scenarios.map(({ page }) => page))
  const byName = new Map(
    scenarios.flatMap(({ scenario, file, page }) => [[scenario, page] as const, [file, page] as const]),
  )
  for (const { scenario, file, page } of others) {
    const before = known.has(page) ? undefined : (byName.get(file) ?? byName.get(scenario))
    if (before !== undefined) return `ran another page of '${scenario}' (${file}): ${short(page)}, not ${short(before)}`
  }
  return undefined
}

/** Why the second command cannot continue the file of the first one, as a text about the file; undefined: it can. */
export function cannotResume(file: Manifest, command: Manifest): string | undefined {
  const other = cannotJoin(command, file)
  if (other !== undefined) return `it ${other}`
  const pages = (manifest: Manifest) => manifest.scenarios.map(({ page }) => page).join()
  if (pages(file) !== pages(command)) return scenariosText(file, command)
  const texts: readonly (readonly [string, (manifest: Manifest) => string])[] = [
    ['seeds', ({ seeds }) => seedsText(seeds)],
    ['shard', ({ shard }) => shareText(shard)],
    ['verify', ({ flags }) => String(flags.verify)],
    ['guided', ({ flags }) => String(flags.guided ?? false)],
  ]
  for (const [name, textOf] of texts) {
    if (textOf(file) !== textOf(command)) return `its ${name} is ${textOf(file)}, and ${textOf(command)} was asked for`
  }
  return undefined
}

function scenariosText(file: Manifest, command: Manifest): string {
  const lacks = command.scenarios.find(({ page }) => !file.scenarios.some((one) => one.page === page))
  if (lacks !== undefined) return `it does not have the scenario '${lacks.scenario}' (${lacks.file})`
  const more = file.scenarios.find(({ page }) => !command.scenarios.some((one) => one.page === page))
  if (more !== undefined) return `it also has the scenario '${more.scenario}' (${more.file})`
  return 'its scenarios are in another order'
}

/** `2/4`. */
export function shareText({ index, of }: Share): string {
  return `${index}/${of}`
}

function seedsText(seeds: SeedSpan): string {
  return spanText(seeds)
}

/** The part of a hash that people compare. */
function short(full: string): string {
  return full.slice(0, 16)
}
