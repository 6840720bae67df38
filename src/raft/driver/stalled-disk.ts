import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { RaftTiming } from '../core/options.ts'
import type { Turns } from './turns.ts'

/** A disk that does not answer for this many election timeouts counts as hung, not as slow. */
const patienceTimeouts = 4

export interface StalledDiskParts {
  readonly env: Pick<Env, 'timers' | 'clock' | 'log'>
  readonly timing: RaftTiming
  readonly turns: Turns
  /** When the oldest unanswered write was requested. */
  readonly waitingSinceMs: () => number | undefined
  readonly isLeader: () => boolean
  /** Hands over leadership; false if no server took it. */
  readonly handOver: () => Promise<boolean>
}

/**
 * A leader commits with the disks of others, so it continues to lead while its own disk hangs. But then it can give no
 * follower a snapshot, and after a restart it has nothing of what it led: a server that can write is a better leader.
 * It keeps trying to hand over for as long as the disk hangs, and leads meanwhile; the hung server cannot be elected
 * again, because it cannot write its own vote.
 */
export class StalledDisk {
  readonly #parts: StalledDiskParts
  readonly #patienceMs: number
  #timer: Closable | undefined

  constructor(parts: StalledDiskParts) {
    this.#parts = parts
    this.#patienceMs = patienceTimeouts * parts.timing.electionTimeoutMs
    this.#arm()
  }

  stop(): void {
    this.#timer?.close()
  }

  #arm(): void {
    const { env, turns } = this.#parts
    this.#timer = env.timers.after(this.#patienceMs, () => {
      turns.run(() => {
        this.#arm()
        this.#look()
      })
    })
  }

  #look(): void {
    const { env, turns, waitingSinceMs, isLeader, handOver } = this.#parts
    const sinceMs = waitingSinceMs()
    if (sinceMs === undefined || !isLeader()) return
    const forMs = env.clock.monoMs() - sinceMs
    if (forMs < this.#patienceMs) return
    env.log.write('warn', 'raft', 'the disk does not answer: leadership is transferred', { forMs })
    turns.inBackground(
      handOver().then((isOver) => {
        if (!isOver) env.log.write('warn', 'raft', 'no server took over from a leader whose disk does not answer')
      }),
    )
  }
}
