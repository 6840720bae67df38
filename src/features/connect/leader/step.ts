import { type Failure, failureText } from '../../../model/failure.ts'
import type { ProviderFailure } from '../provider/provider.ts'

/** What came of one thing that the leader had to do for the authority. */
export type Step =
  /** Something: it looks at once what comes next. */
  | { readonly kind: 'did' }
  /** There is nothing to do until something changes, or this time has passed. */
  | { readonly kind: 'idle'; readonly forMs: number }
  /** It is tried again later. `message` is for operators, and holds no secret. */
  | { readonly kind: 'failed'; readonly by: 'provider' | 'replication' | 'time'; readonly message: string }

export const did: Step = { kind: 'did' }

export function failedBy({ message }: ProviderFailure): Step {
  return { kind: 'failed', by: 'provider', message }
}

export function notReplicated(failure: Failure): Step {
  return { kind: 'failed', by: 'replication', message: failureText(failure) }
}
