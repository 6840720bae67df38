import type { FailureKind } from '../model/failure.ts'

/**
 * The status of each failure. A failure that a later attempt may not meet (no leader, shutting down) is 500 and not
 * 503, because the field's clients retry only on 500. Reference: http-conventions.md#status-codes.
 */
export const failureStatus: Readonly<Record<FailureKind, number>> = {
  'bad-request': 400,
  'too-large': 413,
  'not-found': 404,
  'no-leader': 500,
  'not-leader': 500,
  'unknown-datacenter': 500,
  'no-servers': 500,
  'outcome-unknown': 500,
  'deadline-exceeded': 500,
  cancelled: 500,
  overloaded: 429,
  'rate-limited': 429,
  'shutting-down': 500,
  'disk-full': 500,
  'permission-denied': 403,
  'token-not-found': 403,
  'access-control-off': 401,
  'legacy-access-control': 500,
  'unknown-method': 500,
  'malformed-answer': 500,
  'mesh-off': 500,
  refused: 500,
}
