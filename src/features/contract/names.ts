import { byteString } from '../../base/bytes.ts'
import { lowerAscii } from '../../base/letter-case.ts'

/** What a name is found by: the letters' case does not count. */
export function nameKey(name: string): string {
  return byteString(lowerAscii(name))
}

/**
 * Two names as one key, in the order of the first and then the second. A zero byte in the first is written as 0,1 and its
 * end as 0,0, so that no two pairs share a key.
 */
export function pairKey(first: string, second: string): string {
  return `${nameKey(first).replaceAll('\0', '\0\x01')}\0\0${nameKey(second)}`
}
