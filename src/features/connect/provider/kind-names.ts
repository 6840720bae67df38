import { lowerAscii } from '../../../base/letter-case.ts'
import { fieldNames, productName } from '../../../model/names.ts'
import type { ProviderKind } from './provider.ts'

/** The kind with that name; the built-in one under each of the product's names. */
export function kindNamed(kinds: readonly ProviderKind[], name: string): ProviderKind | undefined {
  const wanted = nameOfKind(name)
  return kinds.find((kind) => kind.name === wanted)
}

/** The name that is stored. Empty: the built-in one. */
export function nameOfKind(name: string): string {
  const given = lowerAscii(name)
  return given === '' || fieldNames.includes(given) ? productName : given
}
