import { describe, expect, it } from 'vitest'
import { runSimCli } from '../../../sim/cli/program.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'

async function run(...argv: string[]): Promise<{ exit: number; error: string }> {
  let error = ''
  const terminal: Pick<SimTerminal, 'out' | 'error' | 'environment' | 'version'> = {
    out: () => expect.fail('nothing is printed of what does not run'),
    error: (text) => {
      error += text
    },
    environment: new Map(),
    version: '1.4.0',
  }
  const exit = await runSimCli(argv, terminal as SimTerminal)
  return { exit, error }
}

describe('commands that run a program with something planted', () => {
  it.each([
    ['run', [], /^name a scenario, or --bug\n$/],
    ['inspect', [], /^name a scenario, or --bug\n$/],
    ['run', ['--bug', 'no-such-bug'], /no-such-bug/],
    ['inspect', ['--bug', 'no-such-bug'], /no-such-bug/],
    ['run', ['a.yaml', '--bug', 'tail-kept', '--mutant', 'be968cda'], /^give either --bug or --mutant\n$/],
    ['shrink', ['a.yaml', '--violation', '0'], /Write a number from 1 to 5/],
    ['explain', ['a.yaml', '--violation', '6'], /Write a number from 1 to 5/],
  ])('%s %j is refused with exit code 2', async (command, args, message) => {
    const { exit, error } = await run(command, ...args)
    expect(error).toMatch(message)
    expect(exit).toBe(2)
  })
})
