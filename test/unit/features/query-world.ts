import type { Env } from '../../../src/env/env.ts'
import { catalogRegister } from '../../../src/features/catalog/commands.ts'
import type { QueryEndpoint } from '../../../src/features/contract/endpoint.ts'
import type { RouteResponse } from '../../../src/features/contract/route.ts'
import { coordinateBatch } from '../../../src/features/coordinate/commands.ts'
import { executeQuery, type QueryCall, type QueryReads } from '../../../src/features/query/execution.ts'
import { sessionExpiry } from '../../../src/features/session/duty.ts'
import type { TextPairs } from '../../../src/model/catalog.ts'
import { noChange } from '../../../src/model/log-position.ts'
import { HandClock } from './hand-clock.ts'
import { LoneServer } from './lone-server.ts'

export interface Instance {
  readonly node: string
  readonly service?: string
  readonly tags?: readonly string[]
  readonly address?: string
  /** Of the instance itself. */
  readonly ownAddress?: string
  readonly meta?: TextPairs
  /** Statuses by check ID: of the instance, or of the node where the ID begins with `node`. */
  readonly checks?: Readonly<Record<string, string>>
}

/** Servers that know prepared queries, sessions and a catalog; what is drawn is counted up. */
export class QueryWorld {
  readonly server: LoneServer
  readonly metrics = new Set<string>()
  readonly env: Env
  readonly clock = new HandClock()
  #uuids = 0
  #drawn = 0

  constructor() {
    const note = (name: string): void => void this.metrics.add(name)
    this.env = {
      ...this.clock.env,
      crypto: { randomBytes: (length: number) => new Uint8Array(length).fill(++this.#uuids) },
      metrics: { count: note, gauge: note, sample: note },
      random: { draws: () => ({ below: (bound: number) => (this.#drawn++ * 7_919) % bound, fraction: () => 0 }) },
    } as unknown as Env
    this.server = new LoneServer(this.env)
    this.server.begin(sessionExpiry)
  }

  async place(instance: Instance): Promise<void> {
    const { node, service = 'web', tags = [], address = '10.0.0.1', meta = null, checks = {} } = instance
    const { ownAddress = '' } = instance
    await this.server.context.propose(catalogRegister, {
      node: { id: '', node, address, taggedAddresses: null, meta },
      skipNodeUpdate: false,
      service: {
        ...{ kind: '', id: service, service, tags, address: ownAddress, meta: null, port: 80 },
        weights: { passing: 1, warning: 1 },
        enableTagOverride: false,
      },
      checks: Object.entries(checks).map(([checkId, status]) => {
        const serviceId = checkId.startsWith('node') ? '' : service
        const facts = { node, checkId, name: checkId, status, notes: '', output: '', serviceTags: [] }
        return { ...facts, serviceId, serviceName: serviceId, definition: null }
      }),
    })
  }

  /** Puts a node so many seconds away from the origin. */
  async locate(node: string, seconds: number): Promise<void> {
    const coordinate = { vec: [seconds, 0, 0, 0, 0, 0, 0, 0], error: 0.5, adjustment: 0, height: 0.01 }
    await this.server.context.propose(coordinateBatch, { updates: [{ node, segment: '', coordinate }] })
  }

  /** Creates a query and answers its ID. */
  async create(body: object): Promise<string> {
    const { ID } = jsonOf(await this.server.request('POST', '/v1/query', JSON.stringify(body))) as { ID: string }
    return ID
  }

  /** What is wrong with a query. */
  async refusal(body: object, target = '/v1/query'): Promise<string> {
    const method = target === '/v1/query' ? 'POST' : 'PUT'
    return refusalOf(await this.server.request(method, target, JSON.stringify(body)))
  }

  async json(target: string): Promise<unknown> {
    return jsonOf(await this.server.request('GET', target))
  }

  async failure(target: string): Promise<string> {
    return refusalOf(await this.server.request('GET', target))
  }

  /** Nodes of the instances that a query finds, in their order. */
  async nodes(idOrName: string, parameters = ''): Promise<readonly string[]> {
    const { Nodes } = (await this.json(`/v1/query/${idOrName}/execute${parameters}`)) as {
      Nodes: { Node: { Node: string } }[]
    }
    return Nodes.map(({ Node }) => Node.Node)
  }

  /** What a name would execute. */
  async explained(name: string): Promise<{ readonly Service: Record<string, unknown> }> {
    const { Query } = (await this.json(`/v1/query/${name}/explain`)) as { Query: { Service: Record<string, unknown> } }
    return Query
  }

  /** Asks the server, with nothing said of how. */
  plainly<Args, Reply>(endpoint: QueryEndpoint<Args, Reply>, args: Args) {
    const plain = { consistency: 'default', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' } as const
    return this.server.agent.query(endpoint, args, plain, {})
  }

  /** Takes over the state of another world, through a snapshot of it. */
  restoreFrom(other: QueryWorld): void {
    const [snapshot, restore] = [other.server.state.store.snapshot(), this.server.state.store.restore()]
    for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
    const finished = restore.finish()
    if (!finished.ok) throw new Error(finished.error)
  }

  /** Executes as an agent does that knows other datacenters. */
  execute(idOrName: string, reads: Partial<QueryReads>, call: Partial<QueryCall> = {}) {
    const own: QueryReads = {
      query: (endpoint, args) => this.plainly(endpoint, args),
      elsewhere: async () => ({ ok: false, error: { kind: 'unknown-method', method: 'x' } }),
      otherDatacenters: async () => ({ ok: true, value: [] }),
    }
    const place = { node: 'node-a', ownDatacenter: 'dc1', datacenter: 'dc1', segment: '' }
    const asked = { ...place, idOrName, connect: false, limit: 0, near: '', ip: '', ...call }
    return executeQuery(this.env, { ...own, ...reads }, asked)
  }
}

export function jsonOf(response: RouteResponse): unknown {
  if (response.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(response)}`)
  return JSON.parse(JSON.stringify(response.value))
}

function refusalOf(response: RouteResponse): string {
  if (response.kind !== 'failure') throw new Error(`not a failure: ${JSON.stringify(response)}`)
  return `${response.failure.kind}: ${'message' in response.failure ? response.failure.message : ''}`
}

export const web = { Service: { Service: 'web' } }
