import { z } from 'zod'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import { chance, durationRange, selector } from '../../notation/fields.ts'
import { workloadKind } from '../kind.ts'
import { loggerProgram } from './logger-program.ts'
import { Receiver } from './receiver.ts'

const group = z.strictObject({
  at: selector.describe('The agents that are asked for their metrics as Prometheus does; all of one datacenter.'),
  every: durationRange.default({ min: 500, max: 2_000 }).describe('Time between two such requests to one agent.'),
  logger: z
    .strictObject({
      at: selector.describe('The agents on whose machines it is.'),
      failing: chance.default(0.2).describe('The chance that a run of it fails, after none, some or all of its lines.'),
    })
    .optional()
    .describe(
      'The program logger, by which agents reach a syslog daemon of their own machine; without it they have none.',
    ),
})

export const receivers = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'receivers are named with small letters'],
  group,
  text: 'Machines that receive metrics and logs from agents: the first is called receivers-1, and has syslog on port 514, statsd on 8125, DogStatsD on 8126 and statsite on 8127. The agents are told to send there by their config.',
  isLast: true,
  crews: [
    {
      machine: 'receivers',
      open: ({ at, every: everyMs, logger }, { name, env, host, run }) => {
        const { cluster, simulation } = run
        const nodes = run.select(at)
        const nodeAt = new Map(cluster.nodeNames.map((node) => [cluster.identityOf(node).host, node]))
        const datacenter = cluster.datacenterOf(nodes[0] ?? cluster.nodeNames[0] ?? '')
        const { tell } = run.checksOf(datacenter)
        const { decisions } = simulation
        for (const node of logger === undefined ? [] : run.select(logger.at)) {
          const program = loggerProgram({ node, failing: logger?.failing ?? 0, decisions, tell })
          cluster.nodeOf(node).programs.set('logger', program)
        }
        return new Receiver(
          env,
          { name, host, everyMs },
          {
            nowUs: () => simulation.nowUs,
            decisions,
            nodes,
            nodeAt: (address) => nodeAt.get(address),
            endpointOf: (node) => httpEndpoint(cluster.identityOf(node)),
            tell,
          },
        )
      },
    },
  ],
})
