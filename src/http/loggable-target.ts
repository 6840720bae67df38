import { hideUuids } from '../base/uuid.ts'
import type { QueryParameter } from '../features/contract/operation.ts'
import { pathCharacters, percentDecode, percentEncode } from './target.ts'

const hidden = '<hidden>'

/**
 * Maximum number of times that a path is decoded in search of a secret: a path encoded more often is hidden as a whole.
 */
const decodingsMax = 4

/** The known parts of a request's target. */
export interface LoggedTarget {
  /** Path and query as sent. */
  readonly target: string
  /** Decoded once, a byte string. */
  readonly path: string
  /** Path of its route; `secretBelow`: the rest is an ID that is a secret, or may be one. */
  readonly routePath: string
  readonly secretBelow: boolean
  /** Parameters that the operation declares. */
  readonly declared: readonly QueryParameter[]
  /** The token of the request; empty: none. */
  readonly secret: string
}

/**
 * A request target in a form that may be logged. A caller that misplaces a secret may send it anywhere, so this shows
 * what is known not to be secret, instead of hiding what is known to be secret:
 * 1. of the query, the parameters that the operation declares: `?TOKEN=`, `?tokne=` and a bare secret are not among
 *    them;
 * 2. of the path, the rest after a route that takes no ID of a token, a policy or a session;
 * 3. in neither, anything in the form of a UUID, which secrets have, nor the request's own token.
 */
export function loggableTarget(logged: LoggedTarget): string {
  const mark = logged.target.indexOf('?')
  const path = loggablePath(logged)
  if (mark < 0) return path
  const pieces = logged.target.slice(mark + 1).split(/([&;])/)
  return `${path}?${pieces.map((piece, at) => (at % 2 === 1 || piece === '' ? piece : loggablePiece(piece, logged))).join('')}`
}

function loggablePath({ path, routePath, secretBelow, secret }: LoggedTarget): string {
  if (secretBelow) return `${routePath}${hidden}`
  const shown = hideUuids(percentEncode(path, pathCharacters))
  return holdsSecret(path, secret) ? `${routePath}${hidden}` : shown
}

/** A shorter token is looked for only as a whole segment: as a part of one, it would hide most words. */
const soughtWithinMin = 8

function shows(text: string, secret: string): boolean {
  if (secret === '') return false
  return secret.length < soughtWithinMin ? text.split('/').includes(secret) : text.includes(secret)
}

/**
 * Whether further decoding reveals a UUID, or the text contains the secret. UUIDs that are visible without decoding do
 * not count.
 */
function holdsSecret(text: string, secret: string): boolean {
  if (shows(text, secret)) return true
  let plain = hideUuids(text)
  for (let times = 0; plain.includes('%'); times++) {
    const decoded = percentDecode(plain, false)
    if (decoded === undefined) return false
    if (times === decodingsMax || hideUuids(decoded) !== decoded) return true
    if (shows(decoded, secret)) return true
    plain = decoded
  }
  return false
}

function loggablePiece(piece: string, { declared, secret }: LoggedTarget): string {
  const equals = piece.indexOf('=')
  const name = percentDecode(equals < 0 ? piece : piece.slice(0, equals), true)
  if (name === 'token') return `token=${hidden}`
  const known = declared.find((each) => each.name === name)
  if (known === undefined) return hidden
  if (equals < 0) return known.name
  const value = percentDecode(piece.slice(equals + 1), true)
  if (known.value === 'presence' || value === undefined || holdsSecret(value, secret)) return `${known.name}=${hidden}`
  return `${known.name}=${hideUuids(percentEncode(value, pathCharacters))}`
}
