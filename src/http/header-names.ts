import type { HttpHeaders } from '../env/http.ts'
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

/**
 * The secret of the token that a request is made with; empty: none. The parameter `token` goes before the headers, the
 * product's own name before its aliases, and `Authorization` comes last; an empty value counts as absent.
 * Reference: http-conventions.md#tokens.
 */
export function requestToken(parameter: string | undefined, headers: HttpHeaders, names: readonly string[]): string {
  if (parameter !== undefined && parameter !== '') return parameter
  for (const name of names) {
    const token = headers.get(name)
    if (token !== undefined && token !== '') return token
  }
  return bearer(headers.get('authorization'))
}

/** The scheme as it is written here, and no other: the field's is case-sensitive, too. */
const scheme = 'Bearer '

function bearer(authorization: string | undefined): string {
  return authorization?.startsWith(scheme) === true ? authorization.slice(scheme.length).trim() : ''
}
