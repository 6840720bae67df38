import { beforeEach, describe, expect, it } from 'vitest'
import { FakeApi } from './fake-api.ts'

const explained = (Allowed: boolean) =>
  [
    200,
    { AccessorID: '', Allowed, DecidedBy: 'default', Rule: '', Level: Allowed ? 'allow' : 'deny', Policy: '' },
  ] as const

const node = 'GET /v1/acl/explain?resource=node&right=read'
const service = 'GET /v1/acl/explain?resource=service&right=read'
const nodeRule = 'node_prefix "" { policy = "read" }'
const serviceRule = 'service_prefix "" { policy = "read" }'
const nothingMatches = (what: string) => `No ${what} match the given query - try expanding your search.\n`

/** What an agent answers to a token that may see nothing, and what the command prints of it. */
const empty: readonly (readonly [
  argv: readonly string[],
  answer: readonly [what: string, status: number, body: unknown],
  explain: readonly string[],
  ran: { readonly code: number; readonly out: string; readonly error: string },
])[] = [
  [
    ['members'],
    ['GET /v1/agent/members', 200, []],
    [node],
    { code: 2, out: '', error: `The token may see no member: it lacks ${nodeRule}\n` },
  ],
  [
    ['catalog', 'nodes'],
    ['GET /v1/catalog/nodes', 200, []],
    [node],
    { code: 0, out: nothingMatches('nodes'), error: `The token may see no node: it lacks ${nodeRule}\n` },
  ],
  [
    ['catalog', 'nodes', '-service=web'],
    ['GET /v1/catalog/service/web', 200, []],
    [node, 'GET /v1/acl/explain?resource=service&right=read&name=web'],
    {
      code: 0,
      out: nothingMatches('nodes'),
      error: `The token may see no node: it lacks ${nodeRule} and service "web" { policy = "read" }\n`,
    },
  ],
  [
    ['catalog', 'services'],
    ['GET /v1/catalog/services', 200, {}],
    [service],
    { code: 0, out: nothingMatches('services'), error: `The token may see no service: it lacks ${serviceRule}\n` },
  ],
  [
    ['maint'],
    ['GET /v1/agent/checks', 200, {}],
    [node, service],
    { code: 0, out: '', error: `The token may see no check: it lacks ${nodeRule} and ${serviceRule}\n` },
  ],
  ...(
    [
      ['export', [], '[]\n', 'recurse='],
      ['get', ['-recurse'], '', 'recurse='],
      ['get', ['-keys'], '', 'keys=&separator=%2F'],
    ] as const
  ).map(
    ([verb, flags, out, query]) =>
      [
        ['kv', verb, ...flags, 'app/'],
        [`GET /v1/kv/app/?${query}`, 404, ''],
        ['GET /v1/acl/explain?resource=key&right=read&name=app%2F'],
        { code: 0, out, error: 'The token may see no key: it lacks key_prefix "app/" { policy = "read" }\n' },
      ] as const,
  ),
]

let api: FakeApi
beforeEach(() => {
  api = new FakeApi()
})

describe.each(empty)('svc %j after an empty answer', (argv, [what, status, body], explain, ran) => {
  beforeEach(() => api.on(what, [status, body]))

  it('says on standard error which rules the token lacks to see more, with the output and exit code of any other', async () => {
    for (const one of explain) api.on(one, explained(false))
    expect(await api.run(argv)).toEqual(ran)
  })

  it('says nothing of a token that may see all, and where access control is off', async () => {
    for (const one of explain) api.on(one, explained(true))
    expect(await api.run(argv)).toEqual({ ...ran, error: '' })
    for (const one of explain) api.on(one, [401, 'ACL support disabled'])
    expect(await api.run(argv)).toEqual({ ...ran, error: '' })
  })
})
