import { uuidOf } from '../../../src/base/uuid.ts'
import type { Env } from '../../../src/env/env.ts'
import { catalogDeregister, catalogRegister } from '../../../src/features/catalog/commands.ts'
import type { RouteResponse } from '../../../src/features/contract/route.ts'
import { sessionExpiry } from '../../../src/features/session/duty.ts'
import type { CheckFacts, NodeFacts } from '../../../src/model/catalog.ts'
import { HandClock } from './hand-clock.ts'
import { LoneServer } from './lone-server.ts'

/** A lone server with nodes, checks and sessions on them, whose clock stands until a test moves it. */
export class SessionWorld {
  readonly clock = new HandClock()
  readonly server: LoneServer
  /** Names of the reported metrics. */
  readonly metrics = new Set<string>()
  /** Whatever was drawn, as an ID. */
  readonly drawn: string[] = []

  constructor() {
    const randomBytes = (length: number) => {
      const bytes = new Uint8Array(length).fill(this.drawn.length + 1)
      this.drawn.push(uuidOf(bytes))
      return bytes
    }
    const crypto = { randomBytes }
    const note = (name: string): void => void this.metrics.add(name)
    const metrics = { count: note, gauge: note, sample: note }
    this.server = new LoneServer({ ...this.clock.env, crypto, metrics } as unknown as Env)
  }

  /** `node-a`, alive, and the leader's care for time. */
  static async begun(): Promise<SessionWorld> {
    const world = new SessionWorld()
    await world.node('node-a')
    await world.check('node-a', 'serfHealth', 'passing')
    world.server.begin(sessionExpiry)
    return world
  }

  node(node: string): Promise<unknown> {
    return this.#register(node, [])
  }

  check(node: string, checkId: string, status: string): Promise<unknown> {
    const name = checkId
    const facts = {
      node,
      checkId,
      name,
      status,
      notes: '',
      output: '',
      serviceId: '',
      serviceName: '',
      serviceTags: [],
    }
    return this.#register(node, [{ ...facts, definition: null }])
  }

  #register(name: string, checks: readonly CheckFacts[]): Promise<unknown> {
    const node: NodeFacts = { id: '', node: name, address: '10.0.0.1', taggedAddresses: null, meta: null }
    return this.server.context.propose(catalogRegister, { node, skipNodeUpdate: false, service: null, checks })
  }

  deregister(node: string, checkId = ''): Promise<unknown> {
    return this.server.context.propose(catalogDeregister, { node, serviceId: '', checkId })
  }

  /** Creates a session and answers its ID. */
  async create(body: object = {}): Promise<string> {
    const { ID } = jsonOf(await this.server.request('PUT', '/v1/session/create', JSON.stringify(body))) as {
      ID: string
    }
    return ID
  }

  async request(...args: Parameters<LoneServer['request']>): Promise<unknown> {
    return jsonOf(await this.server.request(...args))
  }

  /** IDs of the sessions that there are. */
  async sessions(): Promise<readonly string[]> {
    return ((await this.request('GET', '/v1/session/list')) as { ID: string }[]).map(({ ID }) => ID)
  }

  async renew(id: string): Promise<RouteResponse> {
    return this.server.request('PUT', `/v1/session/renew/${id}`)
  }

  /** The entry of a key, or undefined. */
  async entry(key: string): Promise<Record<string, unknown> | undefined> {
    const response = await this.server.request('GET', `/v1/kv/${key}`)
    return response.kind === 'json' ? (response.value as Record<string, unknown>[])[0] : undefined
  }
}

function jsonOf(response: RouteResponse): unknown {
  if (response.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(response)}`)
  return JSON.parse(
    JSON.stringify(response.value, (_key, value) => (typeof value === 'bigint' ? Number(value) : value)),
  )
}

export function failureOf(response: RouteResponse): string {
  if (response.kind !== 'failure') throw new Error(`not a failure: ${JSON.stringify(response)}`)
  return `${response.failure.kind}: ${'message' in response.failure ? response.failure.message : ''}`
}
