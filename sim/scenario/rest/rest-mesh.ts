import { formatDuration } from '../../../src/base/duration.ts'
import { meshLaws } from '../../checkers/mesh/mesh-laws.ts'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import type { RunContext } from '../run-context.ts'

/** A rotation proceeds when there is a leader, and proxies learn of it at once; leaves are signed at a limited rate. */
const restWithinMs = 180_000
const lookEveryMs = 500
const answerWithinMs = 10_000
/** What any caller may be shown of the mesh: it must not contain a key (C4). */
const shown = ['/v1/connect/ca/roots', '/v1/connect/ca/configuration', '/v1/agent/metrics', '/v1/agent/self']

/**
 * The mesh at rest: no rotation is under way (C5), every proxy whose agent runs has a leaf of the active root and knows
 * the listed roots, and all can connect with all (C1). Answers of agents are searched for keys (C4).
 */
export async function restMesh(run: RunContext): Promise<void> {
  const mesh = run.invariants.of(meshLaws)
  if (mesh === undefined || mesh.rootsListed === 0 || run.hasFailed()) return
  // Only with a secrets manager: elsewhere an authority may be blocked for good, as by a root that ends.
  const blocked = (): string | undefined =>
    run.cluster.secretsManager === undefined ? undefined : mesh.inForce.blocked
  const untilUs = run.simulation.nowUs + restWithinMs * 1000
  while (
    !run.hasFailed() &&
    run.simulation.nowUs < untilUs &&
    (mesh.rotation.step ?? blocked() ?? run.workload.proxiesBehind()[0]) !== undefined
  ) {
    await run.pass(lookEveryMs)
  }
  if (run.hasFailed()) return
  mesh.rotation.rests()
  if (run.cluster.secretsManager !== undefined) mesh.inForce.rests()
  const [behind] = run.workload.proxiesBehind()
  if (behind !== undefined) {
    run.invariants.report('C5', `${formatDuration(restWithinMs)} after the last fault ${behind}`)
    return
  }
  run.workload.proxiesMeet()
  const server = run.cluster.serverNames.find((name) => run.cluster.isRunning(name))
  if (server === undefined) return
  for (const target of shown) {
    if (run.hasFailed()) return
    await run.driver.ask(run, httpEndpoint(run.cluster.identityOf(server)), {
      method: 'GET',
      target,
      timeoutMs: answerWithinMs,
    })
  }
}
