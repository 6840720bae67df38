import type { NamesDrawn } from '../notation/selection.ts'
import { rareStates } from './rare-states.ts'

export const coreMarks = rareStates({
  'core without the leader': 'the core that was healed first had lost its leader',
})

/** Why a healed core may be unable to serve although the program is correct. Each reason is verified. */
export const coreExcuses = {
  'no core':
    'all servers that can be healed are together no majority of their configuration, because others left or are lost; until all are healed',
  'led from outside':
    'a server outside the core is the rightful leader, and some server of the core cannot reach it, or its disk fails, so that it may have no snapshot to send; until all are healed',
  'left meanwhile': 'a server of the core had been asked to leave before, and has left; until all are healed',
  'members changed meanwhile':
    'a change of members that was under way reached the log of a server of the core, and the core is no majority of the new members; until all are healed',
} as const

export type CoreExcuse = keyof typeof coreExcuses

/** The state of a healed core when its time limit is over. */
export interface CoreView {
  readonly core: readonly string[]
  /** Of the servers that believe they lead, the one with the highest term, if its process is running and not paused. */
  readonly leader: string | undefined
  /** Servers that left gracefully. */
  readonly left: readonly string[]
  /** Node IDs of the core. `standing`: the voters of every configuration that a server may follow. */
  readonly coreIds: readonly string[]
  readonly standing: readonly (readonly string[])[]
  /** Whether messages of the first server reach the second, however late. */
  readonly reaches: (from: string, to: string) => boolean
  /** Whether operations of the server's disk fail now. */
  readonly diskFails: (server: string) => boolean
}

/** The excuse for a core that does not serve; undefined if nothing excuses it. */
export function excuseOf(view: CoreView): CoreExcuse | undefined {
  const { core, coreIds, standing, leader, left, reaches, diskFails } = view
  if (core.some((server) => left.includes(server))) return 'left meanwhile'
  // The core was drawn to have a majority of each configuration, so this one is newer.
  if (!standing.every((voters) => isMajority(coreIds, voters))) return 'members changed meanwhile'
  if (leader === undefined || core.includes(leader)) return undefined
  const isApart = (server: string): boolean => !reaches(leader, server) || !reaches(server, leader)
  return core.some(isApart) || diskFails(leader) ? 'led from outside' : undefined
}

/**
 * A core drawn from the servers that can be healed: in the order drawn, as many as it takes to have a majority of the
 * voters of every configuration that one of them may follow. Undefined if even all of them together have none.
 */
export function drawCore(
  candidates: readonly { readonly name: string; readonly id: string }[],
  standing: readonly (readonly string[])[],
  draws: NamesDrawn,
): readonly string[] | undefined {
  const left = [...draws.inOrder(candidates, ({ name }) => name)]
  const core: { readonly name: string; readonly id: string }[] = []
  const suffices = (): boolean =>
    standing.length > 0 &&
    standing.every((voters) =>
      isMajority(
        core.map(({ id }) => id),
        voters,
      ),
    )
  while (!suffices()) {
    const next = left.shift()
    if (next === undefined) return undefined
    core.push(next)
  }
  return core.map(({ name }) => name).sort(byName)
}

function isMajority(ids: readonly string[], voters: readonly string[]): boolean {
  return voters.filter((id) => ids.includes(id)).length * 2 > voters.length
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
