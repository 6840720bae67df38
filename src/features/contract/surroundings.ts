import type { Env } from '../../env/env.ts'
import type { Naming } from '../../model/naming/naming.ts'
import type { Release } from '../../model/release.ts'

/** What agents and servers see of the world and of themselves in the same way. */

export interface WithEnv {
  readonly env: Env
}

/** The names of the product. */
export interface WithNaming {
  readonly naming: Naming
}

/** The release that the agent runs as. */
export interface WithRelease {
  readonly release: Release
}

/**
 * Measures how long a server takes for something, including failures: a metric with this name, in milliseconds.
 * Reference: telemetry.md#server-metrics.
 */
export async function measured<T>({ env }: WithEnv, name: string, work: () => Promise<T>): Promise<T> {
  const startedMs = env.clock.monoMs()
  const done = await work()
  env.metrics.sample(name, env.clock.monoMs() - startedMs)
  return done
}
