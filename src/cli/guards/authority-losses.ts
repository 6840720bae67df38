import { z } from 'zod'
import { compareText } from '../../base/bytes.ts'
import { ok } from '../../base/result.ts'
import { parseDocument } from '../../config/sources/document.ts'
import { isHidden, readOptions, shownOptions, textOption } from '../../features/connect/options.ts'
import { authorityProblem, authoritySchema, forecastSchema } from '../api/connect-answers.ts'
import type { Invocation } from '../command.ts'
import { fileText, textFlag } from '../flags/values.ts'
import type { Found, GuardReads } from './reads.ts'

const givenSchema = z.object({
  Provider: z.string(),
  Config: z.record(z.string(), z.unknown()),
  ForceWithoutCrossSigning: z.boolean().default(false),
})

/** Options whose change makes another root. */
const rootOptions: readonly string[] = ['PrivateKey', 'RootCert', 'RootPKIPath', 'PrivateKeyType', 'PrivateKeyBits']

/** What another configuration of the mesh's authority changes, and whether it replaces the root. */
export async function authorityLosses(reads: GuardReads, invocation: Invocation): Promise<Found> {
  const file = textFlag(invocation, 'config-file')
  if (/\D/.test(textFlag(invocation, 'cas')) || invocation.args.length > 0) return ok([])
  const text = file === '' ? undefined : await fileText(invocation.env.disk, file)
  if (text?.ok !== true || authorityProblem(file, text.value) !== undefined) return ok([])
  const document = parseDocument(file, text.value)
  const given = document.ok ? givenSchema.safeParse(document.value.value) : undefined
  const options = given?.success === true ? readOptions(given.data.Config) : undefined
  if (given?.success !== true || options?.ok !== true) return ok([])
  const now = await reads.json('/v1/connect/ca/configuration', authoritySchema)
  if (!now.ok) return now
  const before = readOptions(now.value.Config)
  if (!before.ok) return before
  const changed = changedNames(shownOptions(before.value, []), shownOptions(options.value, []))
  const isOther = given.data.Provider !== now.value.Provider
  const root = isOther || rootOptions.some((name) => changed.includes(name))
  const losses = changed.map((name) => {
    const [was, is] = [shown(before.value, name), shown(options.value, name)]
    return `the authority's option ${name} changes from ${was} to ${is}.`
  })
  if (isOther)
    losses.unshift(`the provider of the authority changes from ${now.value.Provider} to ${given.data.Provider}.`)
  if (!root) return ok(losses)
  const rotation = await rotationLosses(reads, given.data.ForceWithoutCrossSigning)
  return rotation.ok ? ok([...losses, ...rotation.value]) : rotation
}

/** An option that stays hidden keeps its value. */
function changedNames(before: Readonly<Record<string, unknown>>, next: Readonly<Record<string, unknown>>): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(next)])].sort(compareText)
  return names.filter((name) => before[name] !== next[name])
}

/** Secrets are not printed, whether they are the stored or the given ones. */
function shown(options: Parameters<typeof textOption>[0], name: string): string {
  const text = textOption(options, name)
  if (text === '') return 'its default'
  return isHidden(options, name) || name === 'PrivateKey' || name === 'Token' ? 'a secret' : JSON.stringify(text)
}

async function rotationLosses(reads: GuardReads, uncrossed: boolean): Promise<Found> {
  const forecast = await reads.json('/v1/connect/ca/forecast', forecastSchema)
  if (!forecast.ok) return forecast
  const { Roots, RotationNow } = forecast.value
  const active = Roots.find(({ Active }) => Active)
  const name = active === undefined ? 'the active root' : `root ${active.Name}`
  const goes = RotationNow.OldRootGoes === '' ? '' : ` and is removed at ${RotationNow.OldRootGoes}`
  const losses = [`a rotation starts: ${name} stops signing${goes}, and every leaf of the mesh is issued anew.`]
  if (uncrossed)
    losses.push('the new root is not cross-signed: services that trust only the old root refuse connections meanwhile.')
  return ok(losses)
}
