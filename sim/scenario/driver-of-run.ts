import { clientHost } from '../cluster/node-identity.ts'
import { filled } from './answers.ts'
import { allowRemovals } from './asked-removals.ts'
import { type DrivenExchange, Driver } from './driver.ts'
import type { RunContext } from './run-context.ts'

/** The driver of a run: the checkers learn what its requests permit and what came of them. */
export function driverOf(run: RunContext, onExchange: (exchange: DrivenExchange) => void): Driver {
  return new Driver(run.simulation, {
    host: clientHost(1),
    operatorToken: () => (run.scenario.operator === undefined ? '' : filled(run, run.scenario.operator.token)),
    onRequest: (to, target, body) => {
      const asked = run.cluster.nodeNames.find((name) => run.cluster.identityOf(name).host === to.host)
      if (asked !== undefined) allowRemovals(run.cluster, asked, { target, body })
    },
    onExchange,
  })
}
