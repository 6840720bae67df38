/** Why a request has no result. `text` is the agent's own sentence. */
export type Failure =
  /** There was no answer: the agent is stopped, or the network is. */
  | { readonly kind: 'unreachable' }
  /** The servers have no leader now. */
  | { readonly kind: 'no-leader'; readonly text: string }
  /** The token lacks a right, or there is no token. */
  | { readonly kind: 'refused'; readonly text: string; readonly withToken: boolean }
  /** The datacenter does not know the token. */
  | { readonly kind: 'unknown-token'; readonly text: string }
  /** Access control is off in the datacenter. */
  | { readonly kind: 'switched-off'; readonly text: string }
  | { readonly kind: 'absent'; readonly text: string }
  /** The entry has changed since it was read, so a write by check-and-set did nothing. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'said'; readonly status: number; readonly text: string }

export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly index: string | undefined }
  | { readonly ok: false; readonly failure: Failure }

/** The failure that an answer with this status and text stands for. */
export function failureOf(status: number, body: string, withToken: boolean): Failure {
  const text = body.trim() || `The agent answered with the status ${status}.`
  if (status === 403) {
    return /\bnot found\b/i.test(text) ? { kind: 'unknown-token', text } : { kind: 'refused', text, withToken }
  }
  if (status === 401 && /support disabled/i.test(text)) return { kind: 'switched-off', text }
  if (status === 404) return { kind: 'absent', text }
  if (/no cluster leader/i.test(text)) return { kind: 'no-leader', text }
  return { kind: 'said', status, text }
}
