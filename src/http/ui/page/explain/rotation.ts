import type { CaForecast } from '../api/cluster-shapes.ts'
import { rotationWords as words } from '../words/explain-words.ts'

const steps: ReadonlyMap<string, string> = new Map([
  ['begun', words.begun],
  ['requested', words.requested],
  ['crossed', words.crossed],
])

/** What a rotation waits for; undefined: none is under way. */
export function rotationText({ Rotation, Problem }: CaForecast): string | undefined {
  if (Rotation === null) return undefined
  const step = steps.get(Rotation.Step) ?? words.otherStep(Rotation.Step)
  const begins = Rotation.Begins === '' ? [] : [words.begins(Rotation.Begins)]
  const problem = Problem === '' ? [] : [words.problem(Problem)]
  return [step, ...begins, ...problem].join(' ')
}
