import { builtInKind } from './built-in.ts'
import { externalKind } from './external/external-kind.ts'
import type { ProviderKind } from './provider.ts'

/** Every kind of provider that a configuration may name. */
export const providerKinds: readonly ProviderKind[] = [builtInKind, externalKind]
