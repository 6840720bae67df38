import { z } from 'zod'
import { unrestricted } from '../../../../src/access/authorizer.ts'
import { Gate } from '../../../../src/agent/access/gate.ts'
import { Dispatch } from '../../../../src/agent/requests/serving/dispatch.ts'
import type { Served } from '../../../../src/agent/requests/serving/seen-results.ts'
import { textOf } from '../../../../src/base/bytes.ts'
import { ok, type Result } from '../../../../src/base/result.ts'
import type { Env } from '../../../../src/env/env.ts'
import type { Fields } from '../../../../src/env/observe.ts'
import {
  asks,
  filters,
  filtersOnBehalf,
  keptOf,
  open,
  refusedUnlessAllowed,
  within,
} from '../../../../src/features/contract/access.ts'
import type {
  EndpointDefinition,
  QueryEndpoint,
  ServerEndpoint,
  WriteEndpoint,
} from '../../../../src/features/contract/endpoint.ts'
import type { ReadOptions } from '../../../../src/features/contract/reading.ts'
import { oneForAll } from '../../../../src/features/contract/visible-index.ts'
import { getEndpoint, keysEndpoint } from '../../../../src/features/kv/endpoint.ts'
import { kvFeature } from '../../../../src/features/kv/feature.ts'
import { valueBytes } from '../../../../src/features/kv/model.ts'
import type { Failure } from '../../../../src/model/failure.ts'
import { noChange } from '../../../../src/model/log-position.ts'
import type { RequestRefusal } from '../../../../src/raft/core/types.ts'
import { HandClock } from '../../features/hand-clock.ts'
import { LoneServer } from '../../features/lone-server.ts'
import { allowing, KnownTokens } from './known-tokens.ts'

export const keyNames: QueryEndpoint<{ prefix: string }, readonly string[]> = {
  method: 'Test.Names',
  kind: 'query',
  args: z.object({ prefix: z.string() }),
  reply: z.array(z.string()),
  access: filters(
    (authorizer, names) => keptOf(names, (name) => authorizer.allows('key', name, 'read')),
    oneForAll('of a test'),
    (authorizer, args) => refusedUnlessAllowed(authorizer, 'session', args.prefix, 'read'),
  ),
  query: (tx, args) => keysEndpoint.query(tx, { prefix: args.prefix, separator: '' }),
}

export const seen: string[] = []
const write: WriteEndpoint<{ node: string }, string> = {
  method: 'Test.Write',
  kind: 'write',
  args: z.object({ node: z.string() }),
  reply: z.string(),
  access: asks((authorizer, { node }) => refusedUnlessAllowed(authorizer, 'node', node, 'write')),
  serve: async (_server, { node }, _identity, authorizer) => {
    seen.push(`${node} by ${authorizer.accessor}`)
    return ok(node)
  },
}
const inside: ServerEndpoint<object, string> = {
  method: 'Test.Within',
  kind: 'server',
  args: z.object({}),
  reply: z.string(),
  leader: false,
  access: within('it asks itself'),
  serve: async (_server, _args, authorizer) => ok(authorizer.accessor),
}
const openToAll: ServerEndpoint<object, boolean> = {
  ...inside,
  method: 'Test.Open',
  reply: z.boolean(),
  access: open('no secret'),
  serve: async (_server, _args, authorizer) => ok(authorizer === unrestricted),
}
/** The key `token` holds the secret of the token whose rights count. */
const onBehalf: QueryEndpoint<{ prefix: string }, readonly string[]> = {
  ...keyNames,
  method: 'Test.OnBehalf',
  access: filtersOnBehalf(
    (_args, tx) => {
      const value = getEndpoint.query(tx, { key: 'token' }).value?.value
      return value === undefined ? '' : textOf(valueBytes(value))
    },
    (authorizer, names) => keptOf(names, (name) => authorizer.allows('key', name, 'read')),
    oneForAll('of a test'),
  ),
}

export const stale: ReadOptions = { consistency: 'stale', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }

/** A server with the keys a/1, a/2 and b/1, and tokens `all`, `a` (keys below a/ alone) and `none`. */
export class Guarded {
  readonly clock = new HandClock()
  readonly lines: { readonly text: string; readonly fields: Fields | undefined }[] = []
  readonly denied: string[] = []
  /** Undefined: what this leader knows is whole. Else when it is, or that it leads no more. */
  settled: Promise<Result<number, RequestRefusal>> | undefined
  readonly server: LoneServer
  readonly tokens = new KnownTokens()
  readonly dispatch: Dispatch

  constructor() {
    const env = {
      ...this.clock.env,
      log: {
        enabled: () => true,
        write: (_l: string, _t: string, text: string, fields?: Fields) => this.lines.push({ text, fields }),
      },
      metrics: {
        count: (name: string) => name.startsWith('acl.') && this.denied.push(name),
        gauge: () => {},
        sample: () => {},
      },
    } as unknown as Env
    this.server = new LoneServer(env)
    const endpoints = [
      keyNames,
      write,
      inside,
      openToAll,
      onBehalf,
      ...(kvFeature.endpoints ?? []),
    ] as EndpointDefinition[]
    const raft = {
      ...this.server.context.raft,
      leaseReadsNow: () => true,
      leadsSettled: () => this.settled === undefined,
      leaseRead: async () => (await this.settled) ?? ok(1),
    }
    const context = { ...this.server.context, raft: raft as never }
    this.dispatch = new Dispatch(context, this.server.state.store, endpoints, {}, new Gate(env, this.tokens))
    this.tokens.set('all-secret', unrestricted)
    this.tokens.set('a-secret', belowA())
    this.tokens.set(
      'none-secret',
      allowing('none', () => false),
    )
  }

  async write(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.server.request('PUT', `/v1/kv/${key}`, 'x')
  }

  async serve(method: string, args: unknown, token: string, read?: ReadOptions): Promise<unknown> {
    return shown(await this.dispatch.serve(method, { args, token, ...(read === undefined ? {} : { read }) }, {}))
  }

  names(token: string): Promise<unknown> {
    return this.serve('Test.Names', { prefix: '' }, token, stale)
  }

  async served(token: string): Promise<Served> {
    const result = await this.dispatch.serve('Test.Names', { args: { prefix: '' }, read: stale, token }, {})
    if (!result.ok) throw new Error(result.error.kind)
    return result.value as Served
  }
}

export function belowA(accessor = 'a') {
  return allowing(
    accessor,
    ({ resource, name }) => resource === 'session' || (resource === 'key' && name.startsWith('a/')),
  )
}

export function shown(result: Result<unknown, Failure>): unknown {
  if (!result.ok) return result.error.kind
  const value = result.value as Partial<Served>
  return value?.meta === undefined ? result.value : value.value
}
