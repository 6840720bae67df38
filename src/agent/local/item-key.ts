import { lowerAscii } from '../../base/letter-case.ts'

/**
 * The key of a service or check by its ID. The catalog compares IDs without case, so two IDs that differ only in case
 * are one item here, too: otherwise the agent would deregister the one while it registers the other.
 */
export function itemKey(id: string): string {
  return lowerAscii(id)
}
