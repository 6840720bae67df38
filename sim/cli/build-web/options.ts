import type { Command } from 'commander'
import { type Ended, gathered } from '../flag-values.ts'
import type { SimTerminal } from '../terminal.ts'
import { type BuildWebFlags, buildWeb } from './command.ts'

export function addBuildWeb(program: Command, terminal: SimTerminal, ended: Ended): void {
  program
    .command('build-web')
    .description('Write a page in which clusters run: in a browser, from any file server, without an installation.')
    .argument('<folder>', 'where to write index.html; it is made if it is missing')
    .option(
      '--lesson <number or name>',
      'also put this lesson with its tasks into the page; may be repeated; all: every lesson, which takes minutes',
      gathered,
    )
    .action(async (folder: string, flags: BuildWebFlags) => {
      ended(await buildWeb(folder, flags, terminal))
    })
}
