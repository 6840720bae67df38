import { createSocket } from 'node:dgram'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import {
  type AgentPortsInUse,
  type Finished,
  makeWorkplace,
  quickGossip,
  RealAgent,
  runSvc,
  type Workplace,
} from './real-agent.ts'

export type NodeName = 's1' | 'c1' | 's2' | 's3'

/** Of no other test: the pool of all datacenters has its default port here. */
export const hosts: Readonly<Record<NodeName, string>> = {
  s1: '127.0.88.1',
  c1: '127.0.88.2',
  s2: '127.0.88.3',
  s3: '127.0.88.4',
}
export const wanPort = 8302

export interface ListedMember {
  readonly Name: string
  readonly Port: number
  readonly Status: number
  readonly Tags: Readonly<Record<string, string>>
}

/** What all gossip of both is encrypted with at first, and what it is moved to. */
export const firstKey = Buffer.alloc(16, 7).toString('base64')
export const secondKey = Buffer.alloc(32, 9).toString('base64')

/**
 * One datacenter of a server and a client, one of two servers; one address of the second is told to the server of the
 * first.
 */
export class TwoDatacenters {
  readonly workplace: Workplace = makeWorkplace()
  readonly agents = new Map<NodeName, RealAgent>()
  readonly ports: AgentPortsInUse

  constructor(ports: AgentPortsInUse) {
    this.ports = ports
  }

  startAll(): void {
    this.#start('s1', 'dc1', { server: true, bootstrap: true, retry_join_wan: [hosts.s2], translate_wan_addrs: true })
    this.#start('c1', 'dc1', {
      retry_join: [hosts.s1],
      // Of no effect, which it says.
      retry_join_wan: [hosts.s2],
      translate_wan_addrs: true,
      advertise_addr_wan: '192.0.2.7',
    })
    this.#start('s2', 'dc2', { server: true, bootstrap_expect: 2, retry_join: [hosts.s3] })
    this.#start('s3', 'dc2', { server: true, bootstrap_expect: 2, retry_join: [hosts.s2] })
  }

  /**
   * The server of the first once more, with what stands in its data directory and nothing else to find the other one
   * by.
   */
  startFromSnapshot(): void {
    this.#start('s1', 'dc1', { server: true, bootstrap: true, encrypt: undefined })
  }

  #start(name: NodeName, datacenter: string, settings: object): void {
    const file = join(this.workplace.path, `${name}.json`)
    const config = {
      node_name: name,
      datacenter,
      data_dir: join(this.workplace.path, name),
      bind_addr: hosts[name],
      client_addr: hosts[name],
      ports: { ...this.ports, serf_wan: undefined },
      performance: { raft_multiplier: 1, leave_drain_time: '100ms' },
      gossip_lan: quickGossip,
      gossip_wan: quickGossip,
      retry_interval: '200ms',
      retry_interval_wan: '200ms',
      encrypt: firstKey,
      ...settings,
    }
    writeFileSync(file, JSON.stringify(config))
    this.agents.set(name, new RealAgent(`${hosts[name]}:${this.ports.http}`, [`-config-file=${file}`]))
  }

  agent(name: NodeName): RealAgent {
    const agent = this.agents.get(name)
    if (agent === undefined) throw new Error(`${name} was not started`)
    return agent
  }

  command(at: NodeName, ...args: readonly string[]): Promise<Finished> {
    return runSvc(args, undefined, { SVC_HTTP_ADDR: this.agent(at).address })
  }

  /** Members of the pool of all datacenters by name, as this agent sees them. */
  async wanMembers(at: NodeName): Promise<ReadonlyMap<string, ListedMember>> {
    const members = await this.agent(at).json<readonly ListedMember[]>('/v1/agent/members?wan=1')
    return new Map((members ?? []).map((member) => [member.Name, member]))
  }

  async statusSeen(at: NodeName, name: string): Promise<number | undefined> {
    return (await this.wanMembers(at)).get(name)?.Status
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.stop('SIGKILL')))
    this.workplace.remove()
  }
}

/** Whether the port of the pool of all datacenters is taken at this address. */
export function isTakenForTcp(host: string): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.on('error', () => resolve(true))
    server.listen(wanPort, host, () => server.close(() => resolve(false)))
  })
}

export function isTakenForUdp(host: string): Promise<boolean> {
  const socket = createSocket('udp4')
  return new Promise((resolve) => {
    socket.on('error', () => resolve(true))
    socket.bind(wanPort, host, () => socket.close(() => resolve(false)))
  })
}
