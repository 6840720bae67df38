import type { HttpHeaders } from '../env/http.ts'
import { headerName } from '../model/naming/names.ts'
import { type Naming, svcNaming } from '../model/naming/naming.ts'

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

export function headerNames({ name: own }: Naming, aliases: readonly string[]): HeaderNames {
  const others = new Set(aliases.map((alias) => alias.toLowerCase()))
  others.delete(own)
  const named = (suffix: string) => [own, ...others].map((name) => headerName(name, suffix))
  return {
    index: named('index'),
    knownLeader: named('knownleader'),
    lastContact: named('lastcontact'),
    effectiveConsistency: named('effective-consistency'),
    contentHash: named('contenthash'),
    fence: named('fence'),
    warning: named('warning'),
    translateAddresses: named('translate-addresses'),
    token: [`x-${own}-token`, ...[...others].map((name) => `x-${name}-token`), ...commandsToken(own)],
  }
}

/**
 * The secret of a request's token; empty: none. The parameter `token` has precedence over the headers, the product's
 * own name over its aliases, and `Authorization` comes last; an empty value counts as absent. Reference:
 * http-conventions.md#tokens.
 */
export function requestToken(parameter: string | undefined, headers: HttpHeaders, names: readonly string[]): string {
  if (parameter !== undefined && parameter !== '') return parameter
  for (const name of names) {
    const token = headers.get(name)
    if (token !== undefined && token !== '') return token
  }
  return bearer(headers.get('authorization'))
}

/** Only this spelling of the scheme is accepted: the field's is case-sensitive, too. */
const scheme = 'Bearer '

function bearer(authorization: string | undefined): string {
  return authorization?.startsWith(scheme) === true ? authorization.slice(scheme.length).trim() : ''
}

/** Commands of the program under its own name send this header, whatever name the agent uses. */
function commandsToken(own: string): readonly string[] {
  return own === svcNaming.name ? [] : [`x-${svcNaming.name}-token`]
}
