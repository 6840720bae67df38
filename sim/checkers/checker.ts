import type { Release } from '../../src/model/release.ts'
import type { ResolutionFacts } from './access/access-facts.ts'
import type { AccessFederation } from './access/access-federation.ts'
import type { EvidenceKind } from './evidence.ts'
import type { FactName, Facts, NodeTrigger } from './facts.ts'
import type { MeshWorld } from './mesh/mesh-facts.ts'
import type { DiskFacts, NetworkFacts, ToldPool } from './pool/pool-weather.ts'

/** What the invariant with a code promises, and where that is argued. */
export interface Invariant {
  /** The invariant in one line: a name, a colon, and the promise. */
  readonly text: string
  /** Documents that demand it or argue for it, each with a section. */
  readonly sources: readonly string[]
  /** Kinds of events that show why it was broken, the most telling first; `svc-sim explain` looks for them. */
  readonly evidence: readonly EvidenceKind[]
  /**
   * Singular and plural of a judged fact: an instance in which the invariant could have been broken, and was checked.
   */
  readonly judges: Unit
  /** Singular and plural of what the facts belong to, such as keys, if these are counted too. */
  readonly of?: Unit
  /**
   * Why a fact is excused, or judged more mildly: by a short name, a sentence that says which facts, and when the
   * excuse ends.
   */
  readonly excuses?: Readonly<Record<string, string>>
  /**
   * The greatest share of facts, from 0 to 1, that each excuse may take over a campaign; without an entry, the usual
   * share (`excuse-shares.ts`).
   */
  readonly excusesMost?: Readonly<Record<string, number>>
}

export type Unit = readonly [one: string, several: string]

export type Laws = Readonly<Record<string, Invariant>>

/** The names of the excuses of each code; `never`: it has none. */
export type ExcuseNames = Readonly<Record<string, string>>

type ExcusesIn<Codes> = {
  readonly [Code in keyof Codes & string]: Codes[Code] extends { readonly excuses: infer Named }
    ? keyof Named & string
    : never
}

/** A use of an excuse: the code, the name, and the number of facts; one if absent. */
type Use<Excuses extends ExcuseNames> = {
  [Code in keyof Excuses & string]: [code: Code, excuse: Excuses[Code], count?: number]
}[keyof Excuses & string]

/**
 * Reports that an invariant does not hold, with one line that has the values a reader needs. `because`: events of the
 * trace on which the judgement rests, beside the present one, as `eventNow` returned them.
 */
export type Report<Code extends string = string> = (code: Code, message: string, because?: readonly number[]) => void

/** The functions with which a checker reports on its invariants. */
export interface Judge<Excuses extends ExcuseNames> {
  readonly report: Report<keyof Excuses & string>
  /** Number of the trace event in which a fact is reported; absent or 0: no trace is recorded. */
  readonly eventNow?: () => number
  /**
   * Number of the event in which the first server applied an entry of the log; absent or 0: no trace is recorded, or no
   * server has applied it.
   */
  readonly appliedIn?: (index: number) => number
  /** Counts checked facts, and new subjects that they belong to. Violations count, too. */
  readonly judged: (code: keyof Excuses & string, count?: number, subjects?: number) => void
  /** A fact was excused, or judged more mildly, for this reason. */
  readonly excused: (...use: Use<Excuses>) => void
}

/** The event in which a fact is reported, to be kept with the fact; 0: no trace is recorded. */
export function eventIn({ eventNow }: Pick<Judge<ExcuseNames>, 'eventNow'>): number {
  return eventNow === undefined ? 0 : eventNow()
}

/** The events in which entries of the log were applied first. */
export function appliedIn(
  { appliedIn: of }: Pick<Judge<ExcuseNames>, 'appliedIn'>,
  ...indexes: readonly number[]
): readonly number[] {
  return of === undefined ? [] : indexes.map(of)
}

/** What a checker can use of one datacenter in one run. */
export interface CheckedRun {
  /** True time, in microseconds since the run began. */
  readonly nowUs: () => number
  /** This run's instance of another checker. */
  readonly of: <T>(checker: Checker<T>) => T
  /** Reports a fact that follows from other facts. */
  readonly tell: Tell
  /** Reports an event that faults and steps can wait for. */
  readonly triggered: (trigger: NodeTrigger, node: string) => void
  /** How old default reads may be by the excuse of the scenario; 0: no excuse. */
  readonly staleDefaultMs: number
  /**
   * The scenario lets a majority's data be lost, and lets an operator force the remaining servers to go on without it.
   */
  readonly excusesLostMajority: boolean
  /** The run was asked for the history of the keys, so judged parts of it are kept. */
  readonly keepsHistory: boolean
  /** Maximum number of steps of the search for an order of the operations on one key; undefined: the usual limit. */
  readonly searchStepsMax: number | undefined
  readonly network: NetworkFacts
  readonly disk: DiskFacts
  readonly resolution: ResolutionFacts
  /**
   * True time since which the agent has been in contact with its leader, with both of them undisturbed; undefined: it
   * is not.
   */
  readonly contactSinceUs: (agent: string) => number | undefined
  /** The datacenters that share one access control; undefined: there is only this one. */
  readonly federation: AccessFederation | undefined
  /** The WAN pool of the servers of all datacenters; undefined: there is only one datacenter. */
  readonly wan: ToldPool | undefined
  /** Undefined: the run does not check the mesh. */
  readonly mesh: MeshWorld | undefined
  /** The release that brought a kind of replicated command. */
  readonly sinceOf: (kind: string) => Release | undefined
}

export type Tell = <Name extends FactName>(name: Name, fact: Facts[Name]) => void

/** What a checker does with each fact that it consumes. */
type Taken<T> = { readonly [Name in FactName]?: (it: T, fact: Facts[Name]) => void }

/** It has a method, so that lists may hold checkers of any kind. */
export interface FactTaker<T, Name extends FactName> {
  take(it: T, fact: Facts[Name]): void
}

/** A checker as its file declares it; `T` is its instance in one run. */
export interface Checker<T = unknown, Codes extends Laws = Laws> {
  readonly codes: Codes
  readonly takes: readonly FactName[]
  make(run: CheckedRun & Judge<ExcuseNames>): T
  /** The handler of each fact named in `takes`. */
  taker<Name extends FactName>(name: Name): FactTaker<T, Name>
  /** Judges what can be judged only when the run is over. */
  ends(it: T, atUs: number): void
}

/** The excuses of several checkers together. */
export type ExcusesOf<Every> = {
  readonly [Code in CodeOf<Every>]: ExcuseOf<Every, Code>
}

export type CodeOf<Every> = Every extends { readonly codes: infer Codes } ? keyof Codes & string : never

type ExcuseOf<Every, Code extends string> = Every extends { readonly codes: infer Codes }
  ? Code extends keyof Codes
    ? ExcusesIn<Codes>[Code & string]
    : never
  : never

interface Declaration<T, Codes, Others> {
  /** What it promises. Only one checker declares a code. */
  readonly codes: Codes
  /** Checkers whose codes it judges and reports, too. */
  readonly also?: readonly Others[]
  readonly make: (run: CheckedRun & Judge<ExcusesIn<Codes> & ExcusesOf<Others>>) => T
  /** The facts that it consumes. */
  readonly takes?: Taken<NoInfer<T>>
  readonly ends?: (it: NoInfer<T>, atUs: number) => void
}

/** Declares a checker. A checker without codes keeps facts by which other checkers judge. */
export function checker<const Codes extends Laws, T, Others extends Pick<Checker, 'codes'> = never>(
  declared: Declaration<T, Codes, Others>,
): Checker<T, Codes> {
  const takes: Taken<T> = declared.takes ?? {}
  return {
    codes: declared.codes,
    takes: Object.keys(takes) as FactName[],
    // A run takes every excuse that is declared, and refuses any other.
    make: (run) => declared.make(run as CheckedRun & Judge<never>),
    taker: (name) => ({ take: takes[name] ?? (() => undefined) }),
    ends: (it, atUs) => declared.ends?.(it, atUs),
  }
}

/**
 * One of several laws that are judged together, by the function that makes it: each pool of agents, and each mesh, has
 * its own.
 */
export interface Law<T, Codes extends Laws, Excuses extends ExcuseNames, Given extends readonly unknown[]>
  extends Checker<undefined, Codes> {
  by(judge: Judge<Excuses>, ...given: Given): T
}

export function law<
  const Codes extends Laws,
  T,
  Given extends readonly unknown[],
  Others extends Pick<Checker, 'codes'> = never,
>(
  codes: Codes,
  by: (judge: Judge<ExcusesIn<Codes> & ExcusesOf<Others>>, ...given: Given) => T,
  also: readonly Others[] = [],
): Law<T, Codes, ExcusesIn<Codes> & ExcusesOf<Others>, Given> {
  return { ...checker({ codes, also, make: () => undefined }), by }
}

/** Declares codes that other code judges when a run is at rest: the instance of a run is only their `Judge`. */
export function judgedAtRest<const Codes extends Laws>(codes: Codes): Checker<Judge<ExcusesIn<Codes>>, Codes> {
  return checker({ codes, make: (judge) => judge })
}
