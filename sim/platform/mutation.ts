import { rangesText } from '../mutation/ranges.ts'
import type { MutationSwitch } from '../pool/worker.ts'

/** What `mutation-switch.js` of an instrumented program leaves behind. */
interface Generated {
  readonly turn: (mutant: number) => void
  /** A byte for each site. */
  readonly reached: Uint8Array
}

/** The switch of this program, if it is an instrumented one; its modules are all loaded by now. */
export function mutationSwitch(): MutationSwitch | undefined {
  const generated: Generated | undefined = Reflect.get(globalThis, Symbol.for('svc-sim.mutation'))
  if (generated === undefined) return undefined
  const { reached } = generated
  return {
    loaded: rangesText(reached),
    turn: (mutant) => {
      reached.fill(0)
      generated.turn(mutant)
    },
    reached: () => rangesText(reached),
  }
}
