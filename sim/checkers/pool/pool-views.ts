import { type Judge, judgedAtRest } from '../checker.ts'

/** How one running agent sees the members of its pool: status by name. */
export interface PoolView {
  readonly observer: string
  readonly members: ReadonlyMap<string, string>
}

export interface PoolFault {
  readonly code: 'M1' | 'M2'
  readonly message: string
  /** The pool does not agree that a member left: such news may take longer than other news. */
  readonly isOfLeave: boolean
}

/**
 * M1 and M2, for a pool that nothing disturbs any more: every running agent sees every other one alive, and none that
 * left. `present`: the running agents; `gone`: those that left. An agent that left while no other could hear it has
 * failed in the view of all others; but once one of them knows that it left, all must.
 */
export function poolFaults(
  views: readonly PoolView[],
  present: readonly string[],
  gone: readonly string[],
): readonly PoolFault[] {
  const heard = gone.filter((member) => views.some(({ members }) => members.get(member) === 'left'))
  return views.flatMap(({ observer, members }) => [
    ...present.flatMap((member): readonly PoolFault[] => {
      const status = members.get(member)
      if (status === 'alive') return []
      if (status === undefined) return [fault('M1', `${observer} does not know ${member}`)]
      return [fault('M2', `${observer} sees ${member} as ${status}, which runs and is connected`)]
    }),
    ...gone.flatMap((member): readonly PoolFault[] => {
      const status = members.get(member)
      if (status === undefined || status === 'left' || (status === 'failed' && !heard.includes(member))) return []
      const message = `${observer} sees ${member} as ${status}, which left`
      return [{ code: 'M1', message, isOfLeave: status === 'failed' }]
    }),
  ])
}

function fault(code: PoolFault['code'], message: string): PoolFault {
  return { code, message, isOfLeave: false }
}

/** Counts what `poolFaults` has compared, at the last look. */
export function countPool(
  { judged, excused }: Judge<{ M1: 'leave unheard'; M2: never }>,
  views: readonly PoolView[],
  present: readonly string[],
  gone: readonly string[],
): void {
  const unheard = gone.filter((member) => !views.some(({ members }) => members.get(member) === 'left'))
  judged('M1', views.length * (present.length + gone.length - unheard.length))
  judged('M2', views.length * present.length)
  excused('M1', 'leave unheard', views.length * unheard.length)
}

export const poolViews = judgedAtRest({
  M1: {
    text: 'convergence: within a bound after the last fault all agents know the same members',
    sources: ['SWIM, section 4'],
    evidence: ['members', 'probes'],
    judges: ['pair of agents', 'pairs of agents'],
    excuses: {
      'leave unheard':
        'An agent that left while no other could hear it has failed for all others; until one of them knows that it left.',
    },
  },
  M2: {
    text: 'no lasting false death: a running, connected agent does not count as failed for longer than the bound',
    sources: ['Lifeguard, section 3'],
    evidence: ['members', 'probes'],
    judges: ['pair of agents', 'pairs of agents'],
  },
})
