import type { CaForecast } from '../api/cluster-shapes.ts'

const steps: ReadonlyMap<string, string> = new Map([
  ['begun', 'It waits for the new root: the provider must create it.'],
  ['requested', 'It waits for the crossing: the old root must sign the new one.'],
  ['crossed', 'It waits to activate the new root, from which point it signs all leaves.'],
])

/** What a rotation waits for; undefined: none is under way. */
export function rotationText({ Rotation, Problem }: CaForecast): string | undefined {
  if (Rotation === null) return undefined
  const step = steps.get(Rotation.Step) ?? `It is at the step "${Rotation.Step}".`
  const begins = Rotation.Begins === '' ? '' : ` There is room for another root from ${Rotation.Begins} on.`
  const problem = Problem === '' ? '' : ` The leader cannot go on: ${Problem}.`
  return `${step}${begins}${problem}`
}
