import { afterEach, expect, it } from 'vitest'
import { createPlatform } from '../../sim/platform/platform.ts'
import { Simulation } from '../../sim/simulation/simulation.ts'
import { normalize } from '../../src/config/normalize.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import { startProgram } from '../../src/program/start.ts'

const names = ['s1', 's2', 's3'] as const
const hostOf = (name: string): string => `10.0.1.${name.slice(1)}`
const ports = { dns: -1, http: 8500, server: 8300, serf_lan: 8301, serf_wan: -1 }

function fileOf(name: string, performance: NonNullable<FileConfig['performance']>): FileConfig {
  return {
    ...{ server: true, bootstrap_expect: 3, node_name: name, data_dir: '/data', ports, performance },
    ...{ bind_addr: hostOf(name), client_addr: hostOf(name) },
    retry_join: names.map((other) => `${hostOf(other)}:${ports.serf_lan}`),
  }
}

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/**
 * How long after the leader went silent each of the other two stood for election, or asked whether it may, in seconds.
 */
async function patience(performance: NonNullable<FileConfig['performance']>): Promise<readonly number[]> {
  const platform = createPlatform()
  closing.push(() => platform.close())
  const simulation = new Simulation({ seed: 'raft-timing', platform })
  let leader: string | undefined
  let silentSinceMs = Number.POSITIVE_INFINITY
  const stoodAtMs = new Map<string, number>()
  for (const name of names) {
    const node = simulation.addNode({ name, host: hostOf(name), directories: ['/data'] })
    node.boot(async (env) => {
      const config = normalize(fileOf(name, performance), false, env.machine)
      if (!config.ok) throw new Error(config.error.map(({ message }) => message).join('\n'))
      const program = await startProgram(env, config.value.config)
      if (!program.ok) throw new Error(program.error.message)
      program.value.agent.raft?.onRoleChange(({ role }) => {
        if (role === 'leader') leader = name
        const stands = role === 'pre-candidate' || role === 'candidate'
        if (stands && simulation.nowMs >= silentSinceMs && !stoodAtMs.has(name)) stoodAtMs.set(name, simulation.nowMs)
      })
    })
  }
  await simulation.runUntil(() => leader !== undefined, 120_000)
  await simulation.run({ untilMs: simulation.nowMs + 60_000 })
  const lost = leader ?? ''
  const others = names.filter((name) => name !== lost)
  // Each alone: had one of the others been elected, the last would hear of it and wait anew.
  for (const name of names) for (const other of names) if (name < other) simulation.network.cut(name, other)
  silentSinceMs = simulation.nowMs
  await simulation.runUntil(() => others.every((name) => stoodAtMs.has(name)), 120_000)
  return others.map((name) => ((stoodAtMs.get(name) ?? Number.NaN) - silentSinceMs) / 1000)
}

const multipliers = [
  [{ raft_multiplier: 1 }, 1],
  [{}, 5],
  [{ raft_multiplier: 10 }, 10],
] as const

it.each(multipliers)(
  '[CFG-011] with fixed detection and performance %o a server bears a silent leader for %i to twice as many seconds, then it stands',
  async (performance, timeoutS) => {
    const waited = await patience({ ...performance, leader_detection: 'fixed' })
    expect(waited).toHaveLength(2)
    // The leader may have been heard last as long before as its heartbeats are apart: a tenth of the timeout.
    for (const seconds of waited) {
      expect(seconds).toBeGreaterThan(0.89 * timeoutS)
      expect(seconds).toBeLessThan(2 * timeoutS + 0.1)
    }
  },
)

it.each(multipliers)(
  '[CFG-011] with performance %o, where %i s is the timeout, it bears a leader that it heard regularly for half of that',
  async (performance, timeoutS) => {
    // Heartbeats are a tenth to a fifth of the timeout apart; its patience is drawn from half of it and a fifth more.
    for (const seconds of await patience(performance)) {
      expect(seconds).toBeGreaterThan(0.29 * timeoutS)
      expect(seconds).toBeLessThan(0.7 * timeoutS)
    }
  },
)
