import { hideUuids } from '../base/uuid.ts'
import type { Labels } from '../env/observe.ts'

/** Bounds of the labels of one series, in characters: callers choose some of the values. */
export const labelsMax = 8
export const labelValueMax = 128
const labelsTextMax = 512
const uuidLength = 36

/**
 * Labels in the order given. A name may occur more than once, as `tag` does where several tags were asked for. A long
 * value is cut, and labels beyond the bounds are left out. What has the form of a token is hidden, because a caller may
 * have written its token in the place of a name. Reference: telemetry.md#metrics-5.
 */
export function labelsOf(...given: readonly (readonly [name: string, value: string])[]): Labels {
  const pairs: (readonly [string, string])[] = []
  let key = ''
  for (const [name, value] of given.slice(0, labelsMax)) {
    // Read a little further than is kept, so that no part of a token is left at the cut.
    const kept = hideUuids(value.slice(0, labelValueMax + uuidLength)).slice(0, labelValueMax)
    const text = `;${name}=${kept.replaceAll(';', ';;')}`
    if (key.length + text.length > labelsTextMax) break
    key += text
    pairs.push([name, kept])
  }
  return { pairs, key }
}
