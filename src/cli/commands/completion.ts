import { productName } from '../../model/names.ts'
import { misused } from '../client.ts'
import type { CliCommand, CommandTree } from '../command.ts'
import { shells } from '../completion.ts'

export function completionCommand(tree: () => CommandTree): CliCommand {
  return {
    path: ['completion'],
    summary: 'Prints a program for a shell that completes what is typed',
    operands: shells.join('|'),
    about: `For bash, in ~/.bashrc: source <(${productName} completion bash). For fish: ${productName} completion fish | source.`,
    flags: [],
    async run(invocation) {
      const { args, terminal } = invocation
      const shell = shells.find((name) => name === args[0])
      if (shell === undefined || args.length > 1) {
        return misused(invocation, `One shell must be named: ${shells.join(', ')}.`)
      }
      const { completionScript } = await import('../completion.ts')
      terminal.out(completionScript(shell, tree()))
      return 0
    },
  }
}
