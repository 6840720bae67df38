import { type Authorizer, unrestricted } from '../../../src/access/authorizer.ts'
import { features } from '../../../src/agent/assembly/features.ts'
import { encodeToPropose } from '../../../src/agent/replication/command-codec.ts'
import { resultOf } from '../../../src/agent/replication/command-outcome.ts'
import { OpenStates } from '../../../src/agent/replication/open-states.ts'
import { ReplicatedState } from '../../../src/agent/replication/state-machine.ts'
import { outcomeWithoutEntry } from '../../../src/agent/requests/serving/without-entry.ts'
import { byteString, utf8 } from '../../../src/base/bytes.ts'
import { pack, unpack } from '../../../src/base/msgpack.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Closable } from '../../../src/env/async.ts'
import type { Env } from '../../../src/env/env.ts'
import { permissionDenied } from '../../../src/features/contract/access.ts'
import type { AgentAccess, ServerAccess } from '../../../src/features/contract/access-control.ts'
import type { CallOptions } from '../../../src/features/contract/call.ts'
import type { LeaderDuty } from '../../../src/features/contract/duty.ts'
import type { EndpointDefinition, ServerEndpoint, WriteEndpoint } from '../../../src/features/contract/endpoint.ts'
import type { LocalServices, ReceivedEvents } from '../../../src/features/contract/local-services.ts'
import type { MeshFederation, MeshLeaves, MeshSettings } from '../../../src/features/contract/mesh.ts'
import type { ReadOptions } from '../../../src/features/contract/reading.ts'
import type { HttpMethod, RouteResponse } from '../../../src/features/contract/route.ts'
import type { AgentSelf, RouteContext } from '../../../src/features/contract/route-context.ts'
import type { KnownServer, ServerContext, ServerDuty, WanView } from '../../../src/features/contract/server-context.ts'
import { lastReplaced } from '../../../src/features/snapshot/views.ts'
import type { Pool } from '../../../src/gossip/pool.ts'
import { parseQuery } from '../../../src/http/query-parameters.ts'
import { routeTable } from '../../../src/http/route-table.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { firstChange, greater, logIndexOf, noIndex, noTerm, termOf } from '../../../src/model/log-position.ts'
import { labelsOf } from '../../../src/model/metric-labels.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { newestRelease } from '../../../src/model/release.ts'
import type { ClusterHealth } from '../../../src/model/server-health.ts'
import type { TrustDomains } from '../../../src/pki/trust-domains.ts'
import type { ConfigurationChange, RequestRefusal } from '../../../src/raft/core/types.ts'
import type { Raft, RaftStatus } from '../../../src/raft/raft.ts'
import type { ReadTransaction, StateHook } from '../../../src/store/types.ts'

/**
 * One server that commits at once what is proposed to it, and an agent that asks it alone: endpoints, commands and
 * routes run as they do in an agent, without Raft, sockets or time. Everything that would travel is packed and
 * unpacked.
 */
export class LoneServer {
  readonly state: ReplicatedState
  /** Options of the reads that routes asked for, in order. */
  readonly reads: ReadOptions[] = []
  readonly configurationChanges: ConfigurationChange[] = []
  /** What the next configuration change is refused with. */
  refusal: RequestRefusal | undefined
  /** What the next proposal is refused with. */
  failNext: Failure | undefined
  servers: readonly KnownServer[] = []
  sessionTtlMinMs = 10_000
  readonly discoveryMaxStaleMs: number = 0
  health: ClusterHealth | undefined
  raftStatus: RaftStatus = {
    role: 'leader',
    term: termOf(2),
    leader: { id: 'id-a', address: '10.0.0.1:8300' },
    commitIndex: logIndexOf(9),
    appliedIndex: logIndexOf(9),
    lastIndex: logIndexOf(9),
    lastTerm: termOf(2),
    snapshotIndex: noIndex,
    snapshotTerm: noTerm,
    configuration: { servers: [{ id: 'id-a', address: '10.0.0.1:8300', suffrage: 'voter' }] },
    configurationIndex: logIndexOf(1),
    pendingProposals: 0,
    diskIsFull: false,
    lastContactMs: 0,
  }
  self: AgentSelf = {
    nodeName: 'node-a',
    nodeId: 'id-a',
    datacenter: 'dc1',
    translatesAddresses: false,
    server: true,
    version: '1.4.0',
    revision: 'abc',
    advertise: { host: '10.0.0.1', port: 8301 },
    nodeMeta: { 'svc-network-segment': '' },
    isDebugged: true,
    debugConfig: { Datacenter: 'dc1' },
    stats: { build: { version: '1.4.0' } },
  }
  /** What a whole agent has besides, where a test gives it. */
  local: LocalServices | undefined
  lan: Pool | undefined
  wan: Pool | undefined
  wanView: WanView | undefined
  events: ReceivedEvents | undefined
  leaves: MeshLeaves | undefined
  notReady: readonly string[] = []
  join: RouteContext['join'] | undefined
  joinWan: RouteContext['joinWan'] | undefined
  leave: RouteContext['leave'] | undefined
  reload: RouteContext['reload'] | undefined
  /** What servers of other datacenters answer; absent: there are none. */
  askElsewhere: ((datacenter: string, call: CallOptions) => Promise<Result<unknown, Failure>>) | undefined
  /** The rights of the caller. */
  authorizer: Authorizer = unrestricted
  /** Of every request, with names in lower case. */
  headers: ReadonlyMap<string, string> = new Map()
  /** The rights of a token; absent: the caller has those of `authorizer`. */
  resolve: ((token: string) => Result<Authorizer, Failure>) | undefined
  /** How requests are made. */
  call: CallOptions = {}
  accessControl: AgentAccess | undefined
  /** Of the mesh; undefined: there is none. */
  trustDomains: TrustDomains | undefined
  serverAccess: ServerAccess | undefined
  mesh: MeshSettings | undefined
  federation: MeshFederation | undefined
  /** What a server of an earlier build does not know. */
  readonly unknownMethods = new Set<string>()
  /** Largest answer that this server gives to a read of another datacenter. */
  answerBytesMax: number | undefined
  /** Servers of other datacenters. */
  readonly peers = new Map<string, LoneServer>()
  readonly #duties = new Map<LeaderDuty, Closable>()
  readonly context: ServerContext
  readonly agent: RouteContext

  /** `env` is needed only by what keeps time; `hooks` run beside those of the features. */
  constructor(env?: Env, hooks: readonly StateHook[] = []) {
    this.state = new ReplicatedState({
      tables: features.flatMap((feature) => feature.tables ?? []),
      commands: features.flatMap((feature) => feature.commands ?? []),
      store: { digest: true, hooks: [...features.flatMap((feature) => feature.hooks ?? []), ...hooks] },
    })
    const silent = { count: () => {}, gauge: () => {}, sample: () => {} }
    const unused = { clock: { monoMs: () => 0, wallMs: () => 0 }, metrics: silent, ...env } as unknown as Env
    this.context = this.#serverContext(unused)
    this.agent = this.#agentContext(unused)
  }

  get index(): number {
    return this.state.store.index
  }

  read(): ReadTransaction {
    return this.state.store.read()
  }

  /**
   * Begins a duty, as a leader does that has caught up. `resign` ends it. `start`: what begins it in place of its own
   * start; the duty itself is shared by all servers of the process, and is not changed.
   */
  begin(duty: ServerDuty, start: ServerDuty['start'] = duty.start): void {
    this.#duties.set(duty, start(this.context))
  }

  resign(): void {
    for (const running of this.#duties.values()) running.close()
    this.#duties.clear()
  }

  /**
   * Sends a request to the one route that its path belongs to. `target` as in a request line, percent-decoded only in
   * the query.
   */
  async request(method: HttpMethod, target: string, body: string | Uint8Array = ''): Promise<RouteResponse> {
    const [path = '', query = ''] = target.split('?')
    const routes = features.flatMap((feature) => feature.routes ?? [])
    const match = routeTable(routes).match(path)
    const operation = match.kind === 'route' ? match.mounted.operations[method] : undefined
    if (match.kind !== 'route' || operation === undefined) throw new Error(`no route for ${method} ${path}`)
    const parameters = parseQuery(query)
    if (!parameters.ok) throw new Error(parameters.error)
    return operation.handle(this.agent, {
      method,
      rest: byteString(match.rest),
      query: parameters.value,
      headers: () => this.headers,
      body: typeof body === 'string' ? utf8(body) : body,
      call: this.call,
    })
  }

  /** With whose rights an endpoint is served. */
  #entered({ access }: EndpointDefinition, args: unknown, token = ''): Result<Authorizer, Failure> {
    if (access.kind === 'open') return ok(unrestricted)
    const found = this.resolve === undefined ? ok(this.authorizer) : this.resolve(token)
    if (!found.ok || found.value.unrestricted || access.kind === 'within') return found
    const refusal = access.refused?.(found.value, args, this.read())
    return refusal === undefined ? found : err(refusal.instead ?? permissionDenied())
  }

  #serverContext(env: Env): ServerContext {
    const lone = this
    return {
      env,
      naming: svcNaming,
      raft: {
        status: () => lone.raftStatus,
        hasCaughtUp: () => true,
        untilCaughtUp: async () => undefined,
        leadsSettled: () => true,
        transferLeadership: async () => ok(undefined),
        changeConfiguration: async (change: ConfigurationChange) => {
          if (lone.refusal !== undefined) return err(lone.refusal)
          lone.configurationChanges.push(change)
          return ok(10)
        },
      } as unknown as Raft,
      release: newestRelease,
      get datacenter() {
        return lone.self.datacenter
      },
      get accessControl() {
        return lone.serverAccess
      },
      get mesh() {
        return lone.mesh
      },
      get federation() {
        return lone.federation
      },
      get isPrimary() {
        return lone.federation === undefined
      },
      get sessionTtlMinMs() {
        return lone.sessionTtlMinMs
      },
      read: () => lone.read(),
      async propose(command, body, identity) {
        const failure = lone.failNext
        lone.failNext = undefined
        if (failure !== undefined) return err(failure)
        const known = await outcomeWithoutEntry(
          { state: lone.state, leads: () => lone.context.leads() },
          command,
          body,
          identity,
        )
        if (known !== undefined) return known
        const payload = encodeToPropose(command, body, identity)
        if (!payload.ok) return payload
        const applied = lone.state.apply({
          index: logIndexOf(lone.index + 1 - (lastReplaced(lone.read())?.ahead ?? 0)),
          term: termOf(1),
          kind: 'command',
          payload: payload.value,
        })
        lone.state.applied()
        return resultOf(command, applied)
      },
      earlier: (command, identity) => (identity === undefined ? undefined : lone.state.outcomeOf(identity, command)),
      writeElsewhere: (endpoint, args, to) => lone.agent.write(endpoint, args, to),
      readElsewhere: (endpoint, args, read, token) => lone.agent.query(endpoint, args, read, { token }),
      leads: async () => (lone.raftStatus.role === 'leader' ? ok(undefined) : err({ kind: 'no-leader' })),
      archives: new OpenStates(env, lone.state.store),
      coming: lone.state.coming(env),
      duty: (duty) => lone.#duties.get(duty) as ReturnType<typeof duty.start> | undefined,
      watch: (look, use) => lone.state.store.watch(look, use),
      health: () => lone.health,
      servers: () => lone.servers,
      fireEvent: () => absent('a pool'),
      keys: (pool, request) => (pool === 'lan' ? lone.lan : lone.wan)?.keys(request),
      wan: () => lone.wanView,
    }
  }

  #agentContext(env: Env): RouteContext {
    const lone = this
    return {
      authorizer: async ({ token = '' }) => (this.resolve === undefined ? ok(this.authorizer) : this.resolve(token)),
      env,
      release: newestRelease,
      naming: svcNaming,
      aliases: ['consul'],
      telemetry: { prefix: 'svc', node: labelsOf(['node', 'n1']), exposition: () => undefined },
      get discoveryMaxStaleMs(): number {
        return lone.discoveryMaxStaleMs
      },
      // It serves what it is asked, whatever the endpoint needs of it.
      write: async <Args, Reply>(
        endpoint: WriteEndpoint<Args, Reply, ServerContext>,
        args: Args,
        { datacenter, token }: CallOptions,
      ) => {
        const peer = datacenter === undefined ? undefined : this.peers.get(datacenter)
        if (peer !== undefined) return peer.agent.write(endpoint, args, token === undefined ? {} : { token })
        if (datacenter !== undefined) return err({ kind: 'unknown-datacenter', datacenter })
        const given = checked(endpoint, args)
        const rights = this.#entered(endpoint, given, token)
        if (!rights.ok) return rights
        return travelled(await endpoint.serve(this.context, given, undefined, rights.value))
      },
      query: async (endpoint, args, read, call) => {
        this.reads.push(read)
        const peer = this.peers.get(read.datacenter)
        if (peer !== undefined) {
          if (peer.unknownMethods.has(endpoint.method)) return err({ kind: 'unknown-method', method: endpoint.method })
          const answer = await peer.agent.query(endpoint, args, { ...read, datacenter: '' }, call)
          const isLong = peer.answerBytesMax !== undefined && pack(answer).length > peer.answerBytesMax
          return isLong ? err({ kind: 'too-large', message: 'the answer is too long' }) : answer
        }
        if (read.datacenter !== '') return err({ kind: 'unknown-datacenter', datacenter: read.datacenter })
        const given = checked(endpoint, args)
        const rights = this.#entered(endpoint, given, call.token)
        if (!rights.ok) return rights
        const found = endpoint.query(this.read(), given)
        const { index } = found
        const { access } = endpoint
        const isLess = access.kind === 'filters' && !rights.value.unrestricted
        const value = isLess ? access.filter(rights.value, found.value, given, this.read()) : found.value
        return travelled(
          ok({ value, meta: { index: greater(index, firstChange), knownLeader: true, lastContactMs: 0 } }),
        )
      },
      cached: async (endpoint, args, read, _freshness, call) => {
        const answer = await this.agent.query(endpoint, args, { ...read, consistency: 'stale' }, call)
        return answer.ok ? ok({ answer: answer.value, hit: false, ageMs: 0 }) : answer
      },
      ask: async <Args, Reply>(
        endpoint: ServerEndpoint<Args, Reply, ServerContext>,
        args: Args,
        read: ReadOptions,
        call: CallOptions,
      ) => {
        this.reads.push(read)
        if (read.datacenter !== '' && this.askElsewhere !== undefined) {
          return (await this.askElsewhere(read.datacenter, call)) as never
        }
        const peer = this.peers.get(read.datacenter)
        if (peer !== undefined) return peer.agent.ask(endpoint, args, { ...read, datacenter: '' }, call)
        if (this.unknownMethods.has(endpoint.method)) return err({ kind: 'unknown-method', method: endpoint.method })
        if (read.datacenter !== '') return err({ kind: 'unknown-datacenter', datacenter: read.datacenter })
        const given = checked(endpoint, args)
        const rights = this.#entered(endpoint, given, call.token)
        return rights.ok ? travelled(await endpoint.serve(this.context, given, rights.value)) : rights
      },
      get accessControl() {
        return lone.accessControl
      },
      self: () => this.self,
      trustDomains: async () => ok(lone.trustDomains),
      reasonsNotReady: () => this.notReady,
      get local(): LocalServices {
        return lone.local ?? absent('local services and checks')
      },
      get events(): ReceivedEvents {
        return lone.events ?? absent('user events')
      },
      get mesh(): MeshLeaves | undefined {
        return lone.leaves
      },
      get wan(): Pool | undefined {
        return lone.wan
      },
      get lan(): Pool {
        return lone.lan ?? absent('a pool')
      },
      joinWan: (addresses) => (lone.joinWan ?? (() => absent('a pool of all datacenters')))(addresses),
      join: (addresses) => (lone.join ?? (() => absent('a pool')))(addresses),
      leave: () => (lone.leave ?? (() => absent('a cluster')))(),
      reload: () => (lone.reload ?? (() => absent('configuration files')))(),
    }
  }
}

/** What only a whole agent has. */
function absent(what: string): never {
  throw new Error(`a lone server has not got ${what}`)
}

/** Arguments as the serving side has them: travelled, and through the endpoint's schema. */
function checked<Args>(endpoint: Pick<EndpointDefinition, 'method' | 'args'>, args: Args): Args {
  const parsed = endpoint.args.safeParse(overTheWire(args))
  if (!parsed.success) throw new Error(`${endpoint.method}: ${parsed.error.message}`)
  return parsed.data as Args
}

function travelled<T>(result: Result<T, Failure>): Result<T, Failure> {
  return overTheWire(result)
}

function overTheWire<T>(value: T): T {
  const back = unpack(pack(value))
  if (!back.ok) throw new Error(back.error)
  return back.value as T
}
