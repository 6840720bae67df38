import { describe, expect, it } from 'vitest'
import { runSimCli } from '../../../sim/cli/program.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'

/** Runs a command that needs nothing of the world but a terminal. */
async function simCli(args: readonly string[]): Promise<{ exit: number; out: string; err: string }> {
  const said = { out: '', err: '' }
  const terminal: Pick<SimTerminal, 'out' | 'error' | 'version'> = {
    out: (text) => {
      said.out += text
    },
    error: (text) => {
      said.err += text
    },
    version: '1.4.0',
  }
  return { exit: await runSimCli(args, terminal as SimTerminal), ...said }
}

describe('svc-sim plan', () => {
  it('prints the steps, and how to have them rehearsed', async () => {
    const { exit, out, err } = await simCli(['plan', '--from', '1.2.3', '--to', '1.3.1'])
    expect([exit, err]).toEqual([0, ''])
    expect(out).toMatch(/^From 1\.2\.3 to 1\.3\.1: 3 servers in dc1, without access control\.$/m)
    expect(out).toMatch(/^ {4}1\. dc1: servers as 1\.3\.1, one by one, the leader last/m)
    expect(out).toMatch(/^ {4}2\. dc1: clients to 1\.3\.1, one by one/m)
    expect(out).toContain('With -o FILE the scenario is written that rehearses these steps.')
  })

  it.each([
    [
      ['--from', '1.0', '--to', '1.4.0'],
      "there is no release '1.0': write one from 0.2.0 to 1.4.0, with three numbers",
    ],
    [['--from', '1.4.0', '--to', '1.3.1'], 'from 1.4.0 to 1.3.1 would be a downgrade'],
    [['--from', '1.3.1', '--to', '1.3.1'], 'there is nothing to do: the cluster runs 1.3.1 already'],
    [['--from', '1.0.0', '--to', '1.4.1'], 'release 1.4.1 is unknown'],
    [['--from', '1.0.0', '--to', '1.4.0', '--servers', '0'], 'Write a number from 1 to 15'],
    [['--from', '1.0.0', '--to', '1.4.0', '--servers', 'three'], 'Write a whole number'],
    [['--from', '1.0.0', '--to', '1.4.0', '--clients', '21'], 'Write a number from 0 to 20'],
    [['--from', '1.0.0', '--to', '1.4.0', '--datacenters', 'dc1,dc1'], 'different names'],
    [['--from', '1.0.0', '--to', '1.4.0', '--datacenters', 'Here'], 'different names'],
    [['--to', '1.4.0'], "required option '--from <release>' not specified"],
  ])('%j is refused with 2 and a reason', async (args, reason) => {
    const { exit, out, err } = await simCli(['plan', ...args])
    expect([exit, out]).toEqual([2, ''])
    expect(err).toContain(reason)
  })
})
