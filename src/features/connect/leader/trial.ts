import { productName } from '../../../model/names.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import type { AuthorityRow, ProviderOptions } from '../model.ts'
import { sameOptions } from '../options.ts'
import { OpenProviders } from '../provider/open-providers.ts'
import type { ProviderKind } from '../provider/provider.ts'
import { providedWithin } from '../provider/within.ts'
import type { AuthorityParts } from '../settings.ts'
import { activeRoot, authorityOf, signerOf } from '../views.ts'
import type { Due } from './plan.ts'

interface Trial {
  readonly due: Due
  readonly kind: ProviderKind
  readonly options: ProviderOptions
  /** Monotonic clock. */
  readonly untilMs: number
}

/**
 * Why a provider with other options for the same root refuses to sign by it; undefined: it does not, or nobody can tell now. Stored without
 * having been tried, a token with a letter too many would end all signing. Whoever calls asks only while all is well: what is broken anyway
 * may be mended in any order.
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
  // What the servers are themselves cannot be out of reach.
  if (kind.name === productName || authority.provider !== kind.name) return undefined
  if (sameOptions(toReach(authority.options), toReach(options))) return undefined
  const providers = new OpenProviders(parts)
  const leftMs = untilMs - server.env.clock.monoMs()
  const asked = providers.rootOf(kind.name, options, authority, '0', signer)
  const there = await providedWithin(server.env, leftMs, asked)
  return there.ok || there.error.kind === 'unavailable' ? undefined : there.error.message
}

/**
 * Why the provider of another root gives no answer at all; undefined: it answers, whatever it says, or is a part of the servers.
 * A rotation to it would stay open until it does, and hold up every other change.
 */
export async function silenceOf(
  parts: AuthorityParts,
  authority: AuthorityRow,
  { due, kind, options, untilMs }: Trial,
): Promise<string | undefined> {
  if (due !== 'rotation') return undefined
  const opened = new OpenProviders(parts).opened(kind.name, options, authority)
  // What is wrong with the options is for the rotation to say.
  if (!opened.ok) return undefined
  const { provider } = opened.value
  if (provider.contact === undefined) return undefined
  const { env } = parts.server
  const answered = await providedWithin(env, untilMs - env.clock.monoMs(), provider.contact())
  provider.close()
  return answered.ok || answered.error.kind === 'refused' ? undefined : answered.error.message
}

const ofAuthority: readonly string[] = ['LeafCertTTL', 'CSRMaxPerSecond', 'RotationPeriod']

/** Without what the authority itself goes by. */
function toReach(options: ProviderOptions): ProviderOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !ofAuthority.includes(name)))
}
