import { z } from 'zod'
import type { Env } from '../../src/env/env.ts'
import type { MeshLaws } from '../checkers/mesh/mesh-laws.ts'
import { meshLaws } from '../checkers/mesh/mesh-laws.ts'
import { httpEndpoint } from '../cluster/node-identity.ts'
import { duration, durationRange, selector, template } from '../notation/fields.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import { besideAgents } from './asked-agents.ts'
import { drawnMs } from './drawn-pause.ts'
import { workloadKind } from './kind.ts'
import { MeshProxy, type ProxyPlan, type ProxyWorld } from './mesh-proxy.ts'

/** What a group of proxies does, with all defaults applied. */
export interface ProxiesPlan {
  readonly name: string
  readonly proxies: readonly ProxyPlan[]
  /** Number of other proxies to which each keeps a connection. */
  readonly connections: number
  /** Duration of a connection before it is made anew. */
  readonly everyMs: { readonly min: number; readonly max: number }
}

export interface ProxiesWorld {
  readonly decisions: Decisions
  /** The mesh of the agent's datacenter. */
  readonly meshOf: (agent: string) => MeshLaws | undefined
  readonly wallMsOf: (agent: string) => number
  readonly token: () => string
}

/**
 * Proxies that connect with one another all the time. To connect is to present certificates and to verify those of the
 * other, each by its own roots and its own clock: the handshake of mutual TLS, without its bytes.
 */
class MeshProxies {
  readonly #env: Env
  readonly #plan: ProxiesPlan
  readonly #world: ProxiesWorld
  readonly #proxies: readonly MeshProxy[]
  #meeting = false

  constructor(env: Env, plan: ProxiesPlan, world: ProxiesWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#proxies = plan.proxies.map((proxy) => new MeshProxy(env, proxy, this.#worldOf(proxy)))
  }

  /** They follow their leaves and roots to the end of the run. */
  follow(): void {
    for (const proxy of this.#proxies) proxy.start()
  }

  end(): void {
    for (const proxy of this.#proxies) proxy.stop()
  }

  start(): void {
    if (this.#meeting) return
    this.#meeting = true
    for (const at of this.#proxies.keys()) for (let i = 0; i < this.#plan.connections; i++) this.#meetLater(at, i, 1)
  }

  stop(): void {
    this.#meeting = false
  }

  /** Proxies beside these agents whose leaf or roots are not the cluster's present ones, and why. */
  behind(isMeant: (agent: string) => boolean): readonly string[] {
    return this.#proxies.flatMap(({ agent, behind }) => (isMeant(agent) ? (behind ?? []) : []))
  }

  /** Connects every proxy to every other one. A connection that fails without an excuse breaks C1. */
  meetAll(): void {
    for (const [at, one] of this.#proxies.entries()) {
      for (const other of this.#proxies.slice(at + 1)) this.#meet(one, other)
    }
  }

  #worldOf({ agent }: ProxyPlan): ProxyWorld {
    const { meshOf, wallMsOf, token } = this.#world
    return { mesh: () => meshOf(agent), token, wallMs: () => wallMsOf(agent) }
  }

  #meetLater(at: number, connection: number, nth: number): void {
    const draws = this.#world.decisions.draws('proxies', this.#plan.name, at, connection, nth)
    this.#env.timers.after(drawnMs(draws, this.#plan.everyMs), () => {
      if (!this.#meeting) return
      const one = this.#proxies[at]
      const other = this.#proxies[draws.below(this.#proxies.length)]
      if (one !== undefined && other !== undefined && one !== other) this.#meet(one, other)
      this.#meetLater(at, connection, nth + 1)
    })
  }

  #meet(one: MeshProxy, other: MeshProxy): void {
    const [a, b] = [one.end, other.end]
    if (a !== undefined && b !== undefined) one.mesh?.meetings.met(a, b, other.mesh?.meetings)
  }
}

const group = z.strictObject({
  at: selector.describe('The agents beside which they run, in turn; they use the clocks of these machines.'),
  count: z.int().min(1).max(1000).describe('Number of proxies; proxy # of shop serves the service shop-#.'),
  connections: z
    .int()
    .min(0)
    .max(100)
    .default(2)
    .describe('Number of other proxies to which each is connected at a time.'),
  every: durationRange
    .default({ min: 5_000, max: 15_000 })
    .describe('Lifetime of a connection; then it is replaced, with a new handshake.'),
  wait: duration.default(300_000).describe('How long a blocking query for a leaf or for roots waits.'),
  token: template.optional().describe('The token of their requests; none if absent.'),
})

export const proxies = workloadKind({
  names: [/^[a-z][a-z0-9-]*$/, 'proxies are named with small letters, digits and -'],
  group,
  text: 'Proxies of the mesh: each keeps a leaf and the roots, and connects to others all the time.',
  crews: [
    {
      machine: 'proxies',
      open: ({ at, count, connections, every, wait, token }, { name, env, run }) => {
        const proxies = besideAgents(run, { at, count }).map((agent, number) => {
          const service = `${name}-${number + 1}`
          const endpoint = httpEndpoint(run.cluster.identityOf(agent))
          return { name: `${service} at ${agent}`, service, agent, endpoint, waitMs: wait }
        })
        return new MeshProxies(
          env,
          { name, proxies, connections, everyMs: every },
          {
            decisions: run.simulation.decisions,
            meshOf: (agent) => run.checksOf(run.cluster.datacenterOf(agent)).of(meshLaws),
            wallMsOf: (agent) => run.cluster.nodeOf(agent).clock.wallUs() / 1000,
            token: () => (token === undefined ? '' : run.filled(token)),
          },
        )
      },
    },
  ],
})
