import { lowerAscii } from '../../base/letter-case.ts'

/**
 * By what an ID of a service or a check is found. The catalog makes no difference between a letter and its capital, so two
 * IDs that differ in nothing else are one here too: else the agent would take out the one while it tells of the other.
 */
export function itemKey(id: string): string {
  return lowerAscii(id)
}
