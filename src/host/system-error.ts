import { getSystemErrorMap } from 'node:util'

/** The code of an error of Node or the operating system (`ENOENT`, `ERR_TLS_CERT_ALTNAME_INVALID`), or empty. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
}

/** The operating system's text (`no such file or directory`), or the error's. */
export function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const known = 'errno' in cause && typeof cause.errno === 'number' ? getSystemErrorMap().get(cause.errno) : undefined
  return known === undefined ? cause.message : known[1]
}
