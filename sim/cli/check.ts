import type { Command } from 'commander'
import { scenarioJsonSchema } from '../scenario/language/json-schema.ts'
import { readScenario } from './files.ts'
import type { Ended } from './flag-values.ts'
import { exits, type SimTerminal } from './terminal.ts'

export function addCheck(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('check')
    .description('Read scenarios and say what is wrong with them, without running anything.')
    .argument('<file...>', 'scenario files')
    .action(async (files: readonly string[]) => {
      ended(await checkFiles(files, terminal))
    })
}

export function addSchema(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('schema')
    .description('Write the JSON Schema of the scenario language, for editors.')
    .action(() => {
      ended(showSchema(terminal))
    })
}

/** `svc-sim schema`. */
function showSchema(terminal: SimTerminal): number {
  terminal.out(`${JSON.stringify(scenarioJsonSchema(), undefined, 2)}\n`)
  return exits.passed
}

/** `svc-sim check`: parses every file and runs none. */
async function checkFiles(files: readonly string[], terminal: SimTerminal): Promise<number> {
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
