import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type TcpListener, type TcpStream } from '../env/net.ts'
import type { AgentClient } from './agent-client.ts'
import { type Discovery, discoveryOf, type Target } from './discovery.ts'
import { isExpected, type MeshIdentity, serviceOf } from './identity.ts'
import { dialHost, listenAt } from './listening.ts'
import type { UpstreamPlan } from './plan.ts'
import { Splices } from './splices.ts'

/** Maximum number of instances that are tried for one connection, one after another. */
const attemptsMax = 3

export interface UpstreamParts {
  readonly env: Env
  readonly api: AgentClient
  readonly identity: MeshIdentity
  readonly plan: UpstreamPlan
}

/** Accepts connections of the local service for another one, and forwards them over the mesh. */
export class Upstream implements Closable {
  readonly plan: UpstreamPlan
  readonly #parts: UpstreamParts
  readonly #discovery: Discovery
  readonly #splices: Splices
  #listener: TcpListener | undefined
  /** Number of connections that are not established yet. */
  #underWay = 0
  #drains = false

  private constructor(parts: UpstreamParts) {
    this.#parts = parts
    this.plan = parts.plan
    this.#splices = new Splices(parts.env, parts.plan.listen)
    this.#discovery = discoveryOf(parts.env, parts.api, parts.plan)
  }

  /** The error is a clause for the log. */
  static async open(parts: UpstreamParts): Promise<Result<Upstream, string>> {
    const upstream = new Upstream(parts)
    const listening = await listenAt(parts.env, parts.plan.listen, (stream) => upstream.#take(stream))
    if (!listening.ok) {
      upstream.close()
      return listening
    }
    upstream.#listener = listening.value
    return ok(upstream)
  }

  get local(): Endpoint {
    return this.#listener?.local ?? this.plan.listen
  }

  /** Accepts no more connections; looks for instances only for those accepted already. Settles when all have ended. */
  drain(): Promise<void> {
    this.#listener?.close()
    this.#drains = true
    this.#askNoMore()
    return this.#splices.over()
  }

  close(): void {
    this.#listener?.close()
    this.#discovery.close()
    this.#splices.close()
  }

  #take(stream: TcpStream): void {
    const { env, plan } = this.#parts
    const splice = this.#splices.begin(stream)
    if (splice === undefined) return
    this.#underWay++
    env.detach(
      this.#reach().then((reached) => {
        this.#underWay--
        this.#askNoMore()
        if (reached.ok) return splice.join(reached.value)
        env.metrics.count('proxy.unreached')
        env.log.write(
          'warn',
          'proxy',
          'An upstream is not reached',
          { upstream: plan.name, why: reached.error },
          'sampled',
        )
        return splice.close()
      }),
    )
  }

  #askNoMore(): void {
    if (this.#drains && this.#underWay === 0) this.#discovery.close()
  }

  async #reach(): Promise<Result<TcpStream, string>> {
    const { env, identity, plan } = this.#parts
    if ((await identity.ready(plan.connectTimeoutMs)) === undefined) return err('there is no leaf')
    const found = await this.#discovery.targets(plan.connectTimeoutMs)
    if (!found.ok) return found
    if (found.value.length === 0) return err(await this.#discovery.whyNone())
    let why = ''
    const left = [...found.value]
    for (let attempt = 0; attempt < attemptsMax && left.length > 0; attempt++) {
      const [target] = left.splice(env.random.draws('proxy.instance', attempt).below(left.length), 1)
      if (target === undefined) break
      const dialled = await this.#dial(target)
      if (dialled.ok) return dialled
      why = `${endpointText(target.endpoint)}: ${dialled.error}`
    }
    return err(why)
  }

  async #dial({ endpoint, expected }: Target): Promise<Result<TcpStream, string>> {
    const { env, identity, plan } = this.#parts
    const { current } = identity
    if (current === undefined) return err('there is no leaf')
    const dialled = await dialHost(env, endpoint, plan.connectTimeoutMs, current.dialling)
    if (!dialled.ok) return dialled
    const peer = serviceOf(dialled.value.peer, current.domains)
    if (peer !== undefined && isExpected(peer.id, expected)) return dialled
    dialled.value.onClose(() => undefined)
    dialled.value.close()
    return err(`the peer there is not ${expected.service} of ${expected.datacenter}`)
  }
}
