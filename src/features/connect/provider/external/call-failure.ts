import type { HttpClientFailure } from '../../../../env/http.ts'
import type { ProviderFailure } from '../provider.ts'

/** Why a call to the secrets manager failed. */
export interface CallFailure extends ProviderFailure {
  /** HTTP status of its answer; undefined: there was no answer, or none that can be parsed. */
  readonly status: number | undefined
  /** Its own error text, to tell apart two errors with the same status. Bounded, without the token. */
  readonly words: string
}

/** Maximum number of characters shown of the secrets manager's error. */
const wordsMax = 300

/**
 * Status 500 may mean "not again" as well as "later": these texts are of the first kind, which no retry fixes.
 * Recordings: errors, cross-sign.
 */
const lasting = [
  'does not match private key type',
  'does not match private key',
  'error converting input',
  'backend must be configured with a CA',
  'cannot provide negative value',
]

/** Failure of an answer with an error status. `texts` is its list of errors. */
export function failureOf(what: string, status: number, texts: readonly string[], token: string): CallFailure {
  const words = plainWords(texts.join('; '), token)
  const passing = status === 429 || (status >= 500 && !lasting.some((text) => words.includes(text)))
  const message = words === '' ? `${what}: status ${status}` : `${what}: ${words} (${status})`
  return { kind: passing ? 'unavailable' : 'refused', message, status, words }
}

/** A failure that a later attempt may not meet, including an answer that no secrets manager would give. */
export function unavailable(what: string, why: string, token: string): CallFailure {
  return { kind: 'unavailable', message: `${what}: ${plainWords(why, token)}`, status: undefined, words: '' }
}

export function refused(message: string): CallFailure {
  return { kind: 'refused', message, status: undefined, words: '' }
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
