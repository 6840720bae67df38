import { type Authorizer, unrestricted } from '../../../src/access/authorizer.ts'
import type { RootsView } from '../../../src/agent/mesh/leaf-source.ts'
import { Leaves } from '../../../src/agent/mesh/leaves.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { IssuedLeaf, RootRow } from '../../../src/features/connect/model.ts'
import type { CallOptions, Freshness } from '../../../src/features/contract/call.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { modifyIndexOf, noChange } from '../../../src/model/log-position.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

export const hourMs = 3_600_000
export const lifeMs = 72 * hourMs
export const anyAge: Freshness = { revalidate: false }
export const noWait = { minIndex: noChange, waitMs: 0 }

/** Servers with one authority, whose leaves are numbered, and an agent that keeps some. */
export class LeafMesh {
  readonly clock = new HandClock()
  readonly leaves: Leaves
  readonly keys: string[] = []
  readonly signed: { readonly request: string; readonly token: string }[] = []
  /** Blocking reads of the roots that are under way. */
  readonly reads: ((answer: Result<RootsView, Failure>) => void)[] = []
  readonly denied = new Set<string>()
  readonly gone = new Set<string>()
  /** The only service that a token may write. */
  readonly only = new Map<string, string>()
  roots = ['r1']
  trustDomain = 'x'
  index = 7
  failing: Failure | undefined
  rootsFailing: Failure | undefined
  wallOffsetMs = 0
  /** From 0 to 1, of everything that is drawn. */
  drawn = 0
  members = 1
  /** Metrics, without what they begin with. */
  readonly counted: string[] = []
  /** Callers that ask for rights meanwhile wait for this. */
  asking: Promise<void> | undefined
  /** Signing waits for these. */
  held: Promise<void> | undefined

  constructor(wallOffsetMs = 0) {
    this.wallOffsetMs = wallOffsetMs
    const clock = this.clock
    const env = {
      ...clock.env,
      clock: { ...clock.env.clock, wallMs: () => clock.env.clock.wallMs() + this.wallOffsetMs },
      random: { draws: () => ({ fraction: () => this.drawn }) },
      metrics: { count: (name: string) => this.counted.push(name), gauge: () => undefined },
    } as unknown as Env
    this.leaves = new Leaves({
      env,
      tokenOf: ({ token }) => token ?? '',
      rightsOf: async ({ token = '' }) => {
        await this.asking
        return this.#rights(token)
      },
      source: {
        roots: (minIndex, onAbort) => this.#roots(minIndex, onAbort),
        request: async (service, trustDomain) => {
          const key = `key-${this.keys.length + 1}`
          this.keys.push(key)
          return { requestPem: `${key} of ${service} in ${trustDomain}`, privateKeyPem: key }
        },
        sign: (request, token) => this.#sign(request, token),
        memberCount: () => this.members,
      },
    })
  }

  #rights(token: string): Result<Authorizer, Failure> {
    if (this.gone.has(token)) return err({ kind: 'token-not-found' })
    if (this.denied.has(token))
      return ok({ ...unrestricted, unrestricted: false, allows: () => false, explain: denial })
    const only = this.only.get(token)
    if (only === undefined) return ok(unrestricted)
    const allows: Authorizer['allows'] = (_resource, name) => name === only
    return ok({ ...unrestricted, unrestricted: false, allows, explain: denial })
  }

  #roots(minIndex: number, onAbort: (use: () => void) => void): Promise<Result<RootsView, Failure>> {
    if (this.rootsFailing !== undefined) return Promise.resolve(err(this.rootsFailing))
    if (minIndex < this.index) return Promise.resolve(ok(this.view()))
    return new Promise((resolve) => {
      this.reads.push(resolve)
      onAbort(() => resolve(err({ kind: 'cancelled' })))
    })
  }

  async #sign(request: string, token: string): Promise<Result<IssuedLeaf, Failure>> {
    this.signed.push({ request, token })
    await this.held
    if (this.failing !== undefined) return err(this.failing)
    const notBeforeMs = this.clock.env.clock.monoMs() - 60_000
    return ok({
      serialNumber: String(this.signed.length),
      certificates: `leaf ${this.signed.length}`,
      rootId: this.roots.at(-1) ?? '',
      service: 'web',
      serviceUri: `spiffe://${this.trustDomain}/ns/default/dc/dc1/svc/web`,
      notBeforeMs,
      notAfterMs: notBeforeMs + lifeMs,
      createIndex: modifyIndexOf(this.index),
      modifyIndex: modifyIndexOf(this.index),
    })
  }

  view(): RootsView {
    const roots = this.roots.map((id) => ({ id }) as unknown as RootRow)
    return {
      index: modifyIndexOf(this.index),
      list: { activeRootId: this.roots.at(-1) ?? '', trustDomain: this.trustDomain, roots },
    }
  }

  /** The servers' roots are now these, the last one active; the agent is told. */
  async rotate(...roots: readonly string[]): Promise<void> {
    this.roots = [...roots]
    this.index += 10
    await this.tell()
  }

  async tell(): Promise<void> {
    for (const end of this.reads.splice(0)) end(ok(this.view()))
    await settled()
  }

  async ask(service = 'web', token = 't', wait = noWait, freshness = anyAge, options: CallOptions = {}) {
    const answer = await this.leaves.leaf(service, wait, freshness, { ...options, token })
    if (!answer.ok) return answer.error.kind
    const { held, index, hit } = answer.value
    return [held.leaf.serialNumber, held.privateKeyPem, index, hit ? 'HIT' : 'MISS']
  }
}

function denial() {
  return { allowed: false, by: { kind: 'default', policy: 'deny' } } as const
}
