import { createPlatform } from '../../../sim/platform/platform.ts'
import { Simulation, type SimulationOptions } from '../../../sim/simulation/simulation.ts'
import type { Env } from '../../../src/env/env.ts'

/** Gives `use` a simulation, and puts Node back when it is done. */
export async function inSimulation<T>(
  options: Omit<Partial<SimulationOptions>, 'platform'>,
  use: (simulation: Simulation) => Promise<T>,
): Promise<T> {
  const platform = createPlatform()
  try {
    return await use(new Simulation({ seed: 'test', ...options, platform }))
  } finally {
    platform.close()
  }
}

/** Waits in virtual time. */
export async function rest(env: Env, ms: number): Promise<void> {
  const { promise, resolve } = env.deferred<void>()
  env.timers.after(ms, () => resolve())
  await promise
}

export async function value<T>(
  result: Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }>,
): Promise<T> {
  const settled = await result
  if (settled.ok) return settled.value
  throw new Error(`taken for granted, but: ${JSON.stringify(settled.error)}`)
}
