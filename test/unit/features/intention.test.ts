import { describe, expect, it } from 'vitest'
import { err } from '../../../src/base/result.ts'
import { intentionCreate, intentionDelete, intentionUpdate } from '../../../src/features/intention/commands.ts'
import { matchEndpoint, matchedPlacesMax } from '../../../src/features/intention/endpoint.ts'
import { ends, IntentionWorld, intentions, jsonOf } from './intention-world.ts'
import { Rights } from './rights-of.ts'

const unknown = '11111111-0000-0000-0000-000000000000'
const webToDb = { SourceName: 'web', DestinationName: 'db', Action: 'allow' }
const refused = (...problems: readonly string[]): string =>
  `bad-request: ${problems.length} error(s) occurred:\n\n${problems.map((problem) => `* ${problem}`).join('\n')}`

describe('an intention', () => {
  it('has all that was said of it, and what the service sets', async () => {
    const world = new IntentionWorld()
    const said = { Description: 'd', DefaultAddr: '10.0.0.1', DefaultPort: 80, Meta: { k: 'v', a: '' } }
    const passedOver = { Precedence: 1, CreatedAt: 'x', UpdatedAt: 7, CreateIndex: 99, Unknown: {} }
    const made = jsonOf(await world.ask('POST', intentions, { ...webToDb, ...said, ...passedOver })) as { ID: string }
    const time = '2026-11-21T03:26:25.037Z'
    expect(await world.json(`${intentions}/${made.ID}`)).toEqual({
      ...{ ID: made.ID, ...webToDb, ...said, SourceNS: 'default', DestinationNS: 'default', SourceType: 'svc' },
      ...{ Precedence: 9, CreatedAt: time, UpdatedAt: time, CreateIndex: 1, ModifyIndex: 1 },
    })
    expect(world.metrics).toContain('intention.apply')
  })

  it('is replaced as a whole, but for when it was made; what was not said again is gone', async () => {
    const world = new IntentionWorld()
    const id = (
      jsonOf(await world.ask('POST', intentions, { ...webToDb, Description: 'd', Meta: { k: 'v' } })) as { ID: string }
    ).ID
    world.wallMs += 1_000
    const changed = await world.ask('PUT', `${intentions}/${id.toUpperCase()}`, {
      ID: unknown,
      ...webToDb,
      Action: 'deny',
    })
    expect(jsonOf(changed)).toEqual({ ID: id })
    expect(await world.json(`${intentions}/${id}`)).toMatchObject({
      ...{ ID: id, Action: 'deny', Description: '', Meta: {}, CreateIndex: 1, ModifyIndex: 2 },
      ...{ CreatedAt: '2026-11-21T03:26:25.037Z', UpdatedAt: '2026-11-21T03:26:26.037Z' },
    })
  })

  it('is gone when it is deleted, once', async () => {
    const world = new IntentionWorld()
    const id = await world.make('web', 'db')
    expect(jsonOf(await world.ask('DELETE', `${intentions}/${id}`))).toBe(true)
    expect(await world.refusal('GET', `${intentions}/${id}`)).toBe('not-found: Intention not found')
    expect(await world.refusal('DELETE', `${intentions}/${id}`)).toBe(
      `bad-request: Cannot modify non-existent intention: '${id}'`,
    )
    await world.make('web', 'db')
  })

  it('there is one for two ends, whatever the case of their letters, also after a change', async () => {
    const world = new IntentionWorld()
    const id = await world.make('web', 'db')
    const other = await world.make('web', 'cache', 'deny')
    const line = `bad-request: duplicate intention found: ALLOW default/web => default/db (ID: ${id}, Precedence: 9)`
    expect(await world.refusal('POST', intentions, { ...webToDb, Action: 'deny' })).toBe(line)
    expect(await world.refusal('POST', intentions, { ...ends('Web', 'default/DB'), Action: 'deny' })).toBe(line)
    expect(await world.refusal('PUT', `${intentions}/${other}`, webToDb)).toBe(line)
    expect(jsonOf(await world.ask('PUT', `${intentions}/${id}`, webToDb))).toEqual({ ID: id })
  })

  it.each([
    [{}, refused('SourceName must be set', 'DestinationName must be set', "Action must be set to 'allow' or 'deny'")],
    [{ ...webToDb, Action: 'maybe' }, refused("Action must be set to 'allow' or 'deny'")],
    [
      { ...webToDb, SourceName: 'a*', DestinationNS: '**' },
      refused(
        "SourceName: wildcard character '*' cannot be used with partial values",
        "DestinationNS: wildcard character '*' cannot be used with partial values",
      ),
    ],
    [{ ...webToDb, SourceNS: '*' }, refused('SourceName: exact value cannot follow wildcard namespace')],
    [{ ...webToDb, SourceType: 'other' }, refused("SourceType must be set to 'svc'")],
    [{ ...webToDb, Description: 'x'.repeat(513) }, refused('Description exceeds maximum length 512')],
    [{ ...webToDb, Meta: { k: 'x'.repeat(513) } }, refused('Meta value for key "k" exceeds maximum length 512')],
    [
      { ...webToDb, Meta: { ['k'.repeat(129)]: '' } },
      refused(`Meta key "${'k'.repeat(128)}" exceeds maximum length 128`),
    ],
    [
      { ...webToDb, Meta: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, ''])) },
      refused('Meta exceeds maximum element count 64'),
    ],
    [{ ...webToDb, DestinationName: 'x'.repeat(513) }, refused('DestinationName exceeds maximum length 512')],
    [{ ...webToDb, DefaultAddr: 'x'.repeat(513) }, refused('DefaultAddr exceeds maximum length 512')],
    [{ ...webToDb, DefaultPort: -1 }, refused('DefaultPort must be between 0 and 65535')],
    [{ ...webToDb, ID: unknown }, 'bad-request: ID must be empty when creating a new intention'],
  ])('cannot be %j', async (body, why) => {
    const world = new IntentionWorld()
    expect(await world.refusal('POST', intentions, body)).toBe(why)
    expect(world.server.index).toBe(0)
  })

  it('is bounded, and takes what is just within', async () => {
    const world = new IntentionWorld()
    const Meta = Object.fromEntries(
      Array.from({ length: 64 }, (_, at) => [`${at}`.padStart(128, 'k'), 'x'.repeat(512)]),
    )
    const body = {
      SourceName: 's'.repeat(512),
      DestinationName: '*',
      Action: 'deny',
      Description: 'x'.repeat(512),
      Meta,
    }
    expect((await world.ask('POST', intentions, body)).kind).toBe('json')
  })

  it('a source may be of a type that has the product’s other name, which is its own then', async () => {
    const world = new IntentionWorld()
    const made = jsonOf(await world.ask('POST', intentions, { ...webToDb, SourceType: 'consul' })) as { ID: string }
    expect(await world.json(`${intentions}/${made.ID}`)).toMatchObject({ SourceType: 'svc' })
    expect(await world.json(`${intentions}/check?source=web&destination=db&source-type=consul`)).toEqual({
      Allowed: true,
    })
    expect(await world.refusal('GET', `${intentions}/check?source=web&destination=db&source-type=x`)).toBe(
      'bad-request: unsupported SourceType: "x"',
    )
  })

  it('that is no JSON, or has a malformed ID, is refused with the reason', async () => {
    const world = new IntentionWorld()
    const id = await world.make('web', 'db')
    const uuid = 'failed intention lookup: index error: UUID must be 36 characters'
    expect(await world.refusal('POST', intentions, '{')).toBe(
      'bad-request: Failed to decode request body: unexpected EOF',
    )
    expect(await world.refusal('PUT', `${intentions}/${id}`, '{')).toBe(
      'bad-request: Request decode failed: unexpected EOF',
    )
    expect(await world.refusal('GET', `${intentions}/short`)).toBe(`bad-request: Bad request: ${uuid}`)
    for (const method of ['PUT', 'DELETE'] as const) {
      expect(await world.refusal(method, `${intentions}/short`, webToDb)).toBe(
        `bad-request: Intention lookup failed: ${uuid}`,
      )
      expect(await world.refusal(method, `${intentions}/${unknown}`, webToDb)).toBe(
        `bad-request: Cannot modify non-existent intention: '${unknown}'`,
      )
    }
  })

  it('goes into a snapshot and comes back as it was', async () => {
    const world = new IntentionWorld()
    await world.ask('POST', intentions, { ...webToDb, Meta: { __proto__x: 'a', constructor: 'b' } })
    await world.make('*', '*/*', 'deny')
    const restored = new IntentionWorld()
    const [snapshot, restore] = [world.server.state.store.snapshot(), restored.server.state.store.restore()]
    for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
    expect(restore.finish().ok).toBe(true)
    expect(await restored.json(intentions)).toEqual(await world.json(intentions))
    expect(await restored.isAllowed('api', 'db')).toBe(false)
    expect(await restored.isAllowed('web', 'db')).toBe(true)
  })
})

describe('which intention decides', () => {
  it('is told in order: the destination counts first, then the source, then the names', async () => {
    const world = new IntentionWorld()
    for (const [source, destination] of [
      ...[
        ['*/*', '*/*'],
        ['*', '*/*'],
        ['web', '*/*'],
        ['*/*', '*'],
        ['*', '*'],
        ['web', '*'],
      ],
      ...[
        ['*/*', 'db'],
        ['*', 'db'],
        ['web', 'db'],
        ['api', 'db'],
        ['web', 'cache'],
      ],
    ] as const) {
      await world.make(source as string, destination as string)
    }
    expect(await world.listed()).toEqual([
      'default/api => default/db allow 9',
      'default/web => default/cache allow 9',
      'default/web => default/db allow 9',
      'default/* => default/db allow 8',
      '*/* => default/db allow 7',
      'default/web => default/* allow 6',
      'default/* => default/* allow 5',
      '*/* => default/* allow 4',
      'default/web => */* allow 3',
      'default/* => */* allow 2',
      '*/* => */* allow 1',
    ])
    expect(await world.matched('destination', 'cache')).toEqual([
      'default/web => default/cache allow 9',
      'default/web => default/* allow 6',
      'default/* => default/* allow 5',
      '*/* => default/* allow 4',
      'default/web => */* allow 3',
      'default/* => */* allow 2',
      '*/* => */* allow 1',
    ])
    expect(await world.matched('source', 'default/*')).toEqual([
      'default/* => default/db allow 8',
      '*/* => default/db allow 7',
      'default/* => default/* allow 5',
      '*/* => default/* allow 4',
      'default/* => */* allow 2',
      '*/* => */* allow 1',
    ])
    expect(await world.matched('destination', '*/*')).toEqual([
      'default/web => */* allow 3',
      'default/* => */* allow 2',
      '*/* => */* allow 1',
    ])
  })

  it('an exact one overrules one with a wildcard, both ways', async () => {
    const world = new IntentionWorld()
    await world.make('*', '*', 'deny')
    await world.make('web', 'db', 'allow')
    await world.make('*', 'open', 'allow')
    await world.make('bad', 'open', 'deny')
    const asked = [
      ['web', 'db'],
      ['WEB', 'Db'],
      ['api', 'db'],
      ['api', 'open'],
      ['bad', 'open'],
    ] as const
    const told = await Promise.all(asked.map(([source, destination]) => world.isAllowed(source, destination)))
    expect(told).toEqual([true, true, false, true, false])
  })

  it('is not told by a server that has lost its office without knowing it', async () => {
    const world = new IntentionWorld()
    await world.make('web', 'db')
    Object.assign(world.server.context, { leads: async () => err({ kind: 'no-leader' }) })
    expect(await world.refusal('GET', `${intentions}/check?source=web&destination=db`)).toBe('no-leader: ')
  })

  it('of names that nothing says anything of, null is told; each name goes by how it was asked for', async () => {
    const world = new IntentionWorld()
    await world.make('web', 'db')
    const answer = (await world.json(`${intentions}/match?by=source&name=default/web&name=x&name=web`)) as object
    expect(Object.keys(answer).sort()).toEqual(['default/web', 'web', 'x'])
    expect(answer).toMatchObject({ x: null, web: [{ DestinationName: 'db' }], 'default/web': [{ SourceName: 'web' }] })
  })

  it.each([
    ['match?by=sideways&name=db', "'by' parameter must be one of 'source' or 'destination'"],
    ['match?name=db', "required query parameter 'by' not set"],
    ['match?by=source&by=source&name=db', "required query parameter 'by' not set"],
    ['match?by=source', "required query parameter 'name' not set"],
    ['match?by=source&name=a/b/c', `name "a/b/c" is invalid: input can contain at most one '/'`],
    [
      `match?by=source${'&name=a'.repeat(matchedPlacesMax + 1)}`,
      `query parameter 'name' given more than ${matchedPlacesMax} times`,
    ],
    ['check?source=web', "required query parameter 'destination' not set"],
    ['check?destination=web', "required query parameter 'source' not set"],
    ['check?source=a/b/c&destination=web', `source "a/b/c" is invalid: input can contain at most one '/'`],
    ['check?source=web&destination=a/b/c', `destination "a/b/c" is invalid: input can contain at most one '/'`],
  ])('cannot be asked by %s', async (question, why) => {
    expect(await new IntentionWorld().refusal('GET', `${intentions}/${question}`)).toBe(`bad-request: ${why}`)
  })

  it('a reader of what matches is woken by what he looked at, and by nothing else', async () => {
    const world = new IntentionWorld()
    const { store } = world.server.state
    const args = { by: 'destination', places: [{ namespace: 'default', name: 'db' }] } as const
    let woken = 0
    const wait = () =>
      store.watch(
        (tx) => void matchEndpoint.query(tx, args),
        () => void woken++,
      )
    wait()
    await world.make('web', 'cache')
    expect(woken).toBe(0)
    await world.make('web', 'DB')
    expect(woken).toBe(1)
    wait()
    await world.make('api', '*/*')
    expect(woken).toBe(2)
  })
})

describe('where no intention says anything', () => {
  it.each([
    ['access control is off', undefined, true, 'true: ACLs disabled, access is allowed by default'],
    ['the policy is deny', 'deny', false, 'false: Default behavior configured by ACLs'],
    ['the policy is allow', 'allow', true, 'true: Default behavior configured by ACLs'],
  ] as const)('a connection is decided by access control: %s', async (_what, defaultPolicy, allowed, told) => {
    const world = new IntentionWorld()
    if (defaultPolicy !== undefined) {
      world.server.serverAccess = { defaultPolicy } as never
      world.server.accessControl = { defaultPolicy } as never
    }
    expect(await world.isAllowed('web', 'db')).toBe(allowed)
    expect(await world.authorized('web', 'db')).toBe(told)
    await world.make('web', 'db', allowed ? 'deny' : 'allow')
    expect(await world.isAllowed('web', 'db')).toBe(!allowed)
    expect(await world.authorized('web', 'db')).toContain(`${!allowed}: Matched intention: `)
  })
})

describe('changing an intention whose destination changes meanwhile', () => {
  const change = {
    source: { namespace: 'default', name: 'web' },
    destination: { namespace: 'default', name: 'db' },
    ...{ action: 'deny' as const, description: '', meta: [], defaultAddress: '', defaultPort: 0, updatedMs: 1 },
  } as const

  it('takes no effect: the caller was not authorized for the new one', async () => {
    const world = new IntentionWorld()
    const id = await world.make('web', 'secret')
    const { context } = world.server
    const changed = { ok: true, value: { changedMeanwhile: true } }
    expect(await context.propose(intentionUpdate, { ...change, id, seenFor: 'db' })).toEqual(changed)
    expect(await context.propose(intentionDelete, { id, seenFor: 'db' })).toEqual(changed)
    expect(await world.listed()).toEqual(['default/web => default/secret allow 9'])
    expect(await context.propose(intentionUpdate, { ...change, id, seenFor: 'secret' })).toEqual({
      ok: true,
      value: { id },
    })
    expect(await context.propose(intentionDelete, { id, seenFor: null })).toEqual({ ok: true, value: { id } })
  })

  it('is no matter of a new one, which never takes the ID of another', async () => {
    const world = new IntentionWorld()
    const id = await world.make('web', 'secret')
    const { updatedMs: createdMs, ...content } = change
    expect(await world.server.context.propose(intentionCreate, { ...content, id, createdMs })).toEqual({
      ok: true,
      value: { refusal: `there is an intention of the ID ${id} already` },
    })
    expect(await world.listed()).toEqual(['default/web => default/secret allow 9'])
  })

  it('tells its caller to try again', async () => {
    const world = new IntentionWorld()
    const id = await world.make('web', 'db')
    world.server.authorizer = new Rights(['intention:db:write', 'intention:cache:write'])
    const { context } = world.server
    const propose = context.propose.bind(context)
    // Another caller moves the intention after the rights of this one were checked.
    const meanwhile = async (...given: Parameters<typeof propose>) => {
      Object.defineProperty(context, 'propose', { value: propose })
      await propose(intentionUpdate, {
        ...change,
        id,
        destination: { namespace: 'default', name: 'secret' },
        seenFor: null,
      })
      return propose(...given)
    }
    Object.defineProperty(context, 'propose', { value: meanwhile, configurable: true, writable: true })
    const answered = await world.refusal('PUT', `${intentions}/${id}`, { ...ends('web', 'cache'), Action: 'deny' })
    expect(answered).toBe('refused: the destination of the intention has changed meanwhile: try again')
  })

  it('asks for both destinations before it says what is wrong', async () => {
    const world = new IntentionWorld()
    const id = await world.make('web', 'db')
    world.server.authorizer = new Rights(['intention:db:write'])
    const body = { ...ends('web', 'cache'), Action: 'maybe' }
    expect(await world.refusal('PUT', `${intentions}/${id}`, body)).toBe('permission-denied: Permission denied')
    expect(await world.refusal('PUT', `${intentions}/${unknown}`, webToDb)).toContain('Cannot modify non-existent')
    expect(await world.refusal('PUT', `${intentions}/${id}`, { ...webToDb, Action: 'maybe' })).toContain('Action must')
  })
})

it('a caller that may not read what matches one of several names is told which right it lacks', () => {
  const { access } = matchEndpoint
  if (access.kind !== 'asks') throw new Error('it asks for no right')
  const places = ['db', 'web'].map((name) => ({ namespace: 'default', name }))
  const state = new IntentionWorld().server.read()
  const refused = access.refused(new Rights(['intention:db:read']), { by: 'source', places }, state)
  expect(refused).toEqual({ resource: 'intention', name: 'web', right: 'read' })
})

describe('whether a client may connect', () => {
  const authorize = '/v1/agent/connect/authorize'
  const Target = 'db'
  const uri = (path: string): string => `spiffe://one.svc${path}`

  it('is what the intentions of the target say of the service that its certificate names', async () => {
    const world = new IntentionWorld()
    const id = await world.make('web', 'db', 'deny')
    expect(await world.authorized('web', 'db')).toBe(
      `false: Matched intention: DENY default/web => default/db (ID: ${id}, Precedence: 9)`,
    )
    expect(await world.authorized('%77eb', 'db')).toMatch(/^false/)
    expect(await world.authorized('WEB', 'DB')).toMatch(/^false/)
    expect(await world.authorized('api', 'db')).toMatch(/^true/)
    expect(await world.authorized('web', 'other')).toMatch(/^true/)
    await world.make('other/*', '*', 'deny')
    const elsewhere = { Target, ClientCertURI: uri('/ns/other/dc/dc2/svc/web') }
    expect(jsonOf(await world.ask('POST', authorize, elsewhere))).toMatchObject({ Authorized: false })
  })

  it('one of another mesh may not, whatever intentions say; where there is no mesh, nothing is compared', async () => {
    const world = new IntentionWorld()
    await world.make('*', '*', 'allow')
    expect(await world.authorized('web', 'db', 'two.svc')).toMatch(/^true/)
    world.server.trustDomains = { current: 'one.svc', formerIds: [] }
    expect(await world.authorized('web', 'db')).toMatch(/^true/)
    expect(await world.authorized('web', 'db', 'ONE.svc')).toMatch(/^true/)
    expect(await world.authorized('web', 'db', 'two.svc')).toBe(
      'false: The client is of the trust domain two.svc, and this mesh is one.svc',
    )
    world.server.trustDomains = { current: '', formerIds: [] }
    expect(await world.authorized('web', 'db')).toBe(
      'false: The client is of the trust domain one.svc, and the mesh has no certificate authority yet',
    )
  })

  it('one of the mesh that this one was until it joined another is asked like any, for as long as its root is trusted', async () => {
    const world = new IntentionWorld()
    await world.make('web', 'db', 'deny')
    world.server.trustDomains = { current: 'one.svc', formerIds: ['two'] }
    expect(await world.authorized('api', 'db', 'two.svc')).toMatch(/^true/)
    expect(await world.authorized('web', 'db', 'two.svc')).toMatch(/^false: Matched intention/)
    expect(await world.authorized('api', 'db', 'three.svc')).toMatch(/^false: The client is of the trust domain/)
    world.server.trustDomains = { current: 'one.svc', formerIds: [] }
    expect(await world.authorized('api', 'db', 'two.svc')).toMatch(/^false: The client is of the trust domain/)
  })

  it('is not told while the roots of the mesh cannot be read', async () => {
    const world = new IntentionWorld()
    const failure = { kind: 'unavailable', message: 'no server answers' } as const
    Object.defineProperty(world.server.agent, 'trustDomains', { value: async () => err(failure) })
    const body = { Target, ClientCertURI: uri('/ns/default/dc/dc1/svc/web') }
    expect(await world.refusal('POST', authorize, body)).toBe('unavailable: no server answers')
  })

  it.each([
    [{ ClientCertURI: uri('') }, 'Target service must be specified'],
    [{ Target }, 'ClientCertURI not a valid Connect identifier'],
    [{ Target: 'x'.repeat(513), ClientCertURI: uri('') }, 'Target exceeds maximum length 512'],
    [{ Target, ClientCertURI: 'http://x' }, 'ClientCertURI not a valid Connect identifier'],
    [{ Target, ClientCertURI: uri('/ns/default/dc/dc1/svc/a/b') }, 'ClientCertURI not a valid Connect identifier'],
    [{ Target, ClientCertURI: uri('/ns/default/dc/dc1/svc/%zz') }, 'ClientCertURI not a valid Connect identifier'],
    [{ Target, ClientCertURI: uri('') }, 'ClientCertURI not a valid Service identifier'],
  ])('is not asked by %j', async (body, why) => {
    const world = new IntentionWorld()
    expect(await world.refusal('POST', authorize, body)).toBe(`bad-request: Bad request: ${why}`)
  })
})
