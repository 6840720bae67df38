import type { ReadTransaction } from '../../../store/types.ts'
import type { AuthorityRow, ProviderOptions } from '../model.ts'
import { sameOptions } from '../options.ts'
import type { ProviderKind } from '../provider/provider.ts'
import { openRotation } from '../views.ts'

export type Due = 'nothing' | 'joining' | 'options' | 'rotation' | 'giving-up'

/** A command to propose, or another change that must end first. */
export type Plan =
  | { readonly kind: 'propose'; readonly due: Due }
  | { readonly kind: 'wait'; readonly rotation: number }

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
