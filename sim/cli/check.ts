import { scenarioJsonSchema } from '../scenario/language/json-schema.ts'
import { readScenario } from './files.ts'
import { exits, type SimTerminal } from './terminal.ts'

/** `svc-sim schema`. */
export function showSchema(terminal: SimTerminal): number {
  terminal.out(`${JSON.stringify(scenarioJsonSchema(), undefined, 2)}\n`)
  return exits.passed
}

/** `svc-sim check`: reads every file and runs none. */
export async function checkFiles(files: readonly string[], terminal: SimTerminal): Promise<number> {
  let bad = 0
  for (const file of files) {
    const loaded = await readScenario(terminal.disk, file)
    if (loaded.ok) terminal.out(`${file}: ok, ${loaded.value.loaded.scenario.scenario}\n`)
    else {
      bad++
      for (const line of loaded.error) terminal.error(`${line}\n`)
    }
  }
  return bad === 0 ? exits.passed : exits.usage
}
