import { fromBase64, textOf } from '../../../src/base/bytes.ts'
import { formatDuration } from '../../../src/base/duration.ts'
import { watchSequences } from '../../checkers/clients/watch-sequences.ts'
import type { ListedKey } from '../../checkers/keys/key-history.ts'
import { liveness } from '../../checkers/liveness.ts'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import type { RunContext } from '../run-context.ts'

const lookEveryMs = 20
const answerWithinMs = 10_000
/** One blocking query to its end (10 s and a sixteenth), for a client that waits for a lost index, and a fresh read. */
const caughtUpWithinMs = 15_000
/** A pause of half a second, one departed agent that is asked first, and packets lost on the way. */
const toldWithinMs = 5_000
/** Written under each followed prefix when everything is at rest. */
const lastName = 'at-rest'

/**
 * At rest, clients that follow keys ask once more from their index, over working connections, and arrive at the result
 * of a fresh read (W3). Then every client that waits by then learns of a write under its prefix (W2), whichever server
 * answers it.
 */
export async function compareWatches(run: RunContext): Promise<void> {
  const prefixes = run.invariants.of(watchSequences).prefixes()
  if (run.hasFailed() || prefixes.length === 0) return
  run.workload.switchKeyWatchers('start')
  for (const prefix of prefixes) await awaitAll(run, prefix, 'W3', caughtUpWithinMs)
  for (const prefix of prefixes) {
    if (run.hasFailed()) break
    await run.driver.ask(run, someServer(run), {
      method: 'PUT',
      target: `/v1/kv/${prefix}${lastName}`,
      bodyText: `${prefix}${lastName}`,
      timeoutMs: answerWithinMs,
    })
    await awaitAll(run, prefix, 'W2', toldWithinMs)
  }
  run.workload.switchKeyWatchers('stop')
}

async function awaitAll(run: RunContext, prefix: string, code: 'W2' | 'W3', withinMs: number): Promise<void> {
  const watches = run.invariants.of(watchSequences)
  const fresh = await freshRows(run, prefix)
  if (fresh === undefined || run.hasFailed()) return
  const untilUs = run.simulation.nowUs + withinMs * 1000
  while (!run.hasFailed() && watches.behind(prefix, fresh).length > 0 && run.simulation.nowUs < untilUs) {
    await run.pass(lookEveryMs)
  }
  if (!run.hasFailed()) watches.overdue(code, prefix, fresh, formatDuration(withinMs))
}

async function freshRows(run: RunContext, prefix: string): Promise<readonly ListedKey[] | undefined> {
  const asked = { method: 'GET', target: `/v1/kv/${prefix}?recurse&consistent`, timeoutMs: answerWithinMs }
  const answer = await run.driver.ask(run, someServer(run), asked)
  if (run.hasFailed()) return undefined
  if (typeof answer === 'string' || (answer.status !== 200 && answer.status !== 404)) {
    const why = typeof answer === 'string' ? answer : `status ${answer.status}`
    run.invariants.of(liveness).refuses(`the keys under '${prefix}' cannot be read once the cluster is at rest: ${why}`)
    return undefined
  }
  if (answer.status === 404) return []
  const rows = JSON.parse(answer.body) as readonly { Key: string; Value: string | null; ModifyIndex: number }[]
  return rows.map(({ Key, Value, ModifyIndex }) => ({
    key: Key,
    value: textOf(fromBase64(Value ?? '') ?? new Uint8Array()),
    modifyIndex: ModifyIndex,
  }))
}

function someServer({ cluster, simulation }: RunContext): ReturnType<typeof httpEndpoint> {
  const present = cluster.serverNames.filter((server) => !cluster.hasLeft(server))
  const server = simulation.decisions.drawsNext('rest watches').oneOf(present, (name) => name) as string
  return httpEndpoint(cluster.identityOf(server))
}
