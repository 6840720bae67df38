import { checker } from './checker.ts'

/** Rare states by name, each with a clause that describes it. */
type StateTexts = Readonly<Record<string, string>>

/** Reports that a run has reached a rare state. */
export type Reach<Mark extends string> = (mark: Mark) => void

/** Rare states that were reached, and when. */
export interface ReachedStates {
  add(mark: string): void
  /** When each was first reached, in microseconds of true time. */
  readonly atUs: ReadonlyMap<string, number>
}

/** The rare states of one datacenter of a run. */
export const reachedStates = checker({
  codes: {},
  make: ({ nowUs }): ReachedStates => {
    const atUs = new Map<string, number>()
    const add = (mark: string): void => {
      if (!atUs.has(mark)) atUs.set(mark, nowUs())
    }
    return { add, atUs }
  },
})

/**
 * Declares rare states, beside the code that observes them. The instance of a run is the function that reports a state.
 * A state is declared once.
 */
export function rareStates<const Texts extends StateTexts>(texts: Texts) {
  const telling = checker({
    codes: {},
    make: ({ of }): Reach<keyof Texts & string> => {
      const reached = of(reachedStates)
      return (mark) => void reached.add(mark)
    },
  })
  return { ...telling, marks: texts }
}

/** How a process reports a state, `topic: text` of a line of its log or the name of a counter, and a description. */
type ToldState = readonly [by: string, text: string]

/**
 * Declares rare states that a process itself reports, by a line of its log, or by a counter that it counts for the
 * first time. For states that cannot be observed otherwise.
 */
export function toldStates<const Told extends Readonly<Record<string, ToldState>>>(told: Told) {
  const states = Object.entries(told)
  const markOf = new Map(states.map(([mark, [by]]) => [by, mark]))
  const listening = checker({
    codes: {},
    make: ({ of }) => {
      const reached = of(reachedStates)
      return (what: string): void => {
        const mark = markOf.get(what)
        if (mark !== undefined) reached.add(mark)
      }
    },
    takes: {
      'process told': (it, { what }) => it(what),
      'proxy told': (it, { what }) => it(what),
    },
  })
  type Texts = Readonly<Record<keyof Told & string, string>>
  const marks = Object.fromEntries(states.map(([mark, [, text]]) => [mark, text])) as Texts
  const toldBy = Object.fromEntries(states.map(([mark, [by]]) => [mark, by])) as Texts
  return { ...listening, marks, toldBy }
}
