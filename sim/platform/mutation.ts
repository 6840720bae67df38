import { rangesText } from '../mutation/ranges.ts'
import type { MutationSwitch } from '../pool/worker.ts'

/** The globals of an instrumented program's `mutation-switch.js`. */
interface Generated {
  readonly turn: (mutant: number) => void
  /** A byte for each site. */
  readonly reached: Uint8Array
  /** A byte for each place that returned nothing, and the order in which they last did. */
  readonly returned: Uint8Array
  readonly order: Uint32Array
}

/** The switch of this program, if it is instrumented; its modules are all loaded by now. */
export function mutationSwitch(): MutationSwitch | undefined {
  const generated: Generated | undefined = Reflect.get(globalThis, Symbol.for('svc-sim.mutation'))
  if (generated === undefined) return undefined
  const { reached, returned, order } = generated
  return {
    loaded: rangesText(reached),
    turn: (mutant) => {
      reached.fill(0)
      returned.fill(0)
      generated.turn(mutant)
    },
    set: generated.turn,
    take: (onSite) => {
      for (let site = reached.indexOf(1); site !== -1; site = reached.indexOf(1, site + 1)) {
        onSite?.(site)
        reached[site] = 0
      }
    },
    takeReturns: (onReturn) => {
      for (let place = returned.indexOf(1); place !== -1; place = returned.indexOf(1, place + 1)) {
        onReturn?.(place, order[place] ?? 0)
        returned[place] = 0
      }
    },
    reached: () => rangesText(reached),
    returned: () => rangesText(returned),
  }
}
