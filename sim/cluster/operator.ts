import type { Agent } from '../../src/agent/assembly/agent.ts'
import type { Env } from '../../src/env/env.ts'
import { deregisterEndpoint } from '../../src/features/catalog/write-endpoints.ts'

/** Interval of an operator's retries. */
const againMs = 2_000

/** A machine that is lost for good; another machine gets its name. */
export interface LostMachine {
  readonly name: string
  /** Its node ID. */
  readonly id: string
}

/** The process that leads, and a way to act in a turn of it. */
export interface LeadingProcess {
  readonly agent: Agent
  readonly run: (act: (env: Env) => void) => void
}

interface OperatorWorld {
  readonly after: (delayMs: number, then: () => void) => void
  readonly leader: () => LeadingProcess | undefined
  /** The agents of the servers whose process is up. */
  readonly agents: () => readonly Agent[]
}

/**
 * The operator that removes machines which are lost for good: first from the Raft configuration, one at a time, then
 * from the catalog, which reserves the name for the old node ID until then.
 */
class Operator {
  readonly #world: OperatorWorld
  readonly #waiting = new Set<LostMachine>()

  constructor(world: OperatorWorld) {
    this.#world = world
  }

  /** This machine is lost. */
  retire(machine: LostMachine): void {
    if (this.#waiting.size === 0) this.#later()
    this.#waiting.add(machine)
  }

  /**
   * Removes a server from the Raft configuration, as `svc operator raft remove-peer` does. False: there is no leader,
   * or it does not know the server.
   */
  removePeer(id: string): boolean {
    const leader = this.#world.leader()
    const raft = leader?.agent.raft
    if (leader === undefined || raft === undefined) return false
    if (!raft.status().configuration.servers.some((member) => member.id === id)) return false
    leader.run((env) => env.detach(raft.changeConfiguration({ kind: 'remove', id })))
    return true
  }

  #later(): void {
    this.#world.after(againMs, () => {
      for (const machine of this.#waiting) if (this.#isRemoved(machine)) this.#deregister(machine)
      for (const { id } of this.#waiting) if (this.removePeer(id)) break
      if (this.#waiting.size > 0) this.#later()
    })
  }

  /** Whether there is a leader, and no running server has the machine in its configuration. */
  #isRemoved(machine: LostMachine): boolean {
    const known = this.#world.agents().flatMap(({ raft }) => raft?.status() ?? [])
    if (known.every(({ role }) => role !== 'leader')) return false
    return known.every(({ configuration }) => configuration.servers.every(({ id }) => id !== machine.id))
  }

  #deregister(machine: LostMachine): void {
    const leader = this.#world.leader()
    if (leader === undefined) return
    const body = { node: machine.name, serviceId: '', checkId: '' }
    const ask = async (): Promise<void> => {
      const done = await leader.agent.write(deregisterEndpoint, body, {})
      if (done.ok) this.#waiting.delete(machine)
    }
    leader.run((env) => env.detach(ask()))
  }
}

/** The operators of all datacenters: each has one. */
export class Operators {
  readonly #worldOf: (datacenter: string) => OperatorWorld
  readonly #byDatacenter = new Map<string, Operator>()

  constructor(worldOf: (datacenter: string) => OperatorWorld) {
    this.#worldOf = worldOf
  }

  of(datacenter: string): Operator {
    const known = this.#byDatacenter.get(datacenter)
    if (known !== undefined) return known
    const operator = new Operator(this.#worldOf(datacenter))
    this.#byDatacenter.set(datacenter, operator)
    return operator
  }
}
