import type { Naming } from '../../../model/naming/naming.ts'
import { builtInKindOf } from './built-in.ts'
import { externalKind } from './external/external-kind.ts'
import type { ProviderKind } from './provider.ts'

/** Every kind of provider that a configuration may name. */
export function providerKinds(naming: Naming): readonly ProviderKind[] {
  return [builtInKindOf(naming), externalKind]
}
