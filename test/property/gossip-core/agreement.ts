import type { Agent } from './agent.ts'
import type { World } from './world.ts'

/** M1 and M2: why the running agents do not agree on the members; undefined once they do. */
function disagreement(world: World): string | undefined {
  const running = world.running()
  const said = new Map<string, string>()
  for (const observer of running) {
    for (const other of running) {
      const found = statusOf(observer, other.name)
      if (found !== 'alive') return `${observer.name} holds the running ${other.name} ${found}`
      const address = observer.core.members.get(other.name)?.address
      if (address?.host !== other.address.host) return `${observer.name} has ${other.name} at its old address`
      const meta = observer.core.members.get(other.name)?.meta
      if (meta?.join() !== other.core.self.meta.join()) return `${observer.name} has old tags of ${other.name}`
    }
    for (const { name, status } of observer.core.members.values()) {
      if (world.agents.get(name)?.isRunning) continue
      if (status !== 'failed' && status !== 'left') return `${observer.name} holds the gone ${name} ${status}`
      const others = said.get(name)
      if (others !== undefined && others !== status)
        return `${name} is ${status} to ${observer.name}, ${others} to others`
      said.set(name, status)
    }
  }
  return undefined
}

function statusOf(observer: Agent, name: string): string {
  return observer.core.members.get(name)?.status ?? 'unknown'
}

/** Milliseconds until all agree, looked at every second; fails beyond the bound with what is still open. */
export function settle(world: World, boundMs: number): number {
  const sinceMs = world.nowMs
  while (true) {
    const open = disagreement(world)
    if (open === undefined) return world.nowMs - sinceMs
    if (world.nowMs - sinceMs > boundMs) throw new Error(`no agreement after ${boundMs} ms: ${open}`)
    world.runFor(1_000)
  }
}
