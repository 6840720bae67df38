import { textOf } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpClientResponse } from '../../src/env/http.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { headerSaid } from '../../src/model/naming/names.ts'
import { pause } from '../../src/model/pause.ts'
import type { ConnectionEnd, ProxyRoots, SeenLeaf } from '../checkers/mesh/mesh-facts.ts'
import type { MeshLaws } from '../checkers/mesh/mesh-laws.ts'
import { tokenHeaders } from './key-client.ts'

/** An agent waits up to a sixteenth longer than requested, and its answer takes time. */
const answerLateMs = 10_000
/** Pause after a request without an answer. */
const askAgainMs = 1_000

export interface ProxyPlan {
  /** `shop-3 at c1` */
  readonly name: string
  readonly service: string
  readonly agent: string
  readonly endpoint: Endpoint
  /** How long a blocking query waits on the agent. */
  readonly waitMs: number
}

export interface ProxyWorld {
  /** Time of the clock on the proxy's machine, which is that of its agent. */
  readonly wallMs: () => number
  readonly mesh: () => MeshLaws | undefined
  /** Empty: no token. */
  readonly token: () => string
}

interface RootsText {
  readonly ActiveRootID: string
  readonly Roots: readonly {
    readonly ID: string
    readonly Active: boolean
    readonly RootCert: string
    readonly IntermediateCerts: readonly string[] | null
  }[]
}

interface LeafText {
  readonly SerialNumber: string
  readonly CertPEM: string
  readonly PrivateKeyPEM: string
}

/** A proxy beside an agent: it has a leaf and trusted roots, and follows both by blocking queries. */
export class MeshProxy {
  readonly #env: Env
  readonly #plan: ProxyPlan
  readonly #world: ProxyWorld
  #leaf: SeenLeaf | undefined
  #roots: ProxyRoots | undefined
  #round = 0
  /** The last answer when it was given no leaf. */
  #refusal = 'it has sent no request yet'

  constructor(env: Env, plan: ProxyPlan, world: ProxyWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  get name(): string {
    return this.#plan.name
  }

  get agent(): string {
    return this.#plan.agent
  }

  get mesh(): MeshLaws | undefined {
    return this.#world.mesh()
  }

  /** The leaf that it presents and the roots that it trusts; undefined: it has no leaf, or no roots yet. */
  get end(): ConnectionEnd | undefined {
    if (this.#leaf === undefined || this.#roots === undefined) return undefined
    return { name: this.#plan.name, leaf: this.#leaf, roots: this.#roots, wallMs: this.#world.wallMs() }
  }

  /** How it differs from the cluster's present state; undefined: it does not. */
  get behind(): string | undefined {
    const { end } = this
    if (end === undefined)
      return `${this.name} has ${this.#leaf === undefined ? `no leaf (${this.#refusal})` : 'no roots'}`
    if (this.#world.mesh()?.isCurrent(end.leaf, end.roots) === true) return undefined
    return `${this.name} has leaf ${end.leaf.certificate.serial}, which expires in ${Math.round((end.leaf.certificate.notAfterMs - end.wallMs) / 1000)}s, and the roots ${end.roots.key}`
  }

  start(): void {
    this.#round++
    this.#env.detach(this.#follow(this.#round, '/v1/agent/connect/ca/roots', (answer) => this.#rootsTold(answer)))
    const target = `/v1/agent/connect/ca/leaf/${this.#plan.service}`
    this.#env.detach(this.#follow(this.#round, target, (answer) => this.#leafGiven(answer)))
  }

  stop(): void {
    this.#round++
  }

  async #follow(round: number, path: string, take: (answer: HttpClientResponse) => void): Promise<void> {
    const { endpoint, waitMs } = this.#plan
    let index = '0'
    while (this.#round === round) {
      const target = `${path}?index=${index}&wait=${Math.ceil(waitMs / 1000)}s`
      const timeoutMs = Math.ceil(waitMs * 1.0625) + answerLateMs
      const headers = tokenHeaders(this.#world.token())
      const answer = await this.#env.http.request(endpoint, { method: 'GET', target, headers, timeoutMs })
      if (this.#round !== round) return
      if (answer.ok && answer.value.status === 200) {
        index = headerSaid(answer.value.headers, 'index') ?? '0'
        take(answer.value)
        continue
      }
      if (answer.ok) this.#refusal = `${answer.value.status} ${textOf(answer.value.body).trim().slice(0, 120)}`
      else this.#refusal = answer.error.kind
      index = '0'
      await pause(this.#env, askAgainMs)
    }
  }

  #rootsTold({ body }: HttpClientResponse): void {
    const { ActiveRootID, Roots } = JSON.parse(textOf(body)) as RootsText
    if (Roots.length === 0) return
    const roots = Roots.map(({ ID, Active, RootCert, IntermediateCerts }) => ({
      id: ID,
      active: Active,
      certificate: RootCert,
      intermediates: IntermediateCerts ?? [],
    }))
    this.#roots = this.#world.mesh()?.told(this.#plan.agent, ActiveRootID, roots)
  }

  #leafGiven({ body }: HttpClientResponse): void {
    const { CertPEM, PrivateKeyPEM } = JSON.parse(textOf(body)) as LeafText
    const { name, service } = this.#plan
    this.#leaf = this.#world.mesh()?.given(name, service, CertPEM, PrivateKeyPEM) ?? this.#leaf
  }
}
