import { lowerAscii } from '../../base/letter-case.ts'

/**
 * The names for which rights to a service in the mesh are required. Rules match names exactly, while mesh names are
 * compared without case: a token that may write only `DB` must not stand for `db`, nor decide which service may connect
 * to it.
 */
export function meshSpellings(name: string): readonly string[] {
  const lower = lowerAscii(name)
  return lower === name ? [name] : [name, lower]
}
