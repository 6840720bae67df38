import { type Authorizer, unrestricted } from '../../../src/access/authorizer.ts'
import { encodeCommand } from '../../../src/agent/replication/command-codec.ts'
import { ReplicatedState } from '../../../src/agent/replication/state-machine.ts'
import type { DnsConfig } from '../../../src/agent/settings/agent-config.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { DnsTransport } from '../../../src/dns/answer.ts'
import type { DnsContext } from '../../../src/dns/catalog-reads.ts'
import { createDnsFace, type DnsFace } from '../../../src/dns/face.ts'
import type { DnsRecord, TypeName } from '../../../src/dns-wire/message.ts'
import { decodeResponse, encodeQuestion, type ReceivedResponse } from '../../../src/dns-wire/question.ts'
import type { Env } from '../../../src/env/env.ts'
import { catalogDeregister, catalogRegister } from '../../../src/features/catalog/commands.ts'
import { catalogFeature } from '../../../src/features/catalog/feature.ts'
import type { CommandDefinition } from '../../../src/features/contract/command.ts'
import type { QueryEndpoint, ServerEndpoint } from '../../../src/features/contract/endpoint.ts'
import type { Answer, ReadOptions } from '../../../src/features/contract/reading.ts'
import type { AgentSelf } from '../../../src/features/contract/route-context.ts'
import type { ServerContext } from '../../../src/features/contract/server-context.ts'
import { coordinateFeature } from '../../../src/features/coordinate/feature.ts'
import { queryCreate } from '../../../src/features/query/commands.ts'
import { queryFeature } from '../../../src/features/query/feature.ts'
import type { ServiceQuery } from '../../../src/features/query/model.ts'
import { sessionFeature } from '../../../src/features/session/feature.ts'
import type { CheckFacts, TextPairs } from '../../../src/model/catalog.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { labelsOf } from '../../../src/model/metric-labels.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { newestRelease, type Release } from '../../../src/model/release.ts'

const asker = { host: '10.9.9.9', port: 5353 }
const known = [catalogFeature, coordinateFeature, queryFeature, sessionFeature]

export interface Placed {
  readonly node: string
  readonly address: string
  readonly meta?: TextPairs
  readonly service?: {
    readonly id?: string
    readonly service: string
    readonly tags?: readonly string[]
    readonly address?: string
    readonly port?: number
    readonly weights?: { readonly passing: number; readonly warning: number }
  }
  /** Statuses of checks of the instance, or of the node where there is no instance. */
  readonly checks?: readonly string[]
}

export interface Question {
  readonly transport?: DnsTransport
  readonly udpSize?: number
  readonly recursionDesired?: boolean
  readonly opcode?: number
}

/** A DNS face over a real catalog, without Raft, sockets or time. */
export class CatalogWorld {
  readonly reads: ReadOptions[] = []
  readonly counted: string[] = []
  readonly warnings: string[] = []
  failure: Failure | undefined
  /** What the token of the agent may do. */
  authorizer: Authorizer = unrestricted
  /** How old the answers of a server are that is not the leader. */
  lastContactMs = 0
  knownLeader = true
  wallMs = 1_700_000_000_900
  monoMs = 5
  /** Answers that were known without asking the agent. */
  known = 0
  readonly #state = new ReplicatedState({
    tables: known.flatMap((feature) => feature.tables ?? []),
    commands: known.flatMap((feature) => feature.commands ?? []),
    store: { digest: true },
  })
  readonly #config: DnsConfig
  readonly #face
  #drawn = 0x2545f491
  #queries = 0

  readonly #release: Release

  constructor(config: Partial<DnsConfig> = {}, release: Release = newestRelease) {
    this.#release = release
    this.#config = { ...defaultAgentConfig('n1', '127.0.0.1').dns, ...config }
    this.#face = this.#newFace()
  }

  #newFace(): DnsFace {
    const labels = labelsOf(['node', 'n1'])
    return createDnsFace({
      env: this.#env(),
      context: this.#context(),
      config: this.#config,
      datacenter: 'dc1',
      labels,
    })
  }

  place(placed: Placed): void {
    const { node, address, service, meta = null } = placed
    const id = service?.id ?? service?.service ?? ''
    this.#apply(catalogRegister, {
      node: { id: '', node, address, taggedAddresses: null, meta },
      skipNodeUpdate: false,
      service:
        service === undefined
          ? null
          : {
              kind: '',
              id,
              service: service.service,
              tags: service.tags ?? [],
              address: service.address ?? '',
              meta: null,
              port: service.port ?? 0,
              weights: service.weights ?? { passing: 1, warning: 1 },
              enableTagOverride: false,
            },
      checks: (placed.checks ?? []).map((status, at) => check(node, `c${at}`, status, id, service?.service ?? '')),
    })
  }

  define(name: string, service: Partial<ServiceQuery>, ttl = '', template = ''): void {
    const plain = { failover: { nearestN: 0, datacenters: null }, onlyPassing: false, near: '', connect: false }
    this.#apply(queryCreate, {
      ...{ id: `00000000-0000-4000-8000-${String(++this.#queries).padStart(12, '0')}`, name, session: '', token: '' },
      template: { type: template, regexp: '', removeEmptyTags: false },
      service: { service: 'web', tags: null, nodeMeta: null, ignoreCheckIds: null, ...plain, ...service },
      dns: { ttl },
    })
  }

  remove(node: string): void {
    this.#apply(catalogDeregister, { node, serviceId: '', checkId: '' })
  }

  async ask(name: string, type: TypeName = 'A', question: Question = {}): Promise<Reply> {
    const { transport = 'udp', ...asked } = question
    const bytes = await this.send(encodeQuestion({ id: 77, name, type, ...asked }), transport)
    const read = bytes === undefined ? undefined : decodeResponse(bytes)
    if (bytes === undefined || read?.ok !== true) throw new Error(`no answer to ${name} ${type}`)
    return new Reply(read.value, bytes.length)
  }

  async send(packet: Uint8Array, transport: DnsTransport = 'udp'): Promise<Uint8Array | undefined> {
    const known = this.#face.known(packet, transport, asker)
    if (known !== undefined) this.known++
    return known ?? this.#face.answer(packet, transport, asker)
  }

  /** What a face says that knows nothing yet. */
  sendAnew(packet: Uint8Array, transport: DnsTransport): Promise<Uint8Array | undefined> {
    return this.#newFace().answer(packet, transport, asker)
  }

  #apply<Body, Outcome>(command: CommandDefinition<Body, Outcome>, body: Body): void {
    const index = this.#state.store.index + 1
    this.#state.apply({
      index: logIndexOf(index),
      term: termOf(1),
      kind: 'command',
      payload: encodeCommand(command, body, undefined),
    })
    this.#state.applied()
  }

  /** Xorshift (Marsaglia). */
  #draw(): number {
    let x = this.#drawn
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#drawn = x
    return x >>> 0
  }

  #env(): Env {
    const env = {
      clock: { wallMs: () => this.wallMs, monoMs: () => this.monoMs },
      random: {
        draws: () => ({
          below: (bound: number) => this.#draw() % bound,
        }),
      },
      log: {
        enabled: () => false,
        write: (level: string, _topic: string, text: string) => {
          if (level === 'warn') this.warnings.push(text)
        },
      },
      metrics: { count: (name: string) => this.counted.push(name), sample: () => {} },
    }
    return env as unknown as Env
  }

  #context(): DnsContext {
    const facts = { nodeName: 'n1', datacenter: 'dc1', nodeMeta: {} } as unknown as AgentSelf
    return {
      release: this.#release,
      naming: svcNaming,
      self: () => facts,
      ask: async <Args, Reply>(endpoint: ServerEndpoint<Args, Reply, ServerContext>, args: Args, read: ReadOptions) => {
        if (read.datacenter !== '') return err({ kind: 'unknown-datacenter', datacenter: read.datacenter })
        return endpoint.serve(
          { datacenter: 'dc1', wan: () => undefined } as unknown as ServerContext,
          endpoint.args.parse(args),
          unrestricted,
        )
      },
      query: async <Args, Value>(
        endpoint: QueryEndpoint<Args, Value>,
        args: Args,
        read: ReadOptions,
      ): Promise<Result<Answer<Value>, Failure>> => {
        this.reads.push(read)
        if (this.failure !== undefined) return err(this.failure)
        if (read.datacenter !== '') return err({ kind: 'unknown-datacenter', datacenter: read.datacenter })
        const given = endpoint.args.parse(args)
        const state = this.#state.store.read()
        const found = endpoint.query(state, given)
        const { index } = found
        const { access } = endpoint
        if (access.kind === 'asks') throw new Error(`${endpoint.method}: a read of DNS is filtered`)
        const value =
          access.kind === 'filters' ? access.filter(this.authorizer, found.value, given, state) : found.value
        const isStale = read.consistency === 'stale'
        const meta = () => ({
          index,
          knownLeader: this.knownLeader || !isStale,
          lastContactMs: isStale ? this.lastContactMs : 0,
        })
        const at = this.#state.store.index
        const standing = () => ({ now: () => (this.#state.store.index === at ? meta() : undefined) })
        return ok({ value, meta: meta(), standing })
      },
    }
  }
}

function check(node: string, checkId: string, status: string, serviceId: string, serviceName: string): CheckFacts {
  const facts = { node, checkId: `${serviceId}-${checkId}`, name: checkId, status, serviceId, serviceName }
  return { ...facts, notes: '', output: '', serviceTags: [], definition: null }
}

/** An answer in the words of dig. */
export class Reply {
  readonly received: ReceivedResponse
  readonly bytes: number

  constructor(received: ReceivedResponse, bytes: number) {
    this.received = received
    this.bytes = bytes
  }

  get rcode(): string {
    return String(this.received.rcode)
  }

  get flags(): string {
    const { authoritative, truncated, recursionDesired, recursionAvailable } = this.received
    const set = [
      ['aa', authoritative],
      ['tc', truncated],
      ['rd', recursionDesired],
      ['ra', recursionAvailable],
    ] as const
    return ['qr', ...set.filter(([, on]) => on).map(([name]) => name)].join(' ')
  }

  /** `web.service.svc. 0 A 10.0.0.1`, sorted: the order is drawn. */
  get answers(): string[] {
    return lines(this.received.answers)
  }

  get authorities(): string[] {
    return lines(this.received.authorities)
  }

  get additionals(): string[] {
    return lines(this.received.additionals)
  }
}

function lines(records: readonly DnsRecord[]): string[] {
  return records.map(line).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

function line(record: DnsRecord): string {
  return `${record.name} ${record.ttl} ${record.type} ${data(record)}`
}

function data(record: DnsRecord): string {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return record.address
    case 'SRV':
      return `${record.priority} ${record.weight} ${record.port} ${record.target}`
    case 'TXT':
      return record.texts.map((text) => JSON.stringify(text)).join(' ')
    case 'SOA':
      return `${record.primary} ${record.admin} ${record.serial} ${record.refresh} ${record.retry} ${record.expire} ${record.minimum}`
    default:
      return record.target
  }
}
