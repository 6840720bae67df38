import { checker, type Judge } from './checker.ts'
import type { ArmedTimer, Held, HeldThing, LeftBehind } from './process-facts.ts'

/**
 * How long a process may keep what it no longer needs. Sending a snapshot over a slow network takes less, and a connection
 * is closed as soon as its peer's end arrives.
 */
const backWithinUs = 30_000_000

/**
 * How many files of a folder stay open: the newest segment of a server's log, with the file that says how far it is
 * durable; and the journal of an agent's own registrations.
 */
const keptOpen: readonly (readonly [folder: string, files: number])[] = [
  ['/data/raft/log/', 2],
  // The log of old releases.
  ['/data/mdb/', 2],
  ['/data/local/', 1],
]

/**
 * P4. A process closes the files, connections and sockets that it opens. Each one that stays open takes a descriptor, some
 * memory, and for a removed file its space on the disk, until one of these runs out. Judged when a cluster has come to
 * rest, and when a process has stopped in order.
 *
 * A process that has stopped in order has also closed its connections and timers: a program that embeds the agent does
 * not exit with it, and a timer that fires then acts for an agent that has ended. This is judged at the instant at which
 * the process would exit, before the environment drops anything, and without any tolerance. After a crash there is nothing
 * to judge: the agent had no chance to close anything, and its machine drops it all (H3 judges that none of it acts again),
 * so that the next life begins with nothing of the former.
 */
export class GivenBack {
  readonly #judge: Judge<{ P4: never }>

  constructor(judge: Judge<{ P4: never }>) {
    this.#judge = judge
  }

  /** No fault held up this process when the last faults ended. */
  atRest(node: string, { files, ended }: Held, nowUs: number): void {
    this.#judge.judged('P4')
    const isLate = ({ sinceUs }: HeldThing): boolean => nowUs - sinceUs > backWithinUs
    const late = files.filter(isLate).map(({ what }) => what)
    const kept = keptOpen.flatMap(([folder, count]) => late.filter((path) => path.startsWith(folder)).slice(-count))
    for (const path of late.filter((each) => !kept.includes(each)))
      this.#report(`${node} still has ${path} open, though it is at rest`)
    const twice = kept.find((path, at) => kept.indexOf(path) !== at)
    if (twice !== undefined) this.#report(`${node} has ${twice} open twice, though it is at rest`)
    for (const { what } of ended.filter(isLate)) {
      this.#report(`${node} still has a connection with ${what} open, which has ended it`)
    }
  }

  /** A process has stopped in order. */
  stopped(node: string, { files, sockets, connections, timers }: LeftBehind): void {
    this.#judge.judged('P4')
    const left = [...files.map(({ what }) => what), ...sockets]
    if (left.length > 0) this.#report(`${node} has stopped and left open: ${left.join(', ')}`)
    if (connections.length > 0) this.#report(`${node} has stopped and left connections with ${connections.join(', ')}`)
    if (timers.length > 0) this.#report(`${node} has stopped and left armed: ${timers.map(timerText).join(', ')}`)
  }

  #report(message: string): void {
    this.#judge.report('P4', message)
  }
}

function timerText({ waitsFor, dueInMs }: ArmedTimer): string {
  return `a timer of ${Math.ceil(dueInMs)} ms${waitsFor === undefined ? '' : ` for ${waitsFor}`}`
}

export const givenBack = checker({
  codes: {
    P4: {
      text: 'given back: an agent closes the files that it no longer uses and connections that ended, and at its end its sockets, connections and timers',
      sources: ['src/env/README.md'],
      evidence: ['complaints', 'snapshots'],
      judges: ['agent at rest or at its end', 'agents at rest or at their end'],
    },
  },
  make: (judge) => new GivenBack(judge),
  takes: {
    'process stopped': (it, { node, left }) => it.stopped(node, left),
  },
})
