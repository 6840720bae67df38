import { err, ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import { tooManyRoots } from '../forecast.ts'
import type { AuthorityRow, ProviderOptions } from '../model.ts'
import { sameOptions } from '../options.ts'
import type { ProviderKind } from '../provider/provider.ts'
import { allRoots, openRotation } from '../views.ts'

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
): Result<Plan, Failure> {
  const rotation = openRotation(tx)
  const isAsItIs = kind.name === authority.provider && sameOptions(authority.options, options)
  const follows = authority.primary !== ''
  // Keys are those of the primary datacenter. Where it has become that itself, whatever is configured is a root of its own.
  if (follows && !isPrimary) return ok({ kind: 'propose', due: isAsItIs ? 'nothing' : 'options' })
  const isSameRoot =
    !follows && (isAsItIs || (kind.name === authority.provider && kind.sameRoot(authority.options, options)))
  if (rotation === undefined) {
    if (isSameRoot) return ok({ kind: 'propose', due: isAsItIs ? 'nothing' : 'options' })
    const why = tooManyRoots([...allRoots(tx)])
    return why === ''
      ? ok({ kind: 'propose', due: 'rotation' })
      : err({ kind: 'refused', message: `no rotation can begin now: ${why}` })
  }
  if (rotation.provider === kind.name && sameOptions(rotation.options, options)) {
    return ok({ kind: 'propose', due: 'joining' })
  }
  if (isSameRoot) return ok({ kind: 'propose', due: isAsItIs ? 'giving-up' : 'options' })
  return ok({ kind: 'wait', rotation: rotation.id })
}
