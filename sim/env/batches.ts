import type { Batches } from '../../src/env/observe.ts'
import type { Trace } from '../report/trace.ts'

/**
 * What waits in one turn and goes on in another, for readers of the trace; undefined where nobody reads. Work that goes
 * on once for several wakes may take many turns: it has an event of its own, from which all of them come, and which
 * comes from each wake.
 */
export function batchesOf(trace: Trace, node: number): Batches | undefined {
  const { teller } = trace
  if (teller === undefined) return undefined
  return {
    waits: (part) => teller.waits(part),
    together: (parts) => teller.together(parts),
    woken: (work) => teller.woken(work),
    goesOn: (work) => {
      const causes = teller.goesOn(work)
      if (causes !== undefined)
        teller.comesTo(trace.tell('note', node, { text: 'goes on for all that woke it' }, causes))
    },
  }
}
