import type { Cluster } from '../cluster/cluster.ts'
import type { Range } from '../notation/quantities.ts'
import { type Selectable, select } from '../notation/selection.ts'
import type { Selector } from '../notation/selector.ts'
import type { Draws } from '../world/decisions/draws.ts'

/** The nodes that an action applies to, at the moment when it is performed. */
export interface ActionScope {
  /** The server whose event triggered it. */
  readonly it: string | undefined
  readonly saved: (name: string) => readonly string[] | undefined
  readonly draw: Draws
  /** Called with what the action does; absent: not observed. */
  readonly witness?: ActionWitness | undefined
}

/** Sees what is chosen where an action leaves something open, so that it can be written down as it was. */
export interface ActionWitness {
  chose(selector: Selector, nodes: readonly string[]): void
  /** It is taken back after this time. */
  lasts(spanMs: number): void
}

/** The cluster, for resolving selections. */
export function selectable(cluster: Cluster, scope: ActionScope, except: readonly string[] = []): Selectable {
  return {
    servers: cluster.serverNames,
    clients: cluster.clientNames,
    datacenterOf: (server) => cluster.datacenterOf(server),
    isRunning: (server) => cluster.isRunning(server),
    leader: (datacenter) => cluster.leader(datacenter),
    saved: scope.saved,
    it: scope.it,
    except,
    draw: scope.draw,
  }
}

/** The present sides of a partition. `others` on one side stands for all nodes that no other side names. */
export function sidesOf(sides: readonly Selector[], cluster: Cluster, scope: ActionScope): (readonly string[])[] {
  const chosen = (side: Selector, except: readonly string[] = []): readonly string[] =>
    select(side, selectable(cluster, scope, except))
  const isRest = ({ pick }: Selector): boolean =>
    pick.kind === 'group' && (pick.group === 'others' || pick.group === 'other nodes')
  const named = sides.map((side) => (isRest(side) ? [] : chosen(side)))
  const all = sides.map((side, at) => (isRest(side) ? chosen(side, named.flat()) : (named[at] ?? [])))
  for (const [at, nodes] of all.entries()) scope.witness?.chose(sides[at] as Selector, nodes)
  return all
}

/** A range of milliseconds under its name in the world's options; empty if there is none. */
export function given(name: string, range: Range | undefined): Readonly<Record<string, readonly [number, number]>> {
  return range === undefined ? {} : { [name]: [range.min, range.max] }
}

/** Uniformly from the range, in thousandths. */
export function drawRange(draw: Draws, range: Range): number {
  if (range.max === range.min) return range.min
  return range.min + draw.fraction() * (range.max - range.min)
}
