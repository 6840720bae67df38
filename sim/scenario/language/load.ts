import { err, ok, type Result } from '../../../src/base/result.ts'
import { checkMeaning } from './meaning.ts'
import { type Scenario, scenarioSchema } from './scenario-schema.ts'
import { problemsOf } from './schema-problems.ts'
import { parseYaml, type ScenarioProblem, type YamlDocument } from './yaml-document.ts'

/** A valid scenario with its file, so that a report can point at its lines. */
export interface LoadedScenario {
  readonly file: string
  readonly scenario: Scenario
  readonly document: YamlDocument
}

/** The seed of its run where none is given: always the same, so that the same command gives the same run. */
export function usualSeed({ scenario }: LoadedScenario): number {
  return scenario.seed ?? 1
}

/** Maximum number of problems shown for one file. */
const problemsMax = 20

/** Parses a scenario, or reports everything that is wrong with it. */
export function loadScenario(file: string, text: string): Result<LoadedScenario, readonly ScenarioProblem[]> {
  const yaml = parseYaml(file, text)
  if (!yaml.ok) return yaml
  const document = yaml.value
  const parsed = scenarioSchema.safeParse(document.value)
  if (!parsed.success) return err(problemsOf(document, parsed.error.issues).slice(0, problemsMax))
  const problems = checkMeaning(document, parsed.data)
  if (problems.length > 0) return err(problems.slice(0, problemsMax))
  return ok({ file, scenario: parsed.data, document })
}

/** `file:line:column: what is wrong`. */
export function problemText(problem: ScenarioProblem): string {
  return `${problem.place}: ${problem.message}`
}
