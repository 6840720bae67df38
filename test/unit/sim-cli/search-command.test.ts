import { describe, expect, it } from 'vitest'
import { runSimCli } from '../../../sim/cli/program.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'

async function run(...argv: string[]): Promise<{ exit: number; out: string; error: string }> {
  let out = ''
  let error = ''
  const terminal: Pick<SimTerminal, 'out' | 'error' | 'wallMs' | 'version'> = {
    out: (text) => {
      out += text
    },
    error: (text) => {
      error += text
    },
    wallMs: () => 0,
    version: '1.4.0',
  }
  const exit = await runSimCli(argv, terminal as SimTerminal)
  return { exit, out, error }
}

describe('svc-sim search', () => {
  it('says that no state is left, and how many there were', async () => {
    const { exit, out } = await run('search', 'raft', '--terms', '1', '--no-restarts')
    expect(exit).toBe(0)
    expect(out).toMatch(/^All states within these bounds were visited/)
    expect(out).toMatch(/^[\d,]+ states \([\d,]+ without counting messages\), up to \d+ steps from the first$/m)
  })

  it('looks at every state of one member, whatever it hears', async () => {
    const { exit, out } = await run('search', 'gossip', '--incarnations', '1')
    expect(exit).toBe(0)
    expect(out).toMatch(/^All states within these bounds were visited.*\n\d+ states of one member, up to \d+ steps/)
  })

  it('says that it gave up, with an exit code of its own', async () => {
    const { exit, out } = await run('search', 'raft', '--states', '50')
    expect(exit).toBe(4)
    expect(out).toMatch(/^Not finished: there are more states than may be remembered/)
  })

  it.each([
    [['search', 'raft', '--terms', '0'], 'from 1 to 6'],
    [['search', 'raft', '--states', 'all'], 'whole number'],
    [['search', 'rafts'], "unknown command 'rafts'"],
    [['search'], 'Usage: svc-sim search'],
  ])('%j: says what is wrong and exits with 2', async (argv, message) => {
    const { exit, out, error } = await run(...argv)
    expect([exit, out]).toEqual([2, ''])
    expect(error.split('\n')[0]).toContain(message)
  })
})
