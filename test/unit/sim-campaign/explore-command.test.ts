import { describe, expect, it } from 'vitest'
import { runSimCli } from '../../../sim/cli/program.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'

describe('svc-sim explore', () => {
  it.each([
    [[], /^give --seeds A\.\.B, --time 10m, or both: a campaign has an end\n$/],
    [['--seeds', '1..2', '--shard', '3/2'], /Write which share of how many/],
    [['--seeds', '1..2', '--shard', '0/2'], /Write which share of how many/],
    [['--seeds', '1..2', '--resume'], /^--resume goes on with a file: name it with --jsonl\n$/],
    [['--seeds', '1..2', '--commit', 'abc'], /Write a hash of a commit/],
    [['--seeds', '1..2000000', '--commit', '0123456789'], /^with --commit --seeds counts from 1 to 1048576\n$/],
    [['--time', '10'], /missing unit in duration/],
    [['--time', '721h'], /Write a time up to 720h/],
  ])('refuses %j before anything is read', async (args, message) => {
    let said = ''
    const terminal: Partial<SimTerminal> = {
      out: () => expect.unreachable('nothing is printed'),
      error: (text) => {
        said += text
      },
      version: '1.4.0',
    }
    expect(await runSimCli(['explore', ...args], terminal as SimTerminal)).toBe(2)
    expect(said).toMatch(message)
  })
})
