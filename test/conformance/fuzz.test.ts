import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { features } from '../../src/agent/assembly/features.ts'
import { fc } from '../fast-check.ts'
import { agentDocument } from './agent-document.ts'
import { ask } from './ask.ts'
import { DocumentCheck } from './document-check.ts'
import type { GoldenAnswer, GoldenRequest, GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 30_000 : 500
/** Long beyond what any of these requests may take: one that takes it hangs. */
const hangMs = 30_000

const routes = features.flatMap((feature) => feature.routes ?? [])
const document = new DocumentCheck(agentDocument())
/** Left out because they work: the agent ends, dials the given address, or answers for ever. */
const untouched = new Set(['/v1/agent/leave', '/v1/agent/join/', '/v1/agent/monitor'])
const paths = routes.map(({ path }) => path).filter((path) => !untouched.has(path))

const byte = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code).replace(/[#]/, 'x'))
const name = fc.constantFrom(
  ...['a', 'web', 'n1', 'serfHealth', 's1', 'any', 'critical', 'k/a', 'x'.repeat(300), 'q/execute', 'web/explain'],
)
const oddText = fc.constantFrom(
  '%00',
  '%zz',
  '%',
  '%2F',
  '%2f..%2f',
  '%c3%28',
  '%ff%fe',
  '%ed%a0%80',
  '%e2%80%a8',
  '..',
  '//',
  '+',
  '%20',
  '\u00fc',
  '__proto__',
  'constructor',
  '00000000-0000-4000-8000-000000000000',
)
const rest = fc.array(fc.oneof(name, oddText, fc.string({ unit: byte, maxLength: 8 })), { maxLength: 3 })

const numbers = [
  '0',
  '1',
  '-1',
  '1.5',
  '1e3',
  '18446744073709551615',
  '18446744073709551616',
  '9'.repeat(400),
  '0x10',
  'NaN',
]
const durations = ['1ms', '0s', '-1s', '10', '1h', '999999999h', '1e9s', '1ns', 'abc']
const parameter = fc
  .tuple(
    fc.constantFrom(
      ...[
        'stale',
        'consistent',
        'leader',
        'cached',
        'max_stale',
        'dc',
        'near',
        'node-meta',
        'tag',
        'passing',
        'pretty',
      ],
      ...['token', 'raw', 'keys', 'recurse', 'separator', 'seperator', 'flags', 'cas', 'acquire', 'release', 'enable'],
      ...[
        'reason',
        'note',
        'hash',
        'wan',
        'segment',
        'format',
        'node',
        'service',
        'name',
        'id',
        'address',
        'relay-factor',
        'limit',
        'connect',
      ],
      ...['by', 'source', 'destination', 'source-type'],
    ),
    fc.oneof(fc.constant(undefined), fc.constantFrom(...numbers, ...durations, 'true', 'dc1', ''), name, oddText),
  )
  .map(([key, value]) => (value === undefined ? key : `${key}=${value}`))
/**
 * A read that waits is told to be quick. The index stands first: a path that ends in a question mark takes the first
 * parameter's name away, and an index without its wait waits for minutes, as it should.
 */
const waiting = fc.constantFrom(...numbers).map((index) => `index=${index}&wait=5ms`)
const query = fc
  .array(fc.oneof({ weight: 5, arbitrary: parameter }, { weight: 1, arbitrary: waiting }), { maxLength: 4 })
  .map((parts) => parts.join('&'))

const members = [
  ...[
    'Datacenter',
    'ID',
    'Node',
    'Address',
    'TaggedAddresses',
    'NodeMeta',
    'Service',
    'Check',
    'Checks',
    'Tags',
    'Port',
  ],
  ...['Name', 'Meta', 'Weights', 'EnableTagOverride', 'Kind', 'Proxy', 'Connect', 'CheckID', 'ServiceID', 'Status'],
  ...[
    'Notes',
    'Output',
    'Definition',
    'SkipNodeUpdate',
    'TTL',
    'Timeout',
    'Interval',
    'HTTP',
    'TCP',
    'Header',
    'Method',
  ],
  ...[
    'Args',
    'ScriptArgs',
    'DeregisterCriticalServiceAfter',
    'Passing',
    'Warning',
    'LockDelay',
    'Behavior',
    'Key',
    'KV',
  ],
  ...['Verb', 'Value', 'Flags', 'Index', 'Session', 'AliasNode', 'AliasService', 'GRPC', 'DockerContainerID', 'Native'],
  ...[
    'Template',
    'Type',
    'Regexp',
    'RemoveEmptyTags',
    'Failover',
    'NearestN',
    'Datacenters',
    'OnlyPassing',
    'Near',
    'DNS',
  ],
  ...['SourceNS', 'SourceName', 'DestinationNS', 'DestinationName', 'SourceType', 'Action', 'Description'],
  ...['DefaultAddr', 'DefaultPort', 'Target', 'ClientCertURI'],
  ...['__proto__', 'constructor', 'toString', 'name', 'NAME', 'check_id', ''],
]
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1, 80, 70_000, 1.5, 1e300, 2 ** 53, '', 'web', 'n1', '10.0.0.1'),
  fc.constantFrom<unknown>(
    '10s',
    '1ns',
    'passing',
    'critical',
    'delete',
    'set',
    'get-tree',
    'aGk=',
    'a\0b',
    '\ud800',
    '😀',
  ),
  fc.constantFrom<unknown>(
    'name_prefix_match',
    '${match(1)}',
    '${name.full}',
    '${',
    '(a+)+$',
    '(',
    '_agent',
    '_ip',
    '!x',
  ),
  fc.constantFrom<unknown>(
    'allow',
    '*',
    'a*',
    'spiffe://1.svc/ns/default/dc/dc1/svc/web',
    'spiffe://x/ns/%zz/dc/a/svc/b',
  ),
  fc.constantFrom<unknown>('x'.repeat(5_000), '00000000-0000-4000-8000-000000000000', '::', '0.0.0.0'),
)
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, leaf, tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 3 }),
  object: fc.array(fc.tuple(fc.constantFrom(...members), tie('any')), { maxLength: 6 }).map((pairs) => {
    const object = Object.create(null) as Record<string, unknown>
    for (const [key, member] of pairs)
      Object.defineProperty(object, key, { value: member, enumerable: true, configurable: true })
    return object
  }),
})).any

const text = (body: string) => Buffer.from(body)
const body = fc.oneof(
  { weight: 6, arbitrary: value.map((any) => text(JSON.stringify(any) ?? '')) },
  // Cut, or with a byte too many: JSON that nearly is one.
  {
    weight: 2,
    arbitrary: fc.tuple(value, fc.nat(200)).map(([any, at]) => text((JSON.stringify(any) ?? '').slice(0, at))),
  },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        ...[
          '',
          '{',
          '[',
          '"',
          '{}x',
          '\ufeff{}',
          '{"a":1,"a":2}',
          '{"TTL":1e999}',
          '{"Port":-0}',
          '{"Port":9007199254740993}',
        ],
        ...[
          '{"Name":"\\ud800"}',
          '{"Name":"\\u0000"}',
          `{"Port":${'9'.repeat(500)}}`,
          '[[],{}]',
          'NaN',
          "{'a':1}",
          'nul',
        ],
        ...['['.repeat(20_000), `${'{"Check":'.repeat(5_000)}`, `"${'x'.repeat(600_000)}"`],
      )
      .map(text),
  },
)

interface Case {
  readonly method: string
  readonly target: string
  readonly body: Buffer | undefined
}

const request: fc.Arbitrary<Case> = fc
  .record({
    path: fc.constantFrom(...paths),
    rest,
    query,
    own: fc.nat(9),
    method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'PROPFIND'),
    body,
  })
  .map((parts) => {
    const target = `${parts.path}${parts.path.endsWith('/') ? parts.rest.join('/') : ''}`
    const listed = Object.keys(routes.find(({ path }) => path === parts.path)?.operations ?? {})
    // Most of them by a verb that the endpoint has, or nothing would get past the first check.
    const method = parts.own > 1 ? (listed[parts.own % listed.length] ?? parts.method) : parts.method
    const bodiless = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
    return {
      method,
      target: parts.query === '' ? target : `${target}?${parts.query}`,
      body: bodiless ? undefined : parts.body,
    }
  })

/** What is not the caller's mistake, and yet no bug. */
const stated: readonly RegExp[] = [
  /^No path to datacenter$/,
  /^No cluster leader$/,
  /^Network segments are not supported/,
  /Keyring is empty \(encryption not enabled\)$/,
  /^there is no other voter$/,
  /^Connect must be enabled in order to use this endpoint$/,
]

function requestOf({ method, target: where, body: sent }: Case): GoldenRequest {
  const headers: [string, string][] = sent === undefined ? [] : [['Content-Length', String(sent.length)]]
  return { method, target: where, headers, body: sent, timeoutMs: hangMs, stream: false }
}

function send(target: GoldenTarget, one: Case): Promise<GoldenAnswer> {
  return target.until(target.begin(requestOf(one)))
}

describe.each(worlds.map((world) => [world.name, world] as const))('any request %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
  })
  afterAll(() => stop?.())

  it('is answered, by no bug of ours, and the agent goes on', async () => {
    const answered = async (one: Case): Promise<void> => {
      // What no client library would send at all.
      if (/[^\x21-\x7e]/.test(one.target)) return
      const answer = await send(target, one)
      if (answer.kind === 'error') throw new Error(`no answer: ${answer.error}`)
      expect(document.faults(requestOf(one), answer), 'what the OpenAPI document does not tell').toEqual([])
      const said = Buffer.from(answer.body).toString('utf8')
      expect(said).not.toBe('Internal error')
      expect(said).not.toMatch(/\n\s+at /)
      if (answer.status === 500)
        expect(
          stated.some((known) => known.test(said)),
          `500 ${said.slice(0, 300)}`,
        ).toBe(true)
      else expect([200, 301, 400, 401, 403, 404, 405, 409, 413, 415, 429]).toContain(answer.status)
    }
    await fc.assert(fc.asyncProperty(request, answered), { numRuns: runs })
    expect((await ask(target, 'GET /v1/status/leader')).text).toMatch(/:\d+"$/)
    expect((await ask(target, 'PUT /v1/kv/after', 'all of that')).text).toBe('true')
  }, 1_200_000)
})
