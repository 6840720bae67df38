import type { ServerContext } from './server-context.ts'

/**
 * How long a server takes over something, failures too: a metric of this name, in milliseconds.
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
