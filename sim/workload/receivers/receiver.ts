import { textOf } from '../../../src/base/bytes.ts'
import { invariant } from '../../../src/base/invariant.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint, TcpStream } from '../../../src/env/net.ts'
import type { Tell } from '../../checkers/checker.ts'
import type { MetricProtocol } from '../../checkers/telemetry/telemetry-facts.ts'
import type { Decisions } from '../../world/decisions/decisions.ts'
import { drawnPause } from '../drawn-pause.ts'
import type { Crew } from '../kind.ts'

/** Where a receiver listens. */
export const receiverPorts = { syslog: 514, statsd: 8_125, dogstatsd: 8_126, statsite: 8_127 } as const

const answerWithinMs = 10_000

interface ReceiverPlan {
  readonly name: string
  readonly host: string
  readonly everyMs: { readonly min: number; readonly max: number }
}

interface ReceiverWorld {
  readonly nowUs: () => number
  readonly decisions: Decisions
  /** The agents that are asked. */
  readonly nodes: readonly string[]
  readonly nodeAt: (address: string) => string | undefined
  readonly endpointOf: (node: string) => Endpoint
  readonly tell: Tell
}

/**
 * What operators send metrics and logs to: a syslog daemon, receivers of statsd, DogStatsD and statsite, and a
 * Prometheus that asks agents. It tells the checkers what arrives, and answers nothing.
 */
export class Receiver implements Crew {
  readonly #env: Env
  readonly #plan: ReceiverPlan
  readonly #world: ReceiverWorld

  constructor(env: Env, plan: ReceiverPlan, world: ReceiverWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    env.detach(this.#listen())
  }

  /** It goes on to the end: agents send all the time. */
  live(): void {
    for (const node of this.#world.nodes) this.#env.detach(this.#ask(node))
  }

  async #listen(): Promise<void> {
    const { host } = this.#plan
    const { tell } = this.#world
    await this.#bound(receiverPorts.syslog, (node, bytes) => {
      tell('log arrived', { node, text: textOf(bytes), bytes: bytes.length })
    })
    for (const protocol of ['statsd', 'dogstatsd'] as const) {
      await this.#bound(receiverPorts[protocol], (node, bytes) => this.#arrived(node, protocol, bytes))
    }
    const listener = await this.#env.tcp.listen({ host, port: receiverPorts.statsite }, (stream) => this.#read(stream))
    invariant(listener.ok, 'a fresh machine has its port')
  }

  async #bound(port: number, use: (node: string, bytes: Uint8Array) => void): Promise<void> {
    const bound = await this.#env.udp.bind({ host: this.#plan.host, port }, (from, bytes) => {
      const node = this.#world.nodeAt(from.host)
      if (node !== undefined) use(node, bytes)
    })
    invariant(bound.ok, 'a fresh machine has its port')
  }

  #read(stream: TcpStream): void {
    const node = this.#world.nodeAt(stream.remote.host) ?? ''
    stream.onData((bytes) => this.#arrived(node, 'statsite', bytes))
    stream.onEnd(() => stream.close())
    stream.onClose(() => this.#world.tell('metrics stream ended', { node }))
  }

  #arrived(node: string, protocol: MetricProtocol, bytes: Uint8Array): void {
    this.#world.tell('metrics arrived', { node, protocol, text: textOf(bytes) })
  }

  async #ask(node: string): Promise<void> {
    const { decisions, endpointOf, nowUs, tell } = this.#world
    const target = '/v1/agent/metrics?format=prometheus'
    for (let nth = 1; ; nth++) {
      await drawnPause(this.#env, decisions.draws('receivers', this.#plan.name, node, nth), this.#plan.everyMs)
      const calledUs = nowUs()
      const request = { method: 'GET', target, timeoutMs: answerWithinMs }
      const answer = await this.#env.http.request(endpointOf(node), request)
      if (!answer.ok || answer.value.status !== 200) continue
      tell('metrics shown', { node, text: textOf(answer.value.body), calledUs })
    }
  }
}
