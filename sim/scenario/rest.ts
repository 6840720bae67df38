import { fromBase64, textOf } from '../../src/base/bytes.ts'
import { formatDuration } from '../../src/base/duration.ts'
import { atRest, type Unrest } from '../checkers/liveness.ts'
import { httpEndpoint } from '../cluster/node-identity.ts'
import type { RunContext } from './run-context.ts'

const restWithinMs = 60_000
const lookEveryMs = 50
const answerWithinMs = 10_000

/**
 * The end of every run: everything is mended and started, and within a bound the cluster comes to rest (L1). Then each
 * server must hold what the log made of every key (D1), and all must have the same state (R5).
 */
export async function comeToRest(run: RunContext): Promise<void> {
  run.tell('step', 'quiet: faults stop, everything is mended, the cluster comes to rest')
  run.injector.mendEverything()
  const withinMs = run.scenario.quiet?.within ?? restWithinMs
  const untilUs = run.simulation.nowUs + withinMs * 1000
  let unrest = unrestOf(run)
  while (!run.hasFailed() && !atRest(unrest)) {
    if (run.simulation.nowUs >= untilUs) {
      run.invariants.liveness.overdue(unrest, formatDuration(withinMs))
      return
    }
    await run.pass(lookEveryMs)
    unrest = unrestOf(run)
  }
  for (const server of run.cluster.serverNames) {
    if (run.hasFailed()) return
    const state = run.cluster.stateDigest(server)
    if (state !== undefined) run.invariants.application.state(server, state.index, state.digest)
    await compareState(run, server)
  }
}

function unrestOf(run: RunContext): Unrest {
  const { cluster } = run
  const down = cluster.serverNames.filter((server) => !cluster.isRunning(server))
  return {
    openRequests: run.openRequests(),
    down: down.map((server) => [server, cluster.whyDown(server)].filter((text) => text !== undefined).join(' ')),
    leaders: cluster.leaders(),
    applied: new Map(cluster.serverNames.map((server) => [server, cluster.appliedIndex(server)])),
  }
}

async function compareState(run: RunContext, server: string): Promise<void> {
  const held = new Map<string, string>()
  const answer = await run.driver.ask(run, httpEndpoint(run.cluster.identityOf(server)), {
    method: 'GET',
    target: '/v1/kv/?recurse&stale',
    timeoutMs: answerWithinMs,
  })
  if (run.hasFailed()) return
  if (typeof answer === 'string' || (answer.status !== 200 && answer.status !== 404)) {
    const why = typeof answer === 'string' ? answer : `status ${answer.status}`
    run.invariants.report('L1', `${server} does not tell its keys once the cluster is at rest: ${why}`)
    return
  }
  const rows = answer.status === 404 ? [] : (JSON.parse(answer.body) as readonly ListedKey[])
  for (const { Key, Value } of rows) held.set(Key, textOf(fromBase64(Value ?? '') ?? new Uint8Array()))
  run.invariants.acknowledged.finalState(server, held)
}

interface ListedKey {
  readonly Key: string
  readonly Value: string | null
}
