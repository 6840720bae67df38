import { lowerAscii } from '../../base/letter-case.ts'

/**
 * The names that rights to a service in the mesh are asked for: rules are matched letter for letter, and in the mesh names that
 * differ in the case of their letters are one. Who may write `DB` alone must not stand for `db`, nor say who may connect to it.
 */
export function meshSpellings(name: string): readonly string[] {
  const lower = lowerAscii(name)
  return lower === name ? [name] : [name, lower]
}
