import { clientFlags, failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { reportFormatFlag } from '../listing.ts'

export const operatorCheckCommand: CliCommand = {
  path: ['operator', 'check'],
  summary: 'Check the condition of the cluster',
  operands: '',
  about: [
    'Reads what this agent, the servers named by -server and the leader report; changes nothing.',
    'Exits with 0 if every item is green, with 2 if one is red, with 3 if one is yellow and none red,',
    'with 4 if some are unknown and the others green, with 1 if nothing can be checked.',
  ].join(' '),
  flags: [
    {
      name: 'server',
      kind: 'list',
      value: '<address>',
      help: 'HTTP address of another server, which is asked for its clock, settings and disk with the same token. May be repeated.',
    },
    reportFormatFlag,
    ...clientFlags,
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const format = invocation.flags.get('format') ?? 'text'
    const [{ readFacts }, { checkCluster, checkJson, checkText, exitCodeOf }] = await Promise.all([
      import('../checkup/facts.ts'),
      import('../checkup/check.ts'),
    ])
    const facts = await readFacts(invocation)
    if (!facts.ok) return failed(invocation, facts.error)
    const items = checkCluster(facts.value, invocation.env.clock.wallMs())
    const report = format === 'json' ? checkJson : checkText
    invocation.terminal.out(report(facts.value, items, invocation))
    return exitCodeOf(items)
  },
}
