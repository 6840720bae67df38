import { createPlatform } from '../../../sim/platform/platform.ts'
import { Simulation } from '../../../sim/simulation/simulation.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { freePort, ownLoopback } from '../../tools/own-ports.ts'

/** Four agents that can reach each other. */
export interface Place {
  readonly envs: readonly [Env, Env, Env, Env]
  /** Where each may listen, also again. */
  readonly hosts: readonly [Endpoint, Endpoint, Endpoint, Endpoint]
}

export type Law = (place: Place) => Promise<void>

export type RegisterLaw = (title: string, body: Law) => void

export interface GossipWorld {
  look(law: Law): Promise<void>
}

export const hostWorld: GossipWorld = {
  look: async (law) => {
    const host = () => createHostEnv({ logSink: () => undefined, logLevel: 'error' })
    const envs = [host(), host(), host(), host()] as const
    // A pool that comes back to its port finds it free: one that the system chose could be any client's by then.
    const at = async (): Promise<Endpoint> => ({ host: ownLoopback, port: await freePort() })
    const hosts = [await at(), await at(), await at(), await at()] as const
    try {
      await law({ envs, hosts })
    } finally {
      for (const env of envs) env.close()
    }
  },
}

/** More virtual time than any law takes. */
const lawLimitMs = 120_000
const seeds = ['1', '2', '3']

export const simWorld: GossipWorld = {
  look: async (law) => {
    for (const seed of seeds) await lookWithSeed(seed, law)
  },
}

async function lookWithSeed(seed: string, law: Law): Promise<void> {
  const platform = createPlatform()
  try {
    const link = { latencyMs: [0.1, 3] as [number, number], loss: 0.01 }
    const simulation = new Simulation({ seed, platform, startWallMs: 1_800_000_000_000, link, shuffleTies: true })
    const node = (n: number) => simulation.addNode({ name: `m${n}`, host: `10.0.0.${n}` })
    const nodes = [node(1), node(2), node(3), node(4)] as const
    const at = (n: number): Endpoint => ({ host: `10.0.0.${n}`, port: 8301 })
    for (const other of nodes.slice(1)) other.boot(() => undefined)
    const [first, second, third, fourth] = nodes
    await simulation.play(
      first,
      () => law({ envs: [first.env, second.env, third.env, fourth.env], hosts: [at(1), at(2), at(3), at(4)] }),
      lawLimitMs,
    )
    const { failure } = simulation
    if (failure !== undefined) throw failure.error ?? new Error(failure.message)
  } finally {
    platform.close()
  }
}
