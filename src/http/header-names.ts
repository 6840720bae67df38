import { productName } from '../model/names.ts'

/** Each header that carries the product's name, once for the product and once for each alias. */
export interface HeaderNames {
  readonly index: readonly string[]
  readonly knownLeader: readonly string[]
  readonly lastContact: readonly string[]
  readonly effectiveConsistency: readonly string[]
  readonly contentHash: readonly string[]
  readonly fence: readonly string[]
  readonly warning: readonly string[]
  readonly translateAddresses: readonly string[]
  /** In requests, lower case: the product's own first. */
  readonly token: readonly [string, ...string[]]
}

export function headerNames(aliases: readonly string[]): HeaderNames {
  const others = new Set(aliases.map((alias) => alias.toLowerCase()))
  others.delete(productName)
  const named = (suffix: string) => [productName, ...others].map((name) => canonicalHeader(`x-${name}-${suffix}`))
  return {
    index: named('index'),
    knownLeader: named('knownleader'),
    lastContact: named('lastcontact'),
    effectiveConsistency: named('effective-consistency'),
    contentHash: named('contenthash'),
    fence: named('fence'),
    warning: named('warning'),
    translateAddresses: named('translate-addresses'),
    token: [`x-${productName}-token`, ...[...others].map((name) => `x-${name}-token`)],
  }
}

/** `x-svc-index` as `X-Svc-Index`: the first letter of each part upper, the rest lower. */
function canonicalHeader(name: string): string {
  return name
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase())
    .join('-')
}
