import type { ServerId } from '../../../src/raft/core/types.ts'
import type { Dice } from '../../tools/dice.ts'
import type { ModelServer } from './model-server.ts'
import type { Swarm } from './swarm.ts'

/** What befalls the servers of a world, as far as an election brings it. */
export interface Troubles {
  readonly dice: Dice
  readonly swarm: Swarm
  readonly servers: ReadonlyMap<ServerId, ModelServer>
  after(delayMs: number, run: () => void): void
  cut(a: ServerId, b: ServerId, forMs: number): void
  bounce(server: ModelServer, minMs: number, maxMs: number): void
  withLeader(use: (server: ModelServer) => void): void
  propose(server: ModelServer): void
  read(server: ModelServer): void
  change(server: ModelServer): void
}

/** What the swarm wants to happen to a server that has just been elected, and to those around it. */
export function followElection(world: Troubles, server: ModelServer): void {
  const { dice } = world
  const { trigger, heartbeatTimeoutMs } = world.swarm
  const others = [...world.servers.keys()].filter((id) => id !== server.id)
  if (trigger === 'elected-cut-crash') {
    world.after(dice.between(0, world.swarm.delayMs * 2), () => {
      for (const id of others) if (dice.chance(0.6)) world.cut(server.id, id, dice.between(100, 400))
      world.after(dice.between(2, heartbeatTimeoutMs / 2), () =>
        world.bounce(server, heartbeatTimeoutMs, heartbeatTimeoutMs * 3),
      )
    })
  }
  if (trigger === 'elected-pause' && dice.chance(0.7)) {
    const length = dice.between(1.2, 5) * heartbeatTimeoutMs
    world.after(dice.between(0, 3 * heartbeatTimeoutMs), () => {
      if (!server.leads) return
      server.pause(length)
      for (let i = 0; i < 4; i++) {
        world.after(dice.between(0.9, 1) * length, () => world.read(server))
      }
    })
  }
  if (trigger === 'elected-change-cut') {
    world.after(dice.between(0, 20), () => {
      if (!server.leads) return
      world.change(server)
      const friend = dice.pick(others)
      for (const id of others) {
        if (id !== friend) world.cut(server.id, id, dice.between(2, 6) * heartbeatTimeoutMs)
      }
    })
  }
  if (trigger === 'elected-forget' && others.length >= 2) {
    const [lost, ...loyal] = others.toSorted(() => (dice.chance(0.5) ? 1 : -1))
    world.after(dice.between(0, heartbeatTimeoutMs / 3), () =>
      world.cut(server.id, lost as ServerId, 5 * heartbeatTimeoutMs),
    )
    world.after(dice.between(1, 3) * heartbeatTimeoutMs, () => {
      if (!server.leads) return
      for (const id of loyal) {
        world.cut(server.id, id, 3 * heartbeatTimeoutMs)
        world.bounce(world.servers.get(id) as ModelServer, 1, 5)
      }
      for (let i = 0; i < 20; i++) {
        world.after((i * heartbeatTimeoutMs) / 10, () => world.withLeader((leader) => world.propose(leader)))
      }
    })
  }
  if (trigger === 'elected-isolate') {
    world.after(dice.between(0, 2 * heartbeatTimeoutMs), () => {
      if (!server.leads) return
      for (const id of others) world.cut(server.id, id, dice.between(2, 6) * heartbeatTimeoutMs)
      for (let i = 0; i < 5; i++) world.after(dice.between(0, 10), () => world.propose(server))
    })
  }
}
