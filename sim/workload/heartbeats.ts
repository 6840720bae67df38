import { z } from 'zod'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { httpEndpoint } from '../cluster/node-identity.ts'
import { duration, selector } from '../notation/fields.ts'
import { workloadKind } from './kind.ts'

const answerWithinMs = 5_000

/** What one group of heartbeats keeps alive, every default applied. */
export interface HeartbeatPlan {
  readonly name: string
  /** The TTL check, by its ID on each of the agents. */
  readonly check: string
  readonly everyMs: number
}

/** Agents whose check is kept alive now. */
export type HeartbeatTargets = () => readonly { readonly name: string; readonly endpoint: Endpoint }[]

/**
 * The services themselves, as far as their TTL checks are concerned: each tells its own agent, at a steady rhythm, that it
 * is well. What is not told for lack of an agent is not made up for.
 */
class Heartbeats {
  readonly #env: Env
  readonly #plan: HeartbeatPlan
  readonly #targets: HeartbeatTargets
  #running = false

  constructor(env: Env, plan: HeartbeatPlan, targets: HeartbeatTargets) {
    this.#env = env
    this.#plan = plan
    this.#targets = targets
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#beat()
  }

  stop(): void {
    this.#running = false
  }

  /** The agents of one beat are spread over its rhythm. */
  #beat(): void {
    if (!this.#running) return
    const { everyMs } = this.#plan
    const targets = this.#targets()
    for (const [at, { endpoint }] of targets.entries()) {
      this.#env.timers.after((everyMs * at) / targets.length, () => this.#env.detach(this.#tell(endpoint)))
    }
    this.#env.timers.after(everyMs, () => this.#beat())
  }

  async #tell(agent: Endpoint): Promise<void> {
    const target = `/v1/agent/check/pass/${this.#plan.check}`
    await this.#env.http.request(agent, { method: 'PUT', target, timeoutMs: answerWithinMs })
  }
}

const heartbeat = z.strictObject({
  at: selector.describe('The agents that get the reports.'),
  check: z.string().min(1).describe('The ID of the TTL check on each of them: service:web.'),
  every: duration.describe('Interval of the reports that the check passes.'),
})

export const heartbeats = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'heartbeats are named with small letters'],
  group: heartbeat,
  text: 'Services that keep their TTL checks alive, to the end of the run.',
  crews: [
    {
      machine: 'heartbeats',
      open: ({ at, check, every }, { name, env, run }) => {
        const targets = () =>
          run
            .select(at)
            .filter((node) => run.cluster.isRunning(node))
            .map((node) => ({ name: node, endpoint: httpEndpoint(run.cluster.identityOf(node)) }))
        const beats = new Heartbeats(env, { name, check, everyMs: every }, targets)
        return { live: () => beats.start() }
      },
    },
  ],
})
