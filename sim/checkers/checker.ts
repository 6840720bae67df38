import type { Release } from '../../src/model/release.ts'
import type { ResolutionFacts } from './access/access-facts.ts'
import type { FactName, Facts, NodeTrigger } from './facts.ts'
import type { MeshWorld } from './mesh/mesh-facts.ts'
import type { NetworkFacts, ToldPool } from './pool/pool-weather.ts'

/** What a code stands for. */
export interface Invariant {
  /** What always holds, in one line: a name, a colon, and the promise. */
  readonly text: string
  /** Where it is demanded or argued: a document and a place in it. */
  readonly sources: readonly string[]
}

/** Tells that an invariant does not hold, with one line that has the values a reader wants. */
export type Report<Code extends string = string> = (code: Code, message: string) => void

/** What one datacenter of one run offers to its checkers. */
export interface CheckedRun<Code extends string = string> {
  readonly report: Report<Code>
  /** True time, in microseconds since the run began. */
  readonly nowUs: () => number
  /** The instance that this run has of another checker. */
  readonly of: <T>(checker: Checker<T>) => T
  /** Tells a fact that follows from others. */
  readonly tell: Tell
  /** Something happened that faults and steps can wait for. */
  readonly triggered: (trigger: NodeTrigger, node: string) => void
  /** The excuse of a scenario that lets reads of default consistency be this old; 0: none. */
  readonly staleDefaultMs: number
  /** The scenario lets a majority's data be lost, and what an operator then forces on the rest be without it. */
  readonly excusesLostMajority: boolean
  /** Steps after which the search for an order of the operations on one key is given up; undefined: the usual bound. */
  readonly searchStepsMax: number | undefined
  readonly network: NetworkFacts
  readonly resolution: ResolutionFacts
  /** Of the servers of all datacenters, which share it; undefined: there is one datacenter alone. */
  readonly wan: ToldPool | undefined
  /** Undefined: nobody looks at the mesh. */
  readonly mesh: MeshWorld | undefined
  /** The release that brought a kind of replicated command. */
  readonly sinceOf: (kind: string) => Release | undefined
}

export type Tell = <Name extends FactName>(name: Name, fact: Facts[Name]) => void

/** What a checker does with the facts that it takes. */
type Taken<T> = { readonly [Name in FactName]?: (it: T, fact: Facts[Name]) => void }

/** A checker as its file declares it; `T` is what one run has of it. */
export interface Checker<T = unknown, Code extends string = string> {
  readonly codes: Readonly<Record<Code, Invariant>>
  readonly takes: readonly FactName[]
  make(run: CheckedRun): T
  told<Name extends FactName>(it: T, name: Name, fact: Facts[Name]): void
  /** Judges what can be judged only when the run is over. */
  ends(it: T, atUs: number): void
}

interface Declaration<T, Codes, Also extends string> {
  /** What it promises. A code is declared by one checker alone. */
  readonly codes: Codes
  /** Codes of other checkers that it reports, too. */
  readonly also?: readonly Also[]
  readonly make: (run: CheckedRun<(keyof Codes & string) | Also>) => T
  /** The facts that it consumes. */
  readonly takes?: Taken<NoInfer<T>>
  readonly ends?: (it: NoInfer<T>, atUs: number) => void
}

/** Declares a checker. One without codes keeps what others judge by. */
export function checker<const Codes extends Readonly<Record<string, Invariant>>, T, const Also extends string = never>(
  declared: Declaration<T, Codes, Also>,
): Checker<T, keyof Codes & string> {
  const takes: Taken<T> = declared.takes ?? {}
  return {
    codes: declared.codes,
    takes: Object.keys(takes) as FactName[],
    make: declared.make,
    told: (it, name, fact) => takes[name]?.(it, fact),
    ends: (it, atUs) => declared.ends?.(it, atUs),
  }
}

/** One law of several that are judged together, by what makes it: each pool of agents has its own, and each mesh. */
export interface Law<T, Code extends string, Reported extends string, Given extends readonly unknown[]>
  extends Checker<undefined, Code> {
  by(report: Report<Reported>, ...given: Given): T
}

export function law<
  const Codes extends Readonly<Record<string, Invariant>>,
  T,
  Given extends readonly unknown[],
  const Also extends string = never,
>(
  codes: Codes,
  by: (report: Report<(keyof Codes & string) | Also>, ...given: Given) => T,
  also: readonly Also[] = [],
): Law<T, keyof Codes & string, (keyof Codes & string) | Also, Given> {
  return { ...checker({ codes, also, make: () => undefined }), by }
}

/** Declares codes that are judged from outside, when a run is at rest: what a run has of them is how to report them. */
export function judgedAtRest<const Codes extends Readonly<Record<string, Invariant>>>(
  codes: Codes,
): Checker<Report<keyof Codes & string>, keyof Codes & string> {
  return checker({ codes, make: ({ report }) => report })
}
