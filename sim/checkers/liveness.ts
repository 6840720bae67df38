import { checker, type Judge } from './checker.ts'
import { type CoreExcuse, coreExcuses } from './core-excuses.ts'

/** Why a quiet cluster has not come to rest, as text; undefined if it has. */
export interface Unrest {
  readonly openRequests: readonly string[]
  readonly down: readonly string[]
  /** Members that were asked to leave, and have not left yet. */
  readonly leaving: readonly string[]
  readonly leaders: readonly string[]
  /** Index applied by each server. */
  readonly applied: ReadonlyMap<string, number>
  /** The highest committed index of any server. */
  readonly committed: number
}

export type RestExcuse = CoreExcuse | 'majority lost'

/** L1. After faults have stopped and everything is healed, the cluster comes to rest within a time limit. */
export class Liveness {
  readonly #judge: Judge<{ L1: RestExcuse }>

  constructor(judge: Judge<{ L1: RestExcuse }>) {
    this.#judge = judge
  }

  /** The cluster is at rest, or serves again. */
  rests(): void {
    this.#judge.judged('L1')
  }

  /** The cluster need not come to rest. */
  excused(excuse: RestExcuse): void {
    this.#judge.excused('L1', excuse)
  }

  /** The cluster is at rest, and does not serve a request. */
  refuses(message: string): void {
    this.#judge.judged('L1')
    this.#judge.report('L1', message)
  }

  /** The time limit has passed. */
  overdue(unrest: Unrest, boundText: string): void {
    this.#judge.judged('L1')
    for (const reason of reasonsOf(unrest)) this.#judge.report('L1', `${boundText} after the last fault ${reason}`)
  }
}

export function atRest(unrest: Unrest): boolean {
  return reasonsOf(unrest).length === 0
}

function reasonsOf(unrest: Unrest): readonly string[] {
  const reasons: string[] = []
  if (unrest.down.length > 0) reasons.push(`${unrest.down.join(', ')} is not running`)
  if (unrest.leaving.length > 0) reasons.push(`${unrest.leaving.join(', ')} is still leaving`)
  if (unrest.leaders.length === 0) reasons.push('no server leads')
  if (unrest.leaders.length > 1) reasons.push(`${unrest.leaders.join(' and ')} lead at the same time`)
  if (new Set(unrest.applied.values()).size > 1) {
    const each = [...unrest.applied].map(([node, index]) => `${node} ${index}`).join(', ')
    reasons.push(`servers have applied different entries: ${each}`)
  }
  for (const [node, index] of unrest.applied) {
    if (index < unrest.committed) reasons.push(`${node} has applied ${index} of ${unrest.committed} committed entries`)
  }
  const open = unrest.openRequests[0]
  if (open !== undefined) reasons.push(`${unrest.openRequests.length} requests are still open, such as ${open}`)
  return reasons
}

export const liveness = checker({
  codes: {
    L1: {
      text: 'liveness: once faults stop, the cluster serves again and every open request ends within the bound',
      sources: ['Raft thesis, section 3.9'],
      evidence: ['elections', 'configurations', 'requests', 'complaints'],
      judges: ['return to rest', 'returns to rest'],
      excuses: {
        ...coreExcuses,
        'majority lost':
          'A configuration has no majority with whole data left, because the program itself had removed other servers; until an operator recovers it by hand, which no run does.',
      },
    },
  },
  make: (judge) => new Liveness(judge),
})
