import type { Command } from 'commander'
import type { Ended } from '../../flag-values.ts'
import type { SimTerminal } from '../../terminal.ts'
import { checkProject } from './check.ts'
import { listProjects, type ProjectFlags, startProject } from './start.ts'

export function addProject(lesson: Command, terminal: SimTerminal, ended: Ended): void {
  const project = lesson.command('project').description('Longer work of several hours, graded by tests.')
  project
    .command('list')
    .description('List the projects.')
    .action(() => ended(listProjects(terminal)))
  project
    .command('start')
    .description('Copy the files of a project into a folder.')
    .argument('<project>', 'its number or name')
    .argument('<folder>', 'the folder of your work')
    .option('--reset', 'write the files anew')
    .action(async (named: string, folder: string, flags: ProjectFlags) => {
      ended(await startProject(named, folder, flags, terminal))
    })
  project
    .command('check')
    .description('Grade your work. It runs your code.')
    .argument('<project>', 'its number or name')
    .argument('<folder>', 'the folder of your work')
    .action(async (named: string, folder: string) => {
      ended(await checkProject(named, folder, terminal))
    })
}
