import { z } from 'zod'
import { utf8 } from '../base/bytes.ts'
import { jsonOrUndefined, writeJson } from '../base/json.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText, type ListenerTls, type TcpListener, type TcpStream } from '../env/net.ts'
import type { AgentClient } from './agent-client.ts'
import { refusalText } from './following.ts'
import { type Identity, type MeshIdentity, serviceOf } from './identity.ts'
import { dialHost, listenAt } from './listening.ts'
import type { InboundPlan } from './plan.ts'
import { Refusals } from './refusals.ts'
import { Splices } from './splices.ts'

const authorizeTimeoutMs = 10_000
const authorizeAnswer = z.object({ Authorized: z.boolean(), Reason: z.string() })

export interface InboundParts {
  readonly env: Env
  readonly api: AgentClient
  readonly identity: MeshIdentity
  readonly service: string
  readonly plan: InboundPlan
}

/** Accepts mesh connections for the local service from the services that its agent authorizes. */
export class Inbound implements Closable {
  readonly plan: InboundPlan
  readonly #parts: InboundParts
  readonly #splices: Splices
  readonly #refusals: Refusals
  #listener: TcpListener | undefined
  #watching: Closable | undefined

  private constructor(parts: InboundParts) {
    this.#parts = parts
    this.plan = parts.plan
    this.#splices = new Splices(parts.env, parts.plan.listen)
    this.#refusals = new Refusals(parts.env)
  }

  /** Opened once there is a leaf to present. The error is a clause for the log. */
  static async open(parts: InboundParts): Promise<Result<Inbound, string>> {
    const identity = await parts.identity.ready()
    if (identity === undefined) return err('the proxy ends')
    const inbound = new Inbound(parts)
    const take = (stream: TcpStream): void => inbound.#take(stream)
    const shown = parts.identity.current ?? identity
    const listening = await listenAt(parts.env, parts.plan.listen, take, inbound.#shown(shown))
    if (!listening.ok) return listening
    inbound.#listener = listening.value
    inbound.#watching = parts.identity.onChange((next) => listening.value.renewTls(inbound.#shown(next)))
    // There may be a newer one, obtained while the listener was opened.
    const { current = identity } = parts.identity
    if (current !== shown) listening.value.renewTls(inbound.#shown(current))
    return ok(inbound)
  }

  #shown({ listening }: Identity): ListenerTls {
    return { ...listening, onRefused: (from, why) => this.#refusals.strange(from, why) }
  }

  get local(): Endpoint {
    return this.#listener?.local ?? this.plan.listen
  }

  /** Accepts no more connections. Settles when all open ones have ended. */
  drain(): Promise<void> {
    this.#watching?.close()
    this.#listener?.close()
    return this.#splices.over()
  }

  close(): void {
    this.#watching?.close()
    this.#listener?.close()
    this.#splices.close()
  }

  #take(stream: TcpStream): void {
    const { env } = this.#parts
    const splice = this.#splices.begin(stream)
    if (splice === undefined) return
    env.detach(
      this.#admit(stream).then((admitted) => {
        if (admitted.ok) return splice.join(admitted.value)
        this.#refusals.refused(stream.remote, admitted.error)
        return splice.close()
      }),
    )
  }

  /** Connects an authorized peer with the local service. */
  async #admit(stream: TcpStream): Promise<Result<TcpStream, string>> {
    const { env, identity, plan } = this.#parts
    const { current } = identity
    const client = current === undefined ? undefined : serviceOf(stream.peer, current.domains)
    if (client === undefined) return err('it shows no certificate for a service of this mesh')
    const authorized = await this.#authorize(client.uri)
    if (!authorized.ok) return authorized
    const dialled = await dialHost(env, plan.local, plan.connectTimeoutMs)
    return dialled.ok ? dialled : err(`the service at ${endpointText(plan.local)} does not answer: ${dialled.error}`)
  }

  /** If the agent cannot be asked, every connection is refused. */
  async #authorize(uri: string): Promise<Result<undefined, string>> {
    const { api, service } = this.#parts
    const answer = await api.ask({
      method: 'POST',
      path: '/v1/agent/connect/authorize',
      body: utf8(writeJson({ Target: service, ClientCertURI: uri, ClientCertSerial: '' })),
      timeoutMs: authorizeTimeoutMs,
    })
    if (!answer.ok) return answer
    if (answer.value.status !== 200) return err(refusalText(answer.value))
    const read = authorizeAnswer.safeParse(jsonOrUndefined(answer.value.body))
    if (!read.success) return err('the agent does not answer whether the client may connect')
    return read.data.Authorized ? ok(undefined) : err(read.data.Reason)
  }
}
