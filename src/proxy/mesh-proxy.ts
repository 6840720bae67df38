import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText } from '../env/net.ts'
import type { AgentClient } from './agent-client.ts'
import { MeshIdentity } from './identity.ts'
import { Inbound } from './inbound.ts'
import type { InboundPlan, ProxyPlan, UpstreamPlan } from './plan.ts'
import { Upstream } from './upstream.ts'

/** A listener that could not be opened is tried again after this. */
const openAgainMs = 2_000
/** Maximum number of retired sides with open connections; beyond it, the one that was retired first is closed. */
const retiredMax = 64

/** One side of the proxy: a listener with its connections. */
interface Side extends Closable {
  readonly local: Endpoint
  drain(): Promise<void>
}

/** A side of the plan. */
interface Wanted {
  /** Fields for the log. */
  readonly fields: Readonly<Record<string, string>>
  open(): Promise<void>
}

const inboundKey = 'inbound '
const isInbound = (key: string): boolean => key.startsWith(inboundKey)

/**
 * Runs beside one service: accepts connections that intentions allow, and connects the service to others. It uses the
 * world only through its Env.
 */
export class MeshProxy implements Closable {
  readonly #env: Env
  readonly #api: AgentClient
  readonly #service: string
  readonly #identity: MeshIdentity
  /** By planned work; undefined while it is being opened. */
  readonly #sides = new Map<string, Side | undefined>()
  /** Retired sides, until their connections have ended, in the order of retirement. */
  readonly #retired = new Set<Side>()
  /** Timers for retrying sides that could not be opened. */
  readonly #openAgain = new Map<string, Closable>()
  #wanted = new Map<string, Wanted>()
  #closed = false

  constructor(env: Env, api: AgentClient, service: string) {
    this.#env = env
    this.#api = api
    this.#service = service
    this.#identity = new MeshIdentity(env, api, service)
  }

  /** Sides with an unchanged plan are not affected; new ones are opened, and others end when their connections do. */
  follow({ inbound, upstreams }: Pick<ProxyPlan, 'inbound' | 'upstreams'>): void {
    const before = this.#wanted
    this.#wanted = new Map<string, Wanted>()
    if (inbound !== undefined) this.#wantInbound(inbound)
    for (const plan of upstreams) this.#wantUpstream(plan)
    if (inbound === undefined && [...before.keys()].some(isInbound)) {
      const text = 'The proxy accepts no more connections for its service: the registration has no LocalServicePort'
      this.#env.log.write('warn', 'proxy', text, { service: this.#service })
    }
    for (const [key, side] of [...this.#sides]) {
      if (this.#wanted.has(key)) continue
      if (side !== undefined) this.#retire(key, side, before.get(key)?.fields ?? {})
      else if (this.#openAgain.has(key)) this.#forget(key)
    }
    this.#openWanted()
  }

  /** The address for connections to the service; undefined: not listening yet. */
  get inbound(): Endpoint | undefined {
    for (const [key, side] of this.#sides) if (isInbound(key)) return side?.local
    return undefined
  }

  /** The addresses at which the service reaches others, in arbitrary order. */
  get upstreams(): readonly Endpoint[] {
    return [...this.#sides].flatMap(([key, side]) =>
      key.startsWith('upstream ') && side !== undefined ? side.local : [],
    )
  }

  /**
   * Accepts no further connections; settles when the open ones have ended, or after this time, when they are broken.
   */
  async stop(withinMs: number): Promise<void> {
    const late = this.#env.deferred<void>()
    const timer = this.#env.timers.after(withinMs, () => late.resolve())
    this.#closed = true
    for (const key of [...this.#openAgain.keys()]) this.#forget(key)
    const drained = [...this.#sides.values(), ...this.#retired].map((side) => side?.drain())
    await Promise.race([Promise.all(drained), late.promise])
    timer.close()
    this.close()
  }

  close(): void {
    this.#closed = true
    for (const key of [...this.#openAgain.keys()]) this.#forget(key)
    this.#identity.close()
    for (const side of this.#sides.values()) side?.close()
    for (const side of this.#retired) side.close()
    this.#sides.clear()
    this.#retired.clear()
  }

  #openWanted(): void {
    for (const [key, { open }] of this.#wanted) {
      if (this.#sides.has(key)) continue
      this.#sides.set(key, undefined)
      this.#env.detach(open())
    }
  }

  #wantInbound(plan: InboundPlan): void {
    const key = `${inboundKey}${JSON.stringify(plan)}`
    const at = `${endpointText(plan.listen)} => ${endpointText(plan.local)}`
    const fields = { service: this.#service, at }
    const parts = { env: this.#env, api: this.#api, identity: this.#identity, service: this.#service, plan }
    this.#wanted.set(key, { fields, open: async () => this.#opened(key, await Inbound.open(parts), fields) })
  }

  #wantUpstream(plan: UpstreamPlan): void {
    const key = `upstream ${JSON.stringify(plan)}`
    const fields = { upstream: plan.name, at: endpointText(plan.listen) }
    const parts = { env: this.#env, api: this.#api, identity: this.#identity, plan }
    this.#wanted.set(key, { fields, open: async () => this.#opened(key, await Upstream.open(parts), fields) })
  }

  #opened(
    key: string,
    opened: { ok: true; value: Side } | { ok: false; error: string },
    fields: Wanted['fields'],
  ): void {
    if (this.#closed || !this.#wanted.has(key)) {
      this.#sides.delete(key)
      if (opened.ok) opened.value.close()
      return
    }
    if (opened.ok) {
      this.#sides.set(key, opened.value)
      this.#env.log.write('info', 'proxy', 'The proxy takes connections', fields)
      return
    }
    this.#env.log.write('error', 'proxy', opened.error, fields)
    const again = (): void => {
      this.#forget(key)
      this.#openWanted()
    }
    this.#openAgain.set(key, this.#env.timers.after(openAgainMs, again))
  }

  /** A side that could not be opened counts as never tried. */
  #forget(key: string): void {
    this.#openAgain.get(key)?.close()
    this.#openAgain.delete(key)
    this.#sides.delete(key)
  }

  #retire(key: string, side: Side, fields: Wanted['fields']): void {
    this.#env.log.write('info', 'proxy', 'The proxy closes a listener', fields)
    this.#sides.delete(key)
    this.#retired.add(side)
    const [oldest] = this.#retired
    if (this.#retired.size > retiredMax && oldest !== undefined) {
      const text =
        'Connections of a long replaced registration are broken: too many replaced ones still have connections'
      this.#env.log.write('warn', 'proxy', text, { at: endpointText(oldest.local) })
      this.#retired.delete(oldest)
      oldest.close()
    }
    this.#env.detach(
      side.drain().then(() => {
        this.#retired.delete(side)
        side.close()
      }),
    )
  }
}
