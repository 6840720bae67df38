import { z } from 'zod'
import { type InvariantCode, invariants } from '../../checkers/checkers.ts'
import { type Mark, marks } from '../../checkers/marks.ts'

/** In how many seeds something must be so. */
export type DemandedSeeds =
  | { readonly kind: 'every run' }
  /** In at least `count` of `seeds` seeds: judged where at least so many ran. */
  | { readonly kind: 'seeds'; readonly count: number; readonly seeds: number }

export interface JudgedDemand {
  /** Minimum number of facts of an invariant in a run. */
  readonly least: number
  readonly in: DemandedSeeds
}

type Wrong = (message: string) => never

const everyRun = 'every run'
const ofSeeds = /^(\d{1,6}) of (\d{1,6}) seeds?$/
const factsInSeeds = /^(\d{1,7}) in (.*)$/s

/** Parses `3 of 40 seeds`; undefined: it is another text. */
function seedsOf(text: string, wrong: Wrong): DemandedSeeds | undefined {
  const [, count, seeds] = ofSeeds.exec(text) ?? []
  if (count === undefined || seeds === undefined) return undefined
  if (Number(count) < 1) return wrong(`0 seeds demand nothing: remove the line`)
  if (Number(count) > Number(seeds))
    return wrong(`${count} of ${seeds} is more seeds than there are: write at most ${seeds}`)
  return { kind: 'seeds', count: Number(count), seeds: Number(seeds) }
}

function wrongIn(text: unknown, context: z.RefinementCtx): Wrong {
  return (message) => {
    context.issues.push({ code: 'custom', message, input: text })
    return z.NEVER
  }
}

const markDemand = z.string().transform((text, context): DemandedSeeds => {
  if (text === everyRun) return { kind: 'every run' }
  const wrong = wrongIn(text, context)
  return seedsOf(text, wrong) ?? wrong(`write '${everyRun}', or '3 of 40 seeds'`)
})

const judgedDemand = z.union([z.int().min(1), z.string()]).transform((given, context): JudgedDemand => {
  if (typeof given === 'number') return { least: given, in: { kind: 'every run' } }
  const wrong = wrongIn(given, context)
  const [, least, text = ''] = factsInSeeds.exec(given) ?? []
  const seeds = seedsOf(text, wrong) ?? wrong("write a number, or '4 in 19 of 20 seeds'")
  return Number(least) < 1 ? wrong('0 facts demand nothing: remove the line') : { least: Number(least), in: seeds }
})

const codes = Object.keys(invariants) as InvariantCode[]
const markNames = Object.keys(marks) as Mark[]

/** A shape with one optional key for each name. */
function shapeOf<Name extends string, Schema extends z.ZodType>(
  names: readonly Name[],
  schemaOf: (name: Name) => Schema,
): Record<Name, z.ZodOptional<Schema>> {
  const members = names.map((name) => [name, schemaOf(name).optional()] as const)
  return Object.fromEntries(members) as Record<Name, z.ZodOptional<Schema>>
}

/** The key `demands` of a scenario. */
export const demands = z
  .strictObject({
    judged: z
      .strictObject(shapeOf(codes, (code) => judgedDemand.describe(invariants[code].text)))
      .optional()
      .describe(
        "By invariant: the minimum number of facts that each run must have judged, as the verdict counts them, or '4 in 19 of 20 seeds', which is judged if at least 20 seeds ran.",
      ),
    marks: z
      .strictObject(shapeOf(markNames, (mark) => markDemand.describe(marks[mark])))
      .optional()
      .describe("By mark: 'every run', or '3 of 40 seeds', which is judged if at least 40 seeds ran."),
  })
  .describe('What runs must have reached or judged; otherwise they fail. A run that tested nothing does not pass.')

export type Demands = z.output<typeof demands>
