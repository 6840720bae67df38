import { isBuiltInProvider } from '../../../model/naming/names.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import type { AuthorityRow, ProviderOptions } from '../model.ts'
import { sameOptions } from '../options.ts'
import type { AuthorityParts } from '../parts.ts'
import { OpenProviders } from '../provider/open-providers.ts'
import { type ProviderKind, providedWithin } from '../provider/provider.ts'
import { activeRoot, authorityOf, openRotation, signerOf } from '../views.ts'

export type Due = 'nothing' | 'joining' | 'options' | 'rotation' | 'giving-up'

/** A command to propose, or another change that must end first. */
type Plan = { readonly kind: 'propose'; readonly due: Due } | { readonly kind: 'wait'; readonly rotation: number }

/** How to get from the present configuration to the wished one. */
export function planOf(
  tx: ReadTransaction,
  authority: AuthorityRow,
  kind: ProviderKind,
  { options, isPrimary }: { readonly options: ProviderOptions; readonly isPrimary: boolean },
): Plan {
  const rotation = openRotation(tx)
  const isAsItIs = kind.name === authority.provider && sameOptions(authority.options, options)
  const follows = authority.primary !== ''
  // The keys belong to the primary datacenter. If this datacenter has become the primary, any configuration means a
  // root of its own.
  if (follows && !isPrimary) return { kind: 'propose', due: isAsItIs ? 'nothing' : 'options' }
  const isSameRoot =
    !follows && (isAsItIs || (kind.name === authority.provider && kind.sameRoot(authority.options, options)))
  if (rotation === undefined) {
    if (isSameRoot) return { kind: 'propose', due: isAsItIs ? 'nothing' : 'options' }
    return { kind: 'propose', due: 'rotation' }
  }
  if (rotation.provider === kind.name && sameOptions(rotation.options, options)) {
    return { kind: 'propose', due: 'joining' }
  }
  if (isSameRoot) return { kind: 'propose', due: isAsItIs ? 'giving-up' : 'options' }
  return { kind: 'wait', rotation: rotation.id }
}

/** Without a name, the built-in provider is meant; but a forgotten name must not move the root key to the servers. */
export function unnamedProblem(given: string, { name }: ProviderKind, { provider }: AuthorityRow): string | undefined {
  if (given !== '' || isBuiltInProvider(provider)) return undefined
  const present = `the present one is ${JSON.stringify(provider)}`
  return `Provider is missing, and ${present}: name it, or ${JSON.stringify(name)} for a root of the servers`
}

interface Trial {
  readonly due: Due
  readonly kind: ProviderKind
  readonly options: ProviderOptions
  /** Monotonic time. */
  readonly untilMs: number
}

/**
 * Why a provider refuses to sign with the same root under other options; undefined: it does not refuse, or no answer
 * can be had now. Without this trial, a token with one character too many would be stored and end all signing. Callers
 * ask only while the authority is healthy: a broken one may be repaired in any order.
 */
export async function refusalOf(
  parts: AuthorityParts,
  tx: ReadTransaction,
  { due, kind, options, untilMs }: Trial,
): Promise<string | undefined> {
  const { server } = parts
  const authority = authorityOf(tx)
  const signer = signerOf(tx, activeRoot(tx)?.id ?? '')
  if (due !== 'options' || authority?.primary !== '' || signer === undefined) return undefined
  // The built-in provider cannot be unreachable.
  if (isBuiltInProvider(kind.name) || authority.provider !== kind.name) return undefined
  if (sameOptions(toReach(authority.options), toReach(options))) return undefined
  const providers = new OpenProviders(parts)
  const leftMs = untilMs - server.env.clock.monoMs()
  const asked = providers.rootOf(kind.name, options, authority, '0', signer)
  const there = await providedWithin(server.env, leftMs, asked)
  return there.ok || there.error.kind === 'unavailable' ? undefined : there.error.message
}

/**
 * Why the provider of another root cannot be reached; undefined: it answers, whatever it says, or is the built-in one.
 * A rotation to an unreachable provider would stay open, and hold up every other change.
 */
export async function silenceOf(
  parts: AuthorityParts,
  authority: AuthorityRow,
  { due, kind, options, untilMs }: Trial,
): Promise<string | undefined> {
  if (due !== 'rotation') return undefined
  const opened = new OpenProviders(parts).opened(kind.name, options, authority)
  // The rotation itself reports invalid options.
  if (!opened.ok) return undefined
  const { provider } = opened.value
  if (provider.contact === undefined) return undefined
  const { env } = parts.server
  const answered = await providedWithin(env, untilMs - env.clock.monoMs(), provider.contact())
  provider.close()
  return answered.ok || answered.error.kind === 'refused' ? undefined : answered.error.message
}

const ofAuthority: readonly string[] = ['LeafCertTTL', 'CSRMaxPerSecond', 'RotationPeriod']

/** Without the options that only the authority itself uses. */
function toReach(options: ProviderOptions): ProviderOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !ofAuthority.includes(name)))
}
