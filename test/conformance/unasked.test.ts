import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { features } from '../../src/agent/assembly/features.ts'
import { introduceMethod } from '../../src/agent/servers/introductions.ts'
import { serverRecordSchema } from '../../src/agent/servers/server-directory.ts'
import { readBy } from '../../src/features/contract/fields.ts'
import { type PlacedOperation, placedOperations } from '../../src/http/openapi/document.ts'
import { nonsense } from '../nonsense.ts'
import { effects } from '../unit/features/access-effects.ts'
import { ask, type Reply } from './ask.ts'
import { argumentsOf, asOtherAgent, endpoints, requestOf, unknownId } from './endpoint-calls.ts'
import { type SimulatedAgent, startSimulatedAgent } from './simulated-agent.ts'

const operations = placedOperations(features.flatMap((feature) => feature.routes ?? []))
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']
/** A caller without a token, one whose token has no rights, and one whose token is none. */
const tokens = ['', 'no-rights', 'nobody-made-me']
/** Requests for each operation, and calls of each endpoint. */
const turns = process.env['SVC_TEST_LONG'] === '1' ? 2_000 : 24

/** No operation or endpoint is named here: one that is new is asked as well. */
describe('what a caller without rights sends, under default deny', () => {
  let agent: SimulatedAgent
  /** Names and IDs of things that are there, and of some that are not. */
  let texts: readonly string[]

  const root = async (line: string, body?: object | string): Promise<Reply> => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const reply = await ask(agent.target, `${line}?token=root`, text)
    if (reply.status !== 200) throw new Error(`${line}: ${reply.status} ${reply.text}`)
    return reply
  }
  const made = async (line: string, body: object): Promise<string> => {
    return (JSON.parse((await root(line, body)).text) as { readonly ID: string }).ID
  }

  beforeAll(async () => {
    const acl = { enabled: true, default_policy: 'deny', tokens: { master: 'root', agent: 'root' } }
    agent = await startSimulatedAgent('default', {
      more: { primary_datacenter: 'dc1', acl, disable_coordinates: true },
    })
    for (let tries = 0; (await ask(agent.target, 'GET /v1/acl/token/self?token=root')).status === 500; tries++) {
      if (tries > 60) throw new Error('access control is still of the legacy kind')
      await agent.target.pause(1_000)
    }
    await root('PUT /v1/acl/create', { ID: 'no-rights', Type: 'client', Rules: '' })
    const registered = { Node: 'n1', Address: '10.9.0.1', Service: { Service: 'web', Port: 80 } }
    await root('PUT /v1/catalog/register', { ...registered, Check: { CheckID: 'c1', Name: 'c' } })
    await root('PUT /v1/agent/service/register', { Name: 'local', Check: { TTL: '10s' } })
    await root('PUT /v1/kv/a', 'x')
    // Its ID is not among the texts: a caller that knows it may bind a query without a name to it. Spec: ACL-017.
    await made('PUT /v1/session/create', { Node: 'n1', Checks: [] })
    const query = await made('POST /v1/query', { Name: 'q', Service: { Service: 'web' } })
    const allowed = { SourceName: 'web', DestinationName: 'db', Action: 'allow' }
    const intention = await made('POST /v1/connect/intentions', allowed)
    // The check becomes critical, the legacy token gets its accessor, and the catalog learns of all that.
    await agent.target.pause(600_000)
    texts = [
      '',
      '',
      '',
      unknownId,
      'nonsense',
      query,
      intention,
      'dc1',
      'n1',
      'web',
      'local',
      'a',
      'q',
      '1',
      '10s',
      'get',
      'allow',
    ]
  })
  afterAll(() => agent.stop())

  /** Also of what is written only later. */
  const expectRest = async (before: number): Promise<void> => {
    await agent.target.pause(600_000)
    expect(agent.lastIndex()).toBe(before)
  }

  it('is all that could write: otherwise the log is at rest', async () => {
    await expectRest(agent.lastIndex())
  })

  it('over HTTP, by any method to any path, leaves the log where it is', async () => {
    const first = agent.lastIndex()
    const moved = new Map<string, string>()
    const judged = new Set<string>()
    const names = operations.map(nameOf)
    for (const operation of operations) {
      const also = [...(found[nameOf(operation)] ?? []), ...wellFormed(nameOf(operation))]
      for (const { line, body } of [...requestsFor(operation, texts), ...also]) {
        const before = agent.lastIndex()
        const { status } = await ask(agent.target, line, body)
        // Beyond the first look at its shape.
        if (status !== 400 && line.startsWith(operation.method)) judged.add(nameOf(operation))
        if (agent.lastIndex() !== before) moved.set(nameOf(operation), `${line} ${body ?? ''}`)
      }
    }
    expect([...moved]).toEqual([])
    expect(names.filter((name) => !judged.has(name))).toEqual([])
    await expectRest(first)
  })

  it('between agents, to any endpoint, leaves the log where it is', async () => {
    const first = agent.lastIndex()
    const moved = new Map<string, string>()
    const malformed: string[] = []
    let sequence = 0
    for (const endpoint of endpoints) {
      const given = argumentsOf(endpoint, texts, turns)
      if (!given.some((args) => readBy(endpoint.args, args).ok)) malformed.push(endpoint.method)
      await asOtherAgent(agent, async (call) => {
        for (const [turn, args] of given.entries()) {
          const before = agent.lastIndex()
          await call(
            endpoint.method,
            requestOf(endpoint, args, { token: tokens[turn % tokens.length], sequence: sequence++ }),
          )
          if (agent.lastIndex() !== before) moved.set(endpoint.method, JSON.stringify(args))
        }
      })
    }
    await asOtherAgent(agent, async (call) => {
      for (let turn = 0; turn < turns; turn++) await call(introduceMethod, nonsense(serverRecordSchema, texts, turn))
    })
    expect([...moved]).toEqual([])
    expect(malformed).toEqual([])
    await expectRest(first)
  })
})

const unnamed = JSON.stringify({ Session: unknownId, Service: { Service: 'web' } })

/** Nonsense that drawing does not come upon: what got into the log once, and what must be written just so. */
const found: Readonly<Record<string, readonly Sent[]>> = {
  'POST /v1/query': [{ line: 'POST /v1/query', body: unnamed }],
  'PUT /v1/query/{query}': [{ line: `PUT /v1/query/${unknownId}`, body: unnamed }],
  'PUT /v1/acl/policy': [{ line: 'PUT /v1/acl/policy', body: '{"Name":"p"}' }],
  'GET /v1/acl/explain': [{ line: 'GET /v1/acl/explain?resource=key&name=a&right=write', body: undefined }],
}

/** What each operation accepts from a caller with the rights. */
function wellFormed(name: string): readonly Sent[] {
  return (effects[name] ?? []).map(({ request, body }) => {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    return { line: request.replace(/SESSION|QUERY|UNNAMED|INTENTION/, unknownId), body: text }
  })
}

function nameOf({ method, path }: PlacedOperation): string {
  return `${method} ${path}`
}

interface Sent {
  readonly line: string
  readonly body: string | undefined
}

/** Requests that the operation could take, and the path by every other method. */
function requestsFor({ path, rest, method, operation }: PlacedOperation, texts: readonly string[]): readonly Sent[] {
  const sent: Sent[] = []
  for (let turn = 0; turn < turns; turn++) {
    const at = rest === undefined ? path : path.replace(`{${rest.name}}`, texts[turn % texts.length] ?? '')
    const asked = operation.query.flatMap(({ name, value, required }) => {
      if (required !== true && turn % 2 === 0) return []
      return [value === 'presence' ? name : `${name}=${encodeURIComponent(queryText(value, texts, turn))}`]
    })
    const token = tokens[turn % tokens.length]
    const query = [...asked, ...(token === '' ? [] : [`token=${token}`])].join('&')
    const { json } = operation.body ?? {}
    const body =
      operation.body === undefined ? undefined : json === undefined ? 'nonsense' : jsonText(json, texts, turn)
    sent.push({ line: `${method} ${query === '' ? at : `${at}?${query}`}`, body })
  }
  const others = methods.filter((other) => other !== method)
  return [...sent, ...others.map((other) => ({ line: `${other} ${path}`, body: undefined }))]
}

function queryText(value: 'texts' | z.ZodType, texts: readonly string[], turn: number): string {
  return value === 'texts' ? (texts[turn % texts.length] ?? '') : String(nonsense(value, texts, turn))
}

function jsonText(schema: Parameters<typeof nonsense>[0], texts: readonly string[], turn: number): string {
  return JSON.stringify(nonsense(schema, texts, turn), (_, value) => (value instanceof Uint8Array ? 'eA==' : value))
}
