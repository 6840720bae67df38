import { type Failure, failureText } from '../../../model/failure.ts'
import type { ProviderFailure } from '../provider/provider.ts'

/** The result of one task of the leader for the authority. */
export type Step =
  /** Work was done: the next task is looked for at once. */
  | { readonly kind: 'did' }
  /** Nothing is due until something changes, or this time has passed. */
  | { readonly kind: 'idle'; readonly forMs: number }
  /** To be retried later. `message` is for operators, and contains no secret. */
  | { readonly kind: 'failed'; readonly by: 'provider' | 'replication' | 'time'; readonly message: string }

export const did: Step = { kind: 'did' }

export function failedBy({ message }: ProviderFailure): Step {
  return { kind: 'failed', by: 'provider', message }
}

export function notReplicated(failure: Failure): Step {
  return { kind: 'failed', by: 'replication', message: failureText(failure) }
}
