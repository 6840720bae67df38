import { byteString } from '../../base/bytes.ts'
import { lowerAscii } from '../../base/letter-case.ts'

/** The key of a name, which is independent of case. */
export function nameKey(name: string): string {
  return byteString(lowerAscii(name))
}

/**
 * Two names as one key, ordered by the first and then the second. A zero byte in the first is written as 0,1 and its
 * end as 0,0, so that no two pairs share a key.
 */
export function pairKey(first: string, second: string): string {
  return `${nameKey(first).replaceAll('\0', '\0\x01')}\0\0${nameKey(second)}`
}

/**
 * The names for which rights to a service in the mesh are required. Rules match names exactly, while mesh names are
 * compared without case: a token that may write only `DB` must not stand for `db`, nor decide which service may connect
 * to it.
 */
export function meshSpellings(name: string): readonly string[] {
  const lower = lowerAscii(name)
  return lower === name ? [name] : [name, lower]
}
