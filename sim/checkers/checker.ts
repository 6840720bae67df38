import type { Release } from '../../src/model/release.ts'
import type { ResolutionFacts } from './access/access-facts.ts'
import type { AccessFederation } from './access/access-federation.ts'
import type { EvidenceKind } from './evidence.ts'
import type { FactName, Facts, NodeTrigger } from './facts.ts'
import type { MeshWorld } from './mesh/mesh-facts.ts'
import type { NetworkFacts, ToldPool } from './pool/pool-weather.ts'

/** What the invariant with a code promises, and where that is argued. */
export interface Invariant {
  /** The invariant in one line: a name, a colon, and the promise. */
  readonly text: string
  /** Documents that demand it or argue for it, each with a section. */
  readonly sources: readonly string[]
  /** Kinds of events that show why it was broken, the most telling first; `svc-sim explain` looks for them. */
  readonly evidence: readonly EvidenceKind[]
  /**
   * Singular and plural of a judged fact: an instance in which the invariant could have been broken, and was looked
   * at.
   */
  readonly judges: Unit
  /** The things that facts belong to, such as keys, if these are counted too. */
  readonly of?: Unit
  /**
   * Why a fact is left out, or judged more mildly: a sentence that says of what, and when that ends, by a name of few
   * words.
   */
  readonly excuses?: Readonly<Record<string, string>>
  /**
   * By the name of an excuse, the greatest share of facts that it may take over a campaign, from 0 to 1; without one, the
   * usual share (`excuse-shares.ts`).
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

/** A use of an excuse: the code, the name, and of how many facts; one if absent. */
type Use<Excuses extends ExcuseNames> = {
  [Code in keyof Excuses & string]: [code: Code, excuse: Excuses[Code], count?: number]
}[keyof Excuses & string]

/**
 * Tells that an invariant does not hold, with one line that has the values a reader wants. `because`: events of the
 * trace by which it is judged, beside what happens now, as `eventNow` gave them.
 */
export type Report<Code extends string = string> = (code: Code, message: string, because?: readonly number[]) => void

/** The calls with which a checker reports on its invariants. */
export interface Judge<Excuses extends ExcuseNames> {
  readonly report: Report<keyof Excuses & string>
  /** Number of the event in the trace that a fact is told in; absent or 0: nobody reads the trace. */
  readonly eventNow?: () => number
  /**
   * Number of the event in which the first server applied an entry of the log; absent or 0: nobody reads the trace, or
   * none has.
   */
  readonly appliedIn?: (index: number) => number
  /** So many facts were looked at, and so many things are new that they belong to. What is reported is counted, too. */
  readonly judged: (code: keyof Excuses & string, count?: number, subjects?: number) => void
  /** A fact was left out, or judged more mildly, for this reason. */
  readonly excused: (...use: Use<Excuses>) => void
}

/** The event that a fact is told in, to be kept with the fact; 0: nobody reads the trace. */
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
  /** The instance that this run has of another checker. */
  readonly of: <T>(checker: Checker<T>) => T
  /** Passes on a fact that follows from other facts. */
  readonly tell: Tell
  /** Reports an event that faults and steps can wait for. */
  readonly triggered: (trigger: NodeTrigger, node: string) => void
  /** How old default reads may be by the excuse of the scenario; 0: no excuse. */
  readonly staleDefaultMs: number
  /** The scenario lets a majority's data be lost, and what an operator then forces on the rest be without it. */
  readonly excusesLostMajority: boolean
  /** The history of the keys was requested, so judged parts of it are kept. */
  readonly keepsHistory: boolean
  /** Steps after which the search for an order of the operations on one key is given up; undefined: the usual bound. */
  readonly searchStepsMax: number | undefined
  readonly network: NetworkFacts
  readonly resolution: ResolutionFacts
  /**
   * True time since which the agent has reached its leader without a break, and nothing ails either; undefined: it does
   * not.
   */
  readonly contactSinceUs: (agent: string) => number | undefined
  /** Of the datacenters that share one access control; undefined: this one knows no other. */
  readonly federation: AccessFederation | undefined
  /** Of the servers of all datacenters, which share it; undefined: there is one datacenter alone. */
  readonly wan: ToldPool | undefined
  /** Undefined: the run does not check the mesh. */
  readonly mesh: MeshWorld | undefined
  /** The release that brought a kind of replicated command. */
  readonly sinceOf: (kind: string) => Release | undefined
}

export type Tell = <Name extends FactName>(name: Name, fact: Facts[Name]) => void

/** How a checker handles the facts that it consumes. */
type Taken<T> = { readonly [Name in FactName]?: (it: T, fact: Facts[Name]) => void }

/** A method, so that lists hold checkers of any kind. */
export interface FactTaker<T, Name extends FactName> {
  take(it: T, fact: Facts[Name]): void
}

/** A checker as its file declares it; `T` is what one run has of it. */
export interface Checker<T = unknown, Codes extends Laws = Laws> {
  readonly codes: Codes
  readonly takes: readonly FactName[]
  make(run: CheckedRun & Judge<ExcuseNames>): T
  /** What takes each fact of a name that is in `takes`. */
  taker<Name extends FactName>(name: Name): FactTaker<T, Name>
  /** Judges what can be judged only when the run is over. */
  ends(it: T, atUs: number): void
}

/** Of several checkers together. */
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
  /** What it promises. A code is declared by one checker alone. */
  readonly codes: Codes
  /** Checkers whose codes it judges and reports, too. */
  readonly also?: readonly Others[]
  readonly make: (run: CheckedRun & Judge<ExcusesIn<Codes> & ExcusesOf<Others>>) => T
  /** The facts that it consumes. */
  readonly takes?: Taken<NoInfer<T>>
  readonly ends?: (it: NoInfer<T>, atUs: number) => void
}

/** Declares a checker. One without codes keeps what others judge by. */
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

/** One law of several that are judged together, by what makes it: each pool of agents has its own, and each mesh. */
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

/** Declares codes that are judged from outside, when a run is at rest: what a run has of them is how to report them. */
export function judgedAtRest<const Codes extends Laws>(codes: Codes): Checker<Judge<ExcusesIn<Codes>>, Codes> {
  return checker({ codes, make: (judge) => judge })
}
