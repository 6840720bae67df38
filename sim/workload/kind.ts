import { z } from 'zod'
import type { Env } from '../../src/env/env.ts'
import type { Invariants } from '../checkers/invariants.ts'
import type { ConnectionTally } from '../checkers/mesh/connection-tally.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ActionScope } from '../faults/action-scope.ts'
import type { Trigger } from '../faults/fault-schema.ts'
import type { Injector } from '../faults/injector.ts'
import type { Template } from '../notation/fields.ts'
import type { Selector } from '../notation/selector.ts'
import type { Simulation } from '../simulation/simulation.ts'

/** What the workload needs of a run. */
export interface WorkloadRun {
  readonly simulation: Simulation
  readonly cluster: Cluster
  readonly tunnels: ConnectionTally
  /** When a fault last began or ended. */
  readonly injector: Pick<Injector, 'changedUs'>
  checksOf(datacenter: string): Invariants
  /** True time since which the agent has been in contact with its leader; undefined: it is not. */
  contactSinceUs(agent: string): number | undefined
  select(selector: Selector): readonly string[]
  stepScope(): ActionScope
  triggered(trigger: Trigger, node: string): void
  fail(path: readonly PropertyKey[], message: string): void
  /** Fills in values that steps have saved so far. */
  filled(template: Template): string
  /** The list that a step has saved under this name; empty if there is none yet. */
  listed(name: string): readonly string[]
  /** Saves a list under this name, as a step would. */
  list(name: string, items: readonly string[]): void
}

/** What a crew does on its machine. Each method is called in a turn of its own, for all crews of a run. */
export interface Crew {
  /** Services stay healthy from beginning to end, whatever else stops. */
  live?(): void
  /** Continues to the end: at rest, it must have what the cluster has. */
  follow?(): void
  /** Follows keys, and continues when everything else stops; on another call, it starts again from where it is. */
  watch?(): void
  unwatch?(): void
  start?(): void
  stop?(): void
  /** Requests without an answer, as text. */
  openRequests?(): readonly string[]
  /** For the proxies beside these agents, what differs from the cluster's state, and why. */
  behind?(isMeant: (agent: string) => boolean): readonly string[]
  /** Every proxy connects to every other one. */
  meetAll?(): void
}

/** Where a crew works: the name of its group in the file, and its machine. */
export interface Place {
  readonly name: string
  readonly env: Env
  readonly host: string
  readonly run: WorkloadRun
}

/** A crew of every group of a kind, on a machine of its own. */
interface CrewKind<Group = unknown> {
  /** Name of the machine; the number of the group is appended. */
  readonly machine: string
  /** Whether this group has such a crew; absent: every group has one. */
  isWanted?(group: Group): boolean
  open(group: Group, place: Place): Crew | readonly Crew[]
}

/**
 * The fact by which answers of a kind are judged: since when its agent has been in contact with its leader, or has
 * reached a server. A run samples it only if one of its kinds needs it.
 */
export type JudgedBy = 'contact' | 'reaching'

/** One kind of workload: a key of scenario files that has groups by name. */
export interface WorkloadKind<Schema extends z.ZodType = z.ZodType, Group = unknown> {
  readonly schema: Schema
  /** The machines of the first crew of all groups come before those of the second. */
  readonly crews: readonly CrewKind<Group>[]
  /** Its machines come after those of all other kinds. */
  readonly isLast: boolean
  readonly judgedBy: JudgedBy | undefined
}

interface Declaration<Group extends z.ZodType> {
  /** Valid names of groups: a regular expression, and the message for a name that it rejects. */
  readonly names: readonly [RegExp, string]
  readonly group: Group
  /** The description of the key on the language page. */
  readonly text: string
  readonly crews: readonly CrewKind<z.output<Group>>[]
  readonly isLast?: boolean
  readonly judgedBy?: JudgedBy
  /** Maximum number of groups; absent: any number. */
  readonly groupsMax?: number
}

export function workloadKind<Group extends z.ZodType>({
  names,
  group,
  text,
  crews,
  isLast = false,
  judgedBy,
  groupsMax = Number.POSITIVE_INFINITY,
}: Declaration<Group>): WorkloadKind<z.ZodOptional<z.ZodRecord<z.ZodString, Group>>, z.output<Group>> {
  const message = groupsMax === 1 ? 'write only one of these groups' : `write at most ${groupsMax} of these groups`
  const schema = z
    .record(z.string().regex(...names), group)
    .refine((groups) => Object.keys(groups).length <= groupsMax, message)
    .optional()
  return { schema: schema.describe(text), crews, isLast, judgedBy }
}
