import type { TextPairs } from './catalog.ts'
import { metadataKeyMax, metadataPairsMax, metadataValueMax } from './limits.ts'
import { productName } from './names.ts'

/**
 * Why such metadata of a node or a service cannot be taken, in the field's words; undefined where they can. `reservedToo`: they
 * are not given but asked for, and keys of the product's own are as good as others.
 * Reference: catalog.md#metadata-limits.
 */
export function metadataProblem(pairs: TextPairs, reservedToo = false): string | undefined {
  if (pairs.length > metadataPairsMax) {
    return `Node metadata cannot contain more than ${metadataPairsMax} key/value pairs`
  }
  for (const [key, value] of pairs) {
    const reason = pairProblem(key, value, reservedToo)
    if (reason !== undefined) return `Couldn't load metadata pair ('${key}', '${value}'): ${reason}`
  }
  return undefined
}

function pairProblem(key: string, value: string, reservedToo: boolean): string | undefined {
  if (key === '') return 'Key cannot be blank'
  if (!/^[A-Za-z0-9_-]+$/.test(key)) return 'Key contains invalid characters'
  if (key.length > metadataKeyMax) return `Key is too long (limit: ${metadataKeyMax} characters)`
  if (!reservedToo && key.startsWith(`${productName}-`))
    return `Key prefix '${productName}-' is reserved for internal use`
  if (value.length > metadataValueMax) return `Value is too long (limit: ${metadataValueMax} characters)`
  return undefined
}
