import type { HttpHeaders } from '../env/http.ts'

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
