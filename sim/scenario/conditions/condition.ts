import type { z } from 'zod'
import type { Cluster } from '../../cluster/cluster.ts'
import type { CountBound } from '../../notation/quantities.ts'
import type { Selector } from '../../notation/selector.ts'
import type { Driver } from '../driver.ts'

/** The present state that conditions are judged by. */
export interface Observed {
  readonly servers: readonly string[]
  /** Servers and clients. */
  readonly nodes: readonly string[]
  /** How this agent sees that member; undefined if it does not know the member, or does not run. */
  readonly memberStatus: (observer: string, member: string) => string | undefined
  readonly isRunning: (server: string) => boolean
  /** Servers that believe they lead. */
  readonly leaders: () => readonly string[]
  readonly appliedIndex: (server: string) => number
  readonly elections: number
  readonly writesAcknowledged: number
  /** For one datacenter, the first if none is named; undefined: it has no mesh to observe. */
  readonly mesh: (datacenter: string | undefined) => ObservedMesh | undefined
  readonly tunnels: ObservedTunnels
  /** How the present state of a running server differs from the one remembered under that name, in words. */
  readonly heldOtherwise: (name: string) => string | undefined
  readonly select: (selector: Selector) => readonly string[]
}

interface ObservedTunnels {
  readonly made: number
  readonly failed: number
  readonly broken: number
  /** The longest time in which some failed. */
  readonly longestMs: number
  readonly lastWhy: string
}

export interface ObservedMesh {
  readonly roots: number
  readonly rotation: string
  readonly rotations: number
  readonly connections: number
  readonly leaves: number
  /** The proxies whose configuration is behind the cluster's, and why. */
  readonly behind: () => readonly string[]
}

/** A run, as conditions that are looked at by asking see it. */
export interface AskingRun {
  readonly cluster: Cluster
  readonly driver: Driver
  /** Servers by the names that steps gave them. */
  readonly saved: Map<string, readonly string[]>
  select(selector: Selector): readonly string[]
  /** Whether the run is over because an invariant or an expectation was not met. */
  hasFailed(): boolean
  /**
   * Lets time pass until the condition is true, at most for a span; returns earlier if the run fails. False if it is
   * not true in the end.
   */
  passUntil(isSo: () => boolean, spanMs: number): Promise<boolean>
}

/** Servers or agents to whose word a condition is restricted; undefined: all. */
type Among = readonly string[] | undefined

/** One key of a condition. */
export interface ConditionKind<Schema extends z.ZodType = z.ZodType> {
  /** What stands behind the key in a file, and what the language page says of it. */
  readonly schema: Schema
  /** Whether judging them costs more than a look at the servers' state. */
  readonly isDear: boolean
  /** It takes a request, and so time, to know. */
  readonly isAsked: boolean
  /** What is so now instead, as one clause; undefined: it holds. */
  judge(given: z.output<Schema>, now: Observed, among: Among): string | undefined
  ask(given: z.output<Schema>, run: AskingRun): Promise<string | undefined>
}

/** A condition that a look at the run decides. */
export function condition<Schema extends z.ZodType>(
  schema: Schema,
  judge: (given: z.output<Schema>, now: Observed, among: Among) => string | undefined,
  { isDear = false }: { readonly isDear?: boolean } = {},
): ConditionKind<Schema> {
  return { schema, isDear, isAsked: false, judge, ask: async () => undefined }
}

/** A condition that agents are asked about. */
export function askedCondition<Schema extends z.ZodType>(
  schema: Schema,
  ask: (given: z.output<Schema>, run: AskingRun) => Promise<string | undefined>,
): ConditionKind<Schema> {
  return { schema, isDear: true, isAsked: true, judge: () => undefined, ask }
}

export function judgeCount(bound: CountBound | undefined, count: number, what: string): string | undefined {
  if (bound === undefined || (count >= bound.min && count <= bound.max)) return undefined
  return `${count} ${what}`
}
