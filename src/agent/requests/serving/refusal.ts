import type { Failure } from '../../../model/failure.ts'
import type { RequestRefusal } from '../../../raft/core/types.ts'

/** The failure that a caller of this server gets when Raft refuses. */
export function failureOfRefusal(refusal: RequestRefusal, addressOf: (id: string) => string | undefined): Failure {
  switch (refusal.kind) {
    case 'not-leader':
      return { kind: 'not-leader', leader: refusal.leader === undefined ? undefined : addressOf(refusal.leader) }
    case 'overloaded':
      return { kind: 'overloaded', message: 'too many writes under way' }
    case 'disk-full':
      return refusal.accepted
        ? {
            kind: 'outcome-unknown',
            message: 'no space left on the disk: the write takes effect if there is room again',
          }
        : { kind: 'disk-full' }
    case 'leadership-lost':
      return { kind: 'outcome-unknown', message: 'leadership lost while committing log' }
    case 'change-in-progress':
      return { kind: 'refused', message: 'another change of the Raft configuration is under way' }
    case 'unknown-server':
      return { kind: 'bad-request', message: `id "${refusal.id}" was not found in the Raft configuration` }
    case 'invalid-change':
    case 'transfer-failed':
      return { kind: 'refused', message: refusal.message }
  }
}
