import { createPlatform } from '../../../sim/platform/platform.ts'
import { Simulation } from '../../../sim/simulation/simulation.ts'
import type { Env } from '../../../src/env/env.ts'

/** More virtual time than any test takes. */
const limitMs = 400 * 86_400_000

/**
 * Runs on a machine of the simulator, at the time of the recordings: keys of RSA cost nothing there, and no time
 * passes.
 */
export async function onMachine(
  use: (env: Env) => Promise<void>,
  startWallMs = Date.UTC(2026, 10, 21, 4, 27),
): Promise<void> {
  const platform = createPlatform()
  try {
    const simulation = new Simulation({ seed: 'secrets', platform, startWallMs, link: { latencyMs: [0.1, 2] } })
    const node = simulation.addNode({ name: 'a', host: '10.0.0.1' })
    await simulation.play(node, () => use(node.env), limitMs)
    const { failure } = simulation
    if (failure !== undefined) throw failure.error ?? new Error(failure.message)
  } finally {
    platform.close()
  }
}
