import { type CheckedRun, checker, type Judge } from './checker.ts'
import type { SettledAnswer } from './refusal-facts.ts'

/**
 * What a request needs at most, each by its longest time:
 * 1. Its client connects to the agent and asks it: two round trips.
 * 2. The agent connects to a server and asks it, and the server asks the leader: three.
 * 3. The leader asks its followers, and waits for a round that is under way: two.
 * 4. The leader and a follower each sync an entry behind one that is being written, and a new file of the log: six.
 */
const roundTripsMax = 7
const syncsMax = 6
/** Reads of disks, and timers that wait on purpose to gather more. */
const besideMs = 10

/**
 * L2. An agent that has been in contact with its leader for a while answers in the time that the network and the disks
 * need, if no fault has begun or ended meanwhile. If one waits for a timer instead, such as the next heartbeat, no other
 * law sees it: in the end the answer comes, and is right. Not judged where packets are lost, which are sent again later.
 */
export class Promptness {
  readonly #run: Run
  readonly #mostMs: number

  constructor(run: Run) {
    this.#run = run
    this.#mostMs = roundTripsMax * run.network.rttMaxMs + syncsMax * run.disk.syncMaxMs + besideMs
  }

  answered({ what, calledIn, tookMs, isCalm }: SettledAnswer): void {
    if (!isCalm || this.#run.network.loss > 0) return
    this.#run.judged('L2')
    if (tookMs <= this.#mostMs) return
    const took = `${tookMs.toFixed(0)} ms, and needs ${this.#mostMs.toFixed(0)} ms at most`
    this.#run.report('L2', `${what} took ${took}`, [calledIn])
  }
}

type Run = Pick<CheckedRun, 'network' | 'disk'> & Judge<{ L2: never }>

export const promptness = checker({
  codes: {
    L2: {
      text: 'promptness: in calm, an agent that has a leader answers in the time that the network and the disks need',
      sources: ['docs/reference/http-reads.md#index-absent', 'Raft thesis, sections 6.4 and 10.2'],
      evidence: ['requests', 'forwards', 'commands'],
      judges: ['answer in calm', 'answers in calm'],
    },
  },
  make: (run) => new Promptness(run),
  takes: {
    'settled request answered': (it, answer) => it.answered(answer),
  },
})
