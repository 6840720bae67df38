import { productName } from '../../model/names.ts'
import { misused } from '../api/client.ts'
import type { CliCommand, CommandTree } from '../command.ts'
import { completionScript, shells } from '../completion.ts'

export function completionCommand(tree: () => CommandTree): CliCommand {
  return {
    path: ['completion'],
    summary: 'Prints a program for a shell that completes what is typed',
    operands: shells.join('|'),
    about: `For bash, in ~/.bashrc: source <(${productName} completion bash). For fish: ${productName} completion fish | source.`,
    flags: [],
    run(invocation) {
      const { args, terminal } = invocation
      const shell = shells.find((name) => name === args[0])
      if (shell === undefined || args.length > 1) {
        return Promise.resolve(misused(invocation, `One shell must be named: ${shells.join(', ')}.`))
      }
      terminal.out(completionScript(shell, tree()))
      return Promise.resolve(0)
    },
  }
}
