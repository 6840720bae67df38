import { checker, type Judge } from './checker.ts'

/** What keeps a quiet cluster from having come to rest, in words; none when it has. */
export interface Unrest {
  readonly openRequests: readonly string[]
  readonly down: readonly string[]
  /** Asked to leave, and not yet gone. */
  readonly leaving: readonly string[]
  readonly leaders: readonly string[]
  /** Index applied by each server. */
  readonly applied: ReadonlyMap<string, number>
  /** The highest index that any server was seen to commit. */
  readonly committed: number
}

/** L1. After faults have stopped and everything is healed, the cluster comes to rest within a bound. */
export class Liveness {
  readonly #judge: Judge<{ L1: never }>

  constructor(judge: Judge<{ L1: never }>) {
    this.#judge = judge
  }

  /** The bound has passed. */
  overdue(unrest: Unrest, boundText: string): void {
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
      judges: ['return to rest', 'returns to rest'],
    },
  },
  make: (judge) => new Liveness(judge),
})
