import { z } from 'zod'
import { type InvariantCode, invariants } from '../../checkers/checkers.ts'
import { type Mark, marks } from '../../checkers/marks.ts'

/** In how many seeds a state must be reached. */
export type MarkDemand =
  | { readonly kind: 'every run' }
  /** In at least `count` of `seeds` seeds: judged where at least so many ran. */
  | { readonly kind: 'seeds'; readonly count: number; readonly seeds: number }

const everyRun = 'every run'
const ofSeeds = /^(\d{1,6}) of (\d{1,6}) seeds?$/

const markDemand = z.string().transform((text, context): MarkDemand => {
  if (text === everyRun) return { kind: 'every run' }
  const [, count, seeds] = ofSeeds.exec(text) ?? []
  const wrong = (message: string): never => {
    context.issues.push({ code: 'custom', message, input: text })
    return z.NEVER
  }
  if (count === undefined || seeds === undefined) return wrong(`write '${everyRun}', or '3 of 40 seeds'`)
  if (Number(count) < 1) return wrong(`0 seeds demand nothing: remove the line`)
  if (Number(count) > Number(seeds))
    return wrong(`${count} of ${seeds} is more seeds than there are: write at most ${seeds}`)
  return { kind: 'seeds', count: Number(count), seeds: Number(seeds) }
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
      .strictObject(shapeOf(codes, (code) => z.int().min(1).describe(invariants[code].text)))
      .optional()
      .describe(
        'By invariant: the minimum number of facts that each run must have judged, as the verdict counts them.',
      ),
    marks: z
      .strictObject(shapeOf(markNames, (mark) => markDemand.describe(marks[mark])))
      .optional()
      .describe("By mark: 'every run', or '3 of 40 seeds', which is judged if at least 40 seeds ran."),
  })
  .describe('What runs must have reached or judged; otherwise they fail. A run that tested nothing does not pass.')

export type Demands = z.output<typeof demands>
