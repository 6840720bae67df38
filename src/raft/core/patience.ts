import type { RaftTiming } from './options.ts'

/** Length of a window in which silences are measured, in heartbeat timeouts: 10 to 20 heartbeats of a leader at rest. */
const windowTimeouts = 2
/** A follower waits for this many times the longest silence that it has lately heard end. */
const silencesWaitedFor = 2.5
/** Followers that wait adaptively stand within this part of their patience of each other, instead of all of it. */
const spreadShare = 1 / 5

/** How regularly a follower hears its leader: the longest silences that ended, in two windows of time. */
export interface HeardRhythm {
  windowBeganMs: number
  /** In the present window. */
  longestMs: number
  /** In the window before; undefined until the leader was heard throughout one. */
  longestBeforeMs: number | undefined
}

export function newRhythm(nowMs: number): HeardRhythm {
  return { windowBeganMs: nowMs, longestMs: 0, longestBeforeMs: undefined }
}

/** The leader was heard after this silence. */
export function noteSilence(
  rhythm: HeardRhythm,
  silenceMs: number,
  { heartbeatTimeoutMs }: RaftTiming,
  nowMs: number,
): void {
  rhythm.longestMs = Math.max(rhythm.longestMs, silenceMs)
  if (nowMs - rhythm.windowBeganMs < windowTimeouts * heartbeatTimeoutMs) return
  rhythm.longestBeforeMs = rhythm.longestMs
  rhythm.longestMs = 0
  rhythm.windowBeganMs = nowMs
}

/**
 * How long a follower keeps to a leader that it does not hear. With adaptive detection it is shorter than the heartbeat
 * timeout where the leader has been heard regularly: a host that is lost resets no connection, and every follower waits
 * this long before anything can be written again. The argument that this is safe, and gives no more elections:
 * 1. It is never shorter than the lease, which is measured from before the leader's heartbeat was sent. So no lease
 *    outlives the loyalty of the voters, as with the fixed time (`createRaft` asserts that of the timeout).
 * 2. A leader that has heard no quorum for as long as its lease steps down (`quorumTimerFired`). So when a majority has
 *    lost its patience, that leader has stepped down or stands still, and to wait longer would only prolong the time
 *    without a leader.
 * 3. One follower alone, whose own messages are late or lost, asks in a pre-vote, in vain, because the others still hear
 *    the leader.
 * 4. Where messages come irregularly (a slow network or disk, pauses of either process), the silences that ended were
 *    long, and the patience is up to the full timeout, which is never exceeded. It is the full timeout, too, until the
 *    leader was heard for a whole window.
 */
export function patienceMs(rhythm: HeardRhythm, timing: RaftTiming): number {
  const { heartbeatTimeoutMs, leaderLeaseMs, detection } = timing
  const { longestMs, longestBeforeMs } = rhythm
  if (detection !== 'adaptive' || longestBeforeMs === undefined) return heartbeatTimeoutMs
  const waitedMs = silencesWaitedFor * Math.max(longestMs, longestBeforeMs)
  return Math.min(heartbeatTimeoutMs, Math.max(leaderLeaseMs, waitedMs))
}

/** Width of the range from which a follower draws when it stands, beyond its patience. */
export function standSpreadMs(patience: number, { heartbeatTimeoutMs, timeoutSpreadMs }: RaftTiming): number {
  return patience < heartbeatTimeoutMs ? patience * spreadShare : (timeoutSpreadMs ?? heartbeatTimeoutMs)
}
