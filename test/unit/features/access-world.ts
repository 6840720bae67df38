import { type Authorizer, unrestricted } from '../../../src/access/authorizer.ts'
import type { LeafSource } from '../../../src/agent/mesh/leaf-source.ts'
import { Leaves } from '../../../src/agent/mesh/leaves.ts'
import { emptyBytes } from '../../../src/base/bytes.ts'
import { writeJson } from '../../../src/base/json.ts'
import { done, ok } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { IssuedLeaf } from '../../../src/features/contract/mesh.ts'
import type { HttpMethod, RouteResponse } from '../../../src/features/contract/route.ts'
import { coordinateBatch } from '../../../src/features/coordinate/commands.ts'
import type { Pool } from '../../../src/gossip/pool.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { failureStatus } from '../../../src/http/failure-status.ts'
import type { CheckFacts, ServiceFacts } from '../../../src/model/catalog.ts'
import { failureText } from '../../../src/model/failure.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import type { UserEvent } from '../../../src/model/remote-exec.ts'
import { clientMember } from '../agent/fake-pool.ts'
import { LoneServer } from './lone-server.ts'

export const gossipKey = 'cg8StVXbQJ0gPvMd9o7yrg=='
const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const coordinate = { vec: [0, 0, 0, 0, 0, 0, 0, 0], error: 0.5, adjustment: 0, height: 0.01 }

const web: ServiceFacts = {
  ...{ kind: '', id: 'web', service: 'web', tags: ['v1'], address: '', meta: null, port: 80 },
  weights: { passing: 1, warning: 1 },
  enableTagOverride: false,
}

const webProxy: ServiceFacts = { ...web, kind: 'connect-proxy', id: 'web-proxy', service: 'web-proxy', port: 20_000 }

function check(checkId: string, serviceName: string): CheckFacts {
  const facts = { node: 'node-a', checkId, name: checkId, status: 'passing', notes: '', output: '' }
  return { ...facts, serviceId: serviceName, serviceName, serviceTags: [], definition: null }
}

const deploy: UserEvent = {
  id: '11111111-1111-1111-1111-111111111111',
  ...{ name: 'deploy', payload: new Uint8Array(), nodeFilter: '', serviceFilter: '', tagFilter: '', lamport: 1 },
}

/** A whole answer as a client has it. */
export interface Told {
  readonly status: number
  readonly body: string
}

/** One server that has some of everything, its agent, and a caller whose rights a test says. */
export class AccessWorld {
  readonly env: Env
  readonly server: LoneServer
  /** What happened to the agent. */
  readonly happened: string[] = []
  readonly logged: unknown[] = []
  /** IDs of what was made. */
  session = ''
  query = ''
  unnamed = ''
  intention = ''
  archive: Uint8Array = emptyBytes

  private constructor() {
    this.env = {
      ...host,
      log: {
        enabled: () => true,
        write: (...line: readonly unknown[]) => void this.logged.push(line),
        follow: (level, use) => host.log.follow(level, use),
      },
    }
    this.server = new LoneServer(this.env)
    this.#agentParts()
  }

  static async begun(): Promise<AccessWorld> {
    const world = new AccessWorld()
    await world.#fill()
    return world
  }

  /** Asks with these rights. */
  async ask(authorizer: Authorizer, line: string, body = ''): Promise<Told> {
    return told(await this.respond(authorizer, line, body))
  }

  /** What the route answers, before any of it is written. */
  async respond(authorizer: Authorizer, line: string, body = ''): Promise<RouteResponse> {
    const [method, target] = line.split(' ') as [HttpMethod, string]
    this.server.authorizer = authorizer
    try {
      return await this.server.request(method, this.named(target), body === 'ARCHIVE' ? this.archive : this.named(body))
    } finally {
      this.server.authorizer = unrestricted
    }
  }

  /** With the IDs of what was made in the place of their names. */
  named(text: string): string {
    return text
      .replace('SESSION', this.session)
      .replace('UNNAMED', this.unnamed)
      .replace('QUERY', this.query)
      .replace('INTENTION', this.intention)
  }

  async #fill(): Promise<void> {
    const checks = [
      { CheckID: 'disk', Name: 'disk', Status: 'passing' },
      { CheckID: 'web', Name: 'web', ServiceID: 'web', Status: 'passing' },
    ]
    const node = { Node: 'node-a', Address: '10.0.0.1', Service: { Service: 'web', Tags: ['v1'], Port: 80 } }
    await this.#put('/v1/catalog/register', { ...node, Checks: checks })
    await this.#put('/v1/kv/a/1', 'one')
    this.session = idOf(await this.#put('/v1/session/create', { Node: 'node-a', Checks: ['disk'] }))
    this.query = idOf(await this.#put('/v1/query', { Name: 'q', Token: 'secret', Service: { Service: 'web' } }, 'POST'))
    const unnamed = { Session: this.session, Service: { Service: 'web' } }
    this.unnamed = idOf(await this.#put('/v1/query', unnamed, 'POST'))
    const webToDb = { SourceName: 'web', DestinationName: 'db', Action: 'allow' }
    this.intention = idOf(await this.#put('/v1/connect/intentions', webToDb, 'POST'))
    const saved = await this.server.request('GET', '/v1/snapshot')
    if (saved.kind === 'bytes') this.archive = saved.bytes
    await this.server.context.propose(coordinateBatch, { updates: [{ node: 'node-a', segment: '', coordinate }] })
  }

  async #put(target: string, body: object | string, method: HttpMethod = 'PUT'): Promise<Told> {
    const answer = await this.ask(
      unrestricted,
      `${method} ${target}`,
      typeof body === 'string' ? body : JSON.stringify(body),
    )
    if (answer.status !== 200) throw new Error(`${target}: ${answer.body}`)
    return answer
  }

  #agentParts(): void {
    const note = (what: string): void => void this.happened.push(what)
    const { server } = this
    server.local = {
      services: () => [web],
      managedProxies: () => [{ proxy: webProxy, target: web, managed: { execMode: 'daemon', command: [] }, token: '' }],
      checks: () => [check('disk', ''), check('web', 'web')],
      service: (id) => (id === 'web' ? web : undefined),
      check: (id) => (id === 'disk' ? check('disk', '') : id === 'web' ? check('web', 'web') : undefined),
      onServicesChange: () => ({ close: () => {} }),
      registerService: async ({ service }) => {
        note(`register ${service.id}`)
        return done
      },
      deregisterService: async (id) => {
        note(`deregister ${id}`)
        return done
      },
      registerCheck: async ({ checkId }) => {
        note(`check ${checkId}`)
        return done
      },
      deregisterCheck: async (id) => {
        note(`no check ${id}`)
        return done
      },
      reportTtl: async (id, status) => {
        note(`${id} ${status}`)
        return done
      },
    }
    const pool = {
      members: () => [{ ...clientMember(1), name: 'node-a' }],
      self: () => clientMember(1),
      coordinateOf: () => coordinate,
      forceLeave: (name: string) => note(`force-leave ${name}`),
      fireEvent: (name: string) => {
        note(`fire ${name}`)
        return ok(undefined)
      },
      keys: async ({ action }: { action: string }) => {
        note(`keys ${action}`)
        return ok({ nodes: 1, answered: 1, errors: [], keys: [[gossipKey, 1]] })
      },
    } as unknown as Pool
    server.lan = pool
    server.wan = pool
    server.wanView = { own: coordinate, servers: [] }
    server.events = { list: () => [deploy], isStopped: false, onChange: () => ({ close: () => {} }) }
    server.leaves = new Leaves({
      env: this.env,
      source: numberedLeaves(),
      tokenOf: () => '',
      rightsOf: (call) => server.agent.authorizer(call),
    })
    server.join = async () => {
      note('join')
      return ok(1)
    }
    server.joinWan = async () => {
      note('join wan')
      return ok(1)
    }
    server.leave = async () => {
      note('leave')
      return done
    }
    server.reload = async () => {
      note('reload')
      return done
    }
  }
}

/** Not signed: rights are checked before. */
function numberedLeaves(): LeafSource {
  const roots = { activeRootId: 'r', trustDomain: 'x.svc', roots: [] }
  return {
    roots: async (minIndex) =>
      minIndex === 0 ? ok({ index: modifyIndexOf(1), list: roots }) : new Promise(() => undefined),
    request: async (service) => ({ requestPem: service, privateKeyPem: 'key' }),
    sign: async (service) => ok(leafOf(service)),
    memberCount: () => 1,
  }
}

function leafOf(service: string): IssuedLeaf {
  const times = { notBeforeMs: host.clock.wallMs(), notAfterMs: host.clock.wallMs() + 3_600_000 }
  const indexes = { createIndex: modifyIndexOf(1), modifyIndex: modifyIndexOf(1) }
  return {
    serialNumber: '01',
    certificates: 'leaf',
    rootId: 'r',
    service,
    serviceUri: 'spiffe://x',
    ...times,
    ...indexes,
  }
}

function idOf({ body }: Told): string {
  return (JSON.parse(body) as { readonly ID: string }).ID
}

function told(response: RouteResponse): Told {
  switch (response.kind) {
    case 'failure':
      return { status: failureStatus[response.failure.kind], body: failureText(response.failure) }
    case 'json':
      return { status: response.status ?? 200, body: writeJson(response.value) }
    case 'shared-json':
      return { status: 200, body: writeJson(response.json()) }
    case 'text':
      return { status: response.status, body: response.text }
    case 'empty':
      return { status: response.status, body: '' }
    case 'bytes':
      return { status: 200, body: `${response.bytes.length} bytes` }
    case 'stream':
      return { status: 200, body: 'a stream' }
  }
}
