import { scenarioJsonSchema } from '../scenario/language/json-schema.ts'
import { exits, type SimTerminal } from './terminal.ts'

/** `svc-sim schema`. */
export function showSchema(terminal: SimTerminal): number {
  terminal.out(`${JSON.stringify(scenarioJsonSchema(), undefined, 2)}\n`)
  return exits.passed
}
