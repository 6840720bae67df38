import { z } from 'zod'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { pause } from '../../src/model/pause.ts'
import { agentClient } from '../../src/proxy/agent-client.ts'
import { MeshProxy } from '../../src/proxy/mesh-proxy.ts'
import { Registration } from '../../src/proxy/registration.ts'
import type { ConnectionTally } from '../checkers/mesh/connection-tally.ts'
import { httpEndpoint } from '../cluster/node-identity.ts'
import { durationRange, selector, template } from '../notation/fields.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import { besideAgents } from './asked-agents.ts'
import { drawnPause } from './drawn-pause.ts'
import { tokenHeaders } from './key-client.ts'
import { workloadKind } from './kind.ts'
import { TunnelEnd } from './tunnel-end.ts'

const connectTimeoutMs = 2_000
/** Interval of the messages on a connection that is kept open. */
const wordEveryMs = 1_000
const lookAgainMs = 200

export interface TunnelService {
  readonly name: string
  readonly agent: string
  readonly endpoint: Endpoint
  readonly datacenter: string
}

/** Services, each behind a proxy, that connect to all others of their datacenter over the mesh. */
export interface TunnelsPlan {
  readonly name: string
  readonly host: string
  readonly services: readonly TunnelService[]
  /** Interval at which each service tries a new connection to each other one. */
  readonly everyMs: { readonly min: number; readonly max: number }
}

export interface TunnelsWorld {
  readonly decisions: Decisions
  readonly tally: ConnectionTally
  readonly token: () => string
}

/**
 * Services that connect to one another over the mesh by `svc connect proxy` itself, on simulated sockets: real
 * handshakes with real certificates, which the proxies request from agents. Each keeps one connection to each other one
 * from beginning to end, over which it sends messages all the time, and opens new ones as well.
 */
class MeshTunnels {
  readonly #env: Env
  readonly #plan: TunnelsPlan
  readonly #world: TunnelsWorld
  readonly #proxies: MeshProxy[] = []
  readonly #open = new Set<TunnelEnd>()
  #round = 0

  constructor(env: Env, plan: TunnelsPlan, world: TunnelsWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  /** The proxies run to the end. */
  follow(): void {
    for (const service of this.#plan.services) this.#env.detach(this.#begin(service))
  }

  start(): void {
    this.#round++
    for (const [at, from] of this.#plan.services.entries()) {
      for (const to of this.#othersOf(from)) {
        this.#env.detach(this.#keep(this.#round, at, from, to))
        this.#env.detach(this.#tryAgain(this.#round, at, from, to))
      }
    }
  }

  stop(): void {
    this.#round++
    for (const end of this.#open) end.close()
    this.#open.clear()
  }

  #othersOf(from: TunnelService): readonly TunnelService[] {
    return this.#plan.services.filter((to) => to !== from && to.datacenter === from.datacenter)
  }

  async #begin(service: TunnelService): Promise<void> {
    const { host } = this.#plan
    const at = this.#plan.services.indexOf(service)
    const local = await this.#env.tcp.listen({ host, port: 0 }, (stream) => {
      stream.onData((bytes) => void stream.write(bytes))
      stream.onEnd(() => stream.end())
      stream.onClose(() => undefined)
    })
    if (!local.ok) return
    const api = agentClient(this.#env, { to: service.endpoint, headers: tokenHeaders(this.#world.token()) })
    const proxy = new MeshProxy(this.#env, api, service.name)
    this.#proxies[at] = proxy
    proxy.follow({
      inbound: { listen: { host, port: 0 }, local: local.value.local, connectTimeoutMs },
      upstreams: this.#othersOf(service).map(({ name }) => ({
        type: 'service',
        name,
        datacenter: '',
        listen: { host, port: this.#portOf(at, name) },
        connectTimeoutMs,
      })),
    })
    while (proxy.inbound === undefined) await pause(this.#env, lookAgainMs)
    const listen = proxy.inbound
    const isListening = (): boolean => true
    new Registration(this.#env, api, { id: `${service.name}-proxy`, service: service.name, listen, isListening })
  }

  /** The local port at which one service reaches another. */
  #portOf(at: number, name: string): number {
    const { services } = this.#plan
    return 20_000 + at * services.length + services.findIndex((each) => each.name === name)
  }

  /** One connection from beginning to end, which must not break for any reason of the mesh. */
  async #keep(round: number, at: number, from: TunnelService, to: TunnelService): Promise<void> {
    while (this.#round === round) {
      const end = await this.#reach(at, to)
      let why = await end?.echo()
      if (end === undefined || why !== undefined) {
        end?.close()
        await pause(this.#env, lookAgainMs)
        continue
      }
      this.#open.add(end)
      while (this.#round === round && why === undefined) {
        await pause(this.#env, wordEveryMs)
        why = await end.echo()
      }
      this.#open.delete(end)
      end.close()
      if (this.#round === round && why !== undefined) this.#world.tally.broke(pairText(from, to), why)
    }
  }

  async #tryAgain(round: number, at: number, from: TunnelService, to: TunnelService): Promise<void> {
    for (let nth = 1; this.#round === round; nth++) {
      const draws = this.#world.decisions.draws('tunnels', pairText(from, to), round, nth)
      await drawnPause(this.#env, draws, this.#plan.everyMs)
      const end = await this.#reach(at, to)
      const why = end === undefined ? 'nobody listens' : await end.echo()
      end?.close()
      if (this.#round === round) this.#world.tally.attempted(pairText(from, to), why)
    }
  }

  #reach(at: number, to: TunnelService): Promise<TunnelEnd | undefined> {
    return TunnelEnd.open(this.#env, { host: this.#plan.host, port: this.#portOf(at, to.name) })
  }
}

function pairText(from: TunnelService, to: TunnelService): string {
  return `${from.name} at ${from.agent} to ${to.name} at ${to.agent}`
}

const group = z.strictObject({
  at: selector.describe('The agents beside which they run, in turn. Proxies of one datacenter reach one another.'),
  count: z.int().min(2).max(20).describe('Number of services; # of shop is shop-#, behind a proxy of its own.'),
  every: durationRange
    .default({ min: 500, max: 1_500 })
    .describe('Interval at which each opens a new connection to every other one of its datacenter.'),
  token: template.optional().describe('The token for requests of the proxies; none if absent.'),
})

export const tunnels = workloadKind({
  names: [/^[a-z][a-z0-9-]*$/, 'tunnels are named with small letters, digits and -'],
  group,
  text: 'Services that reach one another through the proxies of svc: each keeps one connection open to each other service, and opens new ones all the time.',
  crews: [
    {
      machine: 'tunnels',
      open: ({ at, count, every, token }, { name, env, host, run }) => {
        const { cluster } = run
        const services = besideAgents(run, { at, count }).map((agent, number) => {
          const endpoint = httpEndpoint(cluster.identityOf(agent))
          return { name: `${name}-${number + 1}`, agent, endpoint, datacenter: cluster.datacenterOf(agent) }
        })
        const world = {
          decisions: run.simulation.decisions,
          tally: run.tunnels,
          token: () => (token === undefined ? '' : run.filled(token)),
        }
        return new MeshTunnels(env, { name, host, services, everyMs: every }, world)
      },
    },
  ],
})
