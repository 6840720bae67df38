import type { ReadTransaction } from '../../../store/types.ts'
import type { AuthorityRow, ProviderOptions } from '../model.ts'
import { sameOptions } from '../options.ts'
import type { ProviderKind } from '../provider/provider.ts'
import { openRotation } from '../views.ts'

export type Due = 'nothing' | 'joining' | 'options' | 'rotation' | 'giving-up'

/** What is to be proposed; or that something else has to end before. */
export type Plan =
  | { readonly kind: 'propose'; readonly due: Due }
  | { readonly kind: 'wait'; readonly rotation: number }

/** How the configuration comes to be what is wished, from what is now. */
export function planOf(
  tx: ReadTransaction,
  authority: AuthorityRow,
  kind: ProviderKind,
  { options, isPrimary }: { readonly options: ProviderOptions; readonly isPrimary: boolean },
): Plan {
  const rotation = openRotation(tx)
  const isAsItIs = kind.name === authority.provider && sameOptions(authority.options, options)
  const follows = authority.primary !== ''
  // Keys are those of the primary datacenter. Where it has become that itself, whatever is configured is a root of its own.
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
