import type { HttpClientFailure } from '../../../../env/http.ts'
import type { ProviderFailure } from '../provider.ts'

/** Why a call to the secrets manager failed. */
export interface CallFailure extends ProviderFailure {
  /** HTTP status of its answer; undefined: there was no answer, or none that can be parsed. */
  readonly status: number | undefined
  /** The problem that it reports, as far as callers act on it. */
  readonly complaint: Complaint | undefined
}

/** Problems that the secrets manager reports and that callers tell apart, where its status alone does not. */
export type Complaint =
  | 'not-mounted'
  | 'already-mounted'
  /** The mount has no certificate authority. */
  | 'no-authority'
  | 'no-usable-authority'
  | 'no-role'
  | 'key-mismatch'
  /** It cannot interpret the request. */
  | 'unusable-input'

/** Maximum number of characters shown of the secrets manager's error. */
const wordsMax = 300

/**
 * The secrets manager has no error codes, only texts. They are interpreted here and nowhere else; the first row that
 * matches counts. Recordings: errors, cross-sign, mounts.
 */
const complaints: readonly (readonly [words: RegExp, complaint: Complaint])[] = [
  [/does not match private key/, 'key-mismatch'],
  [/backend must be configured with a CA/, 'no-authority'],
  [/error converting input|cannot provide negative value/, 'unusable-input'],
  [/stored CA information/, 'no-usable-authority'],
  [/no handler for route/, 'not-mounted'],
  [/unknown role/, 'no-role'],
  [/existing mount at|path is already in use at/, 'already-mounted'],
]

/** Status 500 may mean "not again" as well as "later": these problems are of the first kind, which no retry fixes. */
const lasting: ReadonlySet<Complaint | undefined> = new Set(['key-mismatch', 'no-authority', 'unusable-input'] as const)

/** Failure of an answer with an error status. `texts` is its list of errors. */
export function failureOf(what: string, status: number, texts: readonly string[], token: string): CallFailure {
  const words = plainWords(texts.join('; '), token)
  const complaint = complaints.find(([found]) => found.test(words))?.[1]
  const passing = status === 429 || (status >= 500 && !lasting.has(complaint))
  const message = words === '' ? `${what}: status ${status}` : `${what}: ${words} (${status})`
  return { kind: passing ? 'unavailable' : 'refused', message, status, complaint }
}

const unsaid = { status: undefined, complaint: undefined }

/** A failure that a later attempt may not meet, including an answer that no secrets manager would give. */
export function unavailable(what: string, why: string, token: string): CallFailure {
  return { kind: 'unavailable', message: `${what}: ${plainWords(why, token)}`, ...unsaid }
}

/** An answer that no secrets manager gives: by another program in its place, or damaged on the way. */
export function misread(what: string, said: string): CallFailure {
  return { kind: 'unavailable', message: `${what}: the answer is not the secrets manager's: ${said}`, ...unsaid }
}

export function refused(message: string): CallFailure {
  return { kind: 'refused', message, ...unsaid }
}

/** The mount does not have the root that it had. */
export function gone(message: string): CallFailure {
  return { ...refused(message), isGone: true }
}

export function transportText(failure: HttpClientFailure): string {
  switch (failure.kind) {
    case 'refused':
      return 'connection refused'
    case 'timeout':
      return 'no answer in time'
    case 'unreachable':
      return 'unreachable'
    case 'tls':
      return `TLS: ${failure.message}`
    case 'io':
    case 'broken':
      return failure.message
  }
}

/** One line of limited length, without the token, which the answering server may have echoed. */
function plainWords(text: string, token: string): string {
  const plain = text
    .replaceAll(token, 'hidden')
    .replace(/\d+ errors? occurred:/g, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/ \* /g, ' ')
    .trim()
  return plain.length > wordsMax ? `${plain.slice(0, wordsMax)}…` : plain
}
