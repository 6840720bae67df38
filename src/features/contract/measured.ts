import type { ServerContext } from './server-context.ts'

/**
 * Measures how long a server takes for something, including failures: a metric with this name, in milliseconds.
 * Reference: telemetry.md#server-metrics.
 */
export async function measured<T>(
  { env }: Pick<ServerContext, 'env'>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const startedMs = env.clock.monoMs()
  const done = await work()
  env.metrics.sample(name, env.clock.monoMs() - startedMs)
  return done
}
