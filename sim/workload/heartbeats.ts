import { z } from 'zod'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import type { Facts } from '../checkers/facts.ts'
import { httpEndpoint } from '../cluster/node-identity.ts'
import { duration, selector } from '../notation/fields.ts'
import { workloadKind } from './kind.ts'

const answerWithinMs = 5_000

/** What one group of heartbeats keeps alive, with all defaults applied. */
export interface HeartbeatPlan {
  readonly name: string
  /** ID of the TTL check on each of the agents. */
  readonly check: string
  readonly everyMs: number
}

/** Agents whose check is kept alive. */
interface HeartbeatWorld {
  /** The agents that run now. */
  readonly targets: () => readonly HeartbeatTarget[]
  readonly bootOf: (node: string) => number
  readonly holds: (node: string, check: string) => boolean
  readonly onTaken: (heartbeat: Facts['heartbeat taken']) => void
}

interface HeartbeatTarget {
  readonly name: string
  readonly endpoint: Endpoint
}

/**
 * Plays the services themselves, as far as their TTL checks are concerned: each reports to its own agent, at a steady
 * rhythm, that it is healthy. Reports that are missed while the agent is down are not made up for.
 */
class Heartbeats {
  readonly #env: Env
  readonly #plan: HeartbeatPlan
  readonly #world: HeartbeatWorld
  #running = false

  constructor(env: Env, plan: HeartbeatPlan, world: HeartbeatWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#beat()
  }

  stop(): void {
    this.#running = false
  }

  /** The agents of one beat are spread over its interval. */
  #beat(): void {
    if (!this.#running) return
    const { everyMs } = this.#plan
    const targets = this.#world.targets()
    for (const [at, target] of targets.entries()) {
      this.#env.timers.after((everyMs * at) / targets.length, () => this.#env.detach(this.#tell(target)))
    }
    this.#env.timers.after(everyMs, () => this.#beat())
  }

  async #tell({ name: node, endpoint }: HeartbeatTarget): Promise<void> {
    const { check } = this.#plan
    const { bootOf, holds, onTaken } = this.#world
    const [boot, held] = [bootOf(node), holds(node, check)]
    const target = `/v1/agent/check/pass/${check}`
    const answer = await this.#env.http.request(endpoint, { method: 'PUT', target, timeoutMs: answerWithinMs })
    if (!answer.ok || answer.value.status !== 200) return
    onTaken({ node, check, isRestarted: bootOf(node) !== boot, isHeld: held || holds(node, check) })
  }
}

const heartbeat = z.strictObject({
  at: selector.describe('The agents that get the reports.'),
  check: z.string().min(1).describe('The ID of the TTL check on each of them: service:web.'),
  every: duration.describe('Interval at which the check is reported as passing.'),
})

export const heartbeats = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'heartbeats are named with small letters'],
  group: heartbeat,
  text: 'Services that report their TTL checks as passing, to the end of the run.',
  crews: [
    {
      machine: 'heartbeats',
      open: ({ at, check, every }, { name, env, run }) => {
        const targets = () =>
          run
            .select(at)
            .filter((node) => run.cluster.isRunning(node))
            .map((node) => ({ name: node, endpoint: httpEndpoint(run.cluster.identityOf(node)) }))
        const beats = new Heartbeats(
          env,
          { name, check, everyMs: every },
          {
            targets,
            bootOf: (node) => run.cluster.bootOf(node),
            holds: (node, id) =>
              run.cluster
                .agentOf(node)
                ?.local.checks()
                .some(({ checkId }) => checkId === id) === true,
            onTaken: (heartbeat) =>
              run.checksOf(run.cluster.datacenterOf(heartbeat.node)).tell('heartbeat taken', heartbeat),
          },
        )
        return { live: () => beats.start() }
      },
    },
  ],
})
