import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DnsServer } from './dns-client.ts'
import {
  type AgentPortsInUse,
  commonLeader,
  eventually,
  type Finished,
  freePorts,
  makeWorkplace,
  quickGossip,
  RealAgent,
  runSvc,
  type Workplace,
} from './real-agent.ts'

export type NodeName = 's1' | 's2' | 's3' | 'c1' | 'c2'

/** In order of address: 127.0.0.1 to 127.0.0.5. */
export const nodeNames: readonly NodeName[] = ['s1', 's2', 's3', 'c1', 'c2']

/** Three servers and two clients, each a process with an address of its own. */
export class Datacenter {
  readonly #workplace: Workplace
  readonly #ports: AgentPortsInUse
  readonly #agents = new Map<NodeName, RealAgent>()
  readonly #settings: Readonly<Partial<Record<NodeName, object>>>

  private constructor(
    workplace: Workplace,
    ports: AgentPortsInUse,
    settings: Readonly<Partial<Record<NodeName, object>>>,
  ) {
    this.#workplace = workplace
    this.#ports = ports
    this.#settings = settings
  }

  /**
   * Starts all of them and waits until those of `together` know each other. `settings`: more keys of one agent's
   * configuration.
   */
  static async start(
    settings: Readonly<Partial<Record<NodeName, object>>> = {},
    together: readonly NodeName[] = nodeNames,
  ): Promise<Datacenter> {
    const datacenter = new Datacenter(makeWorkplace(), await freePorts({ dns: true }), settings)
    for (const name of nodeNames) datacenter.startAgent(name)
    await datacenter.settled(together)
    return datacenter
  }

  get ports(): AgentPortsInUse {
    return this.#ports
  }

  hostOf(name: NodeName): string {
    return `127.0.0.${nodeNames.indexOf(name) + 1}`
  }

  agent(name: NodeName): RealAgent {
    const agent = this.#agents.get(name)
    if (agent === undefined) throw new Error(`${name} was not started`)
    return agent
  }

  dns(name: NodeName): DnsServer {
    return { host: this.hostOf(name), port: this.#ports.dns }
  }

  startAgent(name: NodeName): RealAgent {
    const host = this.hostOf(name)
    const definitions = join(this.#workplace.path, name)
    mkdirSync(definitions, { recursive: true })
    const config = {
      server: name.startsWith('s'),
      ...(name.startsWith('s') ? { bootstrap_expect: 3 } : {}),
      node_name: name,
      data_dir: join(this.#workplace.path, `data-${name}`),
      bind_addr: host,
      client_addr: host,
      ports: this.#ports,
      performance: { raft_multiplier: 1, rpc_hold_timeout: '2s', leave_drain_time: '200ms' },
      gossip_lan: quickGossip,
      retry_join: ['127.0.0.1', '127.0.0.2', '127.0.0.3'],
      retry_interval: '200ms',
      ...this.#settings[name],
    }
    const file = join(definitions, 'agent.json')
    writeFileSync(file, JSON.stringify(config))
    const agent = new RealAgent(`${host}:${this.#ports.http}`, [`-config-dir=${definitions}`])
    this.#agents.set(name, agent)
    return agent
  }

  /** Runs a command against the agent of this name. */
  command(name: NodeName, ...args: readonly string[]): Promise<Finished> {
    return runSvc(args, undefined, { SVC_HTTP_ADDR: this.agent(name).address })
  }

  /** Waits until these agents know the same leader and each other, alive. */
  async settled(together: readonly NodeName[] = nodeNames): Promise<void> {
    await commonLeader(together.map((name) => this.agent(name)))
    await eventually('all agents in every list', async () => {
      for (const name of together) {
        const statuses = await this.statuses(name)
        if (!together.every((other) => statuses.get(other) === 'alive')) return undefined
      }
      return true
    })
  }

  /** How the agent of this name sees the members: by number, 1 alive, 3 left, 4 failed. */
  async statuses(name: NodeName): Promise<ReadonlyMap<string, string>> {
    const members = await this.agent(name).json<readonly { Name: string; Status: number }[]>('/v1/agent/members')
    const names = ['none', 'alive', 'leaving', 'left', 'failed']
    return new Map((members ?? []).map((member) => [member.Name, names[member.Status] ?? '']))
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.stop('SIGKILL')))
    this.#workplace.remove()
  }
}
