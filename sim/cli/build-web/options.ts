import type { Command } from 'commander'
import type { Ended } from '../flag-values.ts'
import type { SimTerminal } from '../terminal.ts'
import { buildWeb } from './command.ts'

export function addBuildWeb(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('build-web')
    .description('Write a page in which clusters run: in a browser, from any file server, without an installation.')
    .argument('<folder>', 'where to write index.html; it is made if it is missing')
    .action(async (folder: string) => {
      ended(await buildWeb(folder, terminal))
    })
}
