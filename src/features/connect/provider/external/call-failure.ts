import type { HttpClientFailure } from '../../../../env/http.ts'
import type { ProviderFailure } from '../provider.ts'

/** Why a call of the secrets manager did not do what it was for. */
export interface CallFailure extends ProviderFailure {
  /** Of its answer; undefined: there was none, or none that can be understood. */
  readonly status: number | undefined
  /** Its own words, for whoever has to tell two errors of one status apart. Bounded, without the token. */
  readonly words: string
}

/** Of what the secrets manager says in an error so much is shown. */
const wordsMax = 300

/**
 * 500 says "not again" as well as "later": these are of the first kind, which no try mends. Recordings: errors, cross-sign.
 */
const lasting = [
  'does not match private key type',
  'does not match private key',
  'error converting input',
  'backend must be configured with a CA',
  'cannot provide negative value',
]

/** Of an answer with an error status. `texts`: its list of errors. */
export function failureOf(what: string, status: number, texts: readonly string[], token: string): CallFailure {
  const words = plainWords(texts.join('; '), token)
  const passing = status === 429 || (status >= 500 && !lasting.some((text) => words.includes(text)))
  const message = words === '' ? `${what}: status ${status}` : `${what}: ${words} (${status})`
  return { kind: passing ? 'unavailable' : 'refused', message, status, words }
}

/** What cannot be asked now, may be later: also where the answer is none that such a server gives. */
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

/** On one line, bounded, and whoever answered may have echoed what was sent: the token does not come out of here. */
function plainWords(text: string, token: string): string {
  const plain = text
    .replaceAll(token, 'hidden')
    .replace(/\d+ errors? occurred:/g, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/ \* /g, ' ')
    .trim()
  return plain.length > wordsMax ? `${plain.slice(0, wordsMax)}…` : plain
}
