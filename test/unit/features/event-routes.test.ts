import { describe, expect, it, vi } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { FilterWork } from '../../../src/agent/pool/filter-work.ts'
import { UserEvents } from '../../../src/agent/pool/user-events.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { LinearRegexp } from '../../../src/base/linear-regexp.ts'
import type { Env } from '../../../src/env/env.ts'
import { fireEndpoint } from '../../../src/features/event/endpoint.ts'
import { decodeUserEvent, encodeUserEvent, suits } from '../../../src/features/event/model.ts'
import type { PoolEvent } from '../../../src/gossip/pool.ts'
import type { ServiceFacts } from '../../../src/model/catalog.ts'
import type { UserEvent } from '../../../src/model/remote-exec.ts'
import { HandClock } from './hand-clock.ts'
import { LoneServer } from './lone-server.ts'

const someEvent: UserEvent = {
  id: '01020304-0506-4708-890a-0b0c0d0e0f10',
  name: 'deploy',
  payload: utf8('p'),
  nodeFilter: 'n',
  serviceFilter: 'web',
  tagFilter: 'v1',
  lamport: 7,
}

const web = { service: 'web', tags: ['v1', 'blue'] } as unknown as ServiceFacts

/** An agent whose pool tells it of its own events at once, with a clock that a test turns. */
function setUp() {
  let drawn = 0
  const timers: (() => void)[] = []
  let closed = 0
  const env = {
    clock: { monoMs: () => 0 },
    crypto: {
      // No two alike, among hundreds.
      randomBytes: (length: number) => new Uint8Array(length).fill(++drawn).with(0, (drawn + (drawn >> 8)) & 0xff),
    },
    log: { write: () => {}, enabled: () => false },
    metrics: { count: () => {} },
    timers: {
      after: (_: number, fire: () => void) => {
        timers.push(fire)
        return { close: () => closed++ }
      },
    },
    deferred: () => {
      let resolve: () => void = () => {}
      const promise = new Promise<void>((yes) => {
        resolve = yes
      })
      return { promise, resolve: () => resolve(), reject: () => {} }
    },
  } as unknown as Env
  const server = new LoneServer(env)
  let use: (event: PoolEvent) => void = () => {}
  let lamport = 0
  const fired: string[] = []
  const pool = {
    onEvent: (told: (event: PoolEvent) => void) => {
      use = told
      return { close: () => {} }
    },
    fireEvent: (name: string, payload: Uint8Array) => {
      if (payload.length > 400) return { ok: false, error: 'user event exceeds limit of 512 bytes' }
      fired.push(name)
      use({ name, payload, lamport: ++lamport })
      return { ok: true, value: undefined }
    },
  }
  server.lan = pool as never
  const events = new UserEvents(
    env,
    pool as never,
    'node-a',
    () => [web],
    () => {},
  )
  server.events = events
  const ask = (line: string, body = '') => {
    const [method, target] = line.split(' ') as ['GET' | 'PUT', string]
    return server.request(method, target, body)
  }
  return {
    ask,
    server,
    timers,
    fired,
    tell: (event: PoolEvent) => use(event),
    stop: () => events.stop(),
    closed: () => closed,
  }
}

describe('a user event in the pool', () => {
  it('comes back as it went, in the form of the field', () => {
    const bytes = encodeUserEvent(someEvent)
    expect(Buffer.from(bytes).toString('latin1')).toContain(
      '\xa1n\xa6deploy\xa2nf\xa1n\xa1p\xa1p\xa2sf\xa3web\xa2tf\xa2v1\xa1v\x01',
    )
    expect(decodeUserEvent(bytes, 7)).toEqual(someEvent)
    const plain = { ...someEvent, payload: new Uint8Array(0), nodeFilter: '', serviceFilter: '', tagFilter: '' }
    expect(decodeUserEvent(encodeUserEvent(plain), 7)).toEqual(plain)
  })

  it('that is malformed is dropped', () => {
    expect(decodeUserEvent(utf8('nonsense'), 1)).toBe(undefined)
    expect(decodeUserEvent(encodeUserEvent({ ...someEvent, id: 'x' }), 1)).toBe(undefined)
  })

  for (const [what, change, takes] of [
    ['no filter', { nodeFilter: '', serviceFilter: '', tagFilter: '' }, true],
    ['part of its name', { nodeFilter: 'de-' }, true],
    ['another name', { nodeFilter: '^b$' }, false],
    ['another service', { nodeFilter: '', serviceFilter: 'db' }, false],
    ['another tag', { nodeFilter: '', tagFilter: 'green' }, false],
    ['an expression that is none', { nodeFilter: '(' }, false],
  ] as const) {
    it(`${takes ? 'concerns' : 'does not concern'} an agent that it filters by ${what}`, () => {
      const part: UserEvent = { ...someEvent, nodeFilter: 'node' }
      expect(suits({ ...part, ...change }, 'node-a', [web], () => true)).toBe(takes)
    })
  }

  it('compiles each of its filters once, however many services and tags there are', () => {
    const services = Array.from({ length: 50 }, (_, at) => ({ ...web, id: `${at}`, tags: ['a', 'b', 'c'] }))
    const compiled = vi.spyOn(LinearRegexp, 'from')
    const event = { ...someEvent, nodeFilter: 'node', serviceFilter: 'web', tagFilter: 'none' }
    expect(suits(event, 'node-a', services, () => true)).toBe(false)
    expect(compiled.mock.calls).toEqual([['node'], ['web'], ['none']])
    compiled.mockRestore()
  })

  it('concerns no agent while the budget for compiling filters is used up, and then those after it again', async () => {
    const clock = new HandClock()
    const work = new FilterWork(clock.env.clock)
    const event = { ...someEvent, nodeFilter: 'x{1000}|node', serviceFilter: '', tagFilter: '' }
    const selected = () => suits(event, 'node-a', [], (expression) => work.mayCompile(expression))
    const many = Array.from({ length: 20 }, selected)
    expect(many.filter((is) => is)).toHaveLength(5)
    await clock.advance(1_000)
    expect(selected()).toBe(true)
  })
})

describe('the routes of user events', () => {
  it('[HTP-064] an event that is fired is answered for, listed, and found by its name', async () => {
    const { ask } = setUp()
    expect(await ask('GET /v1/event/list')).toMatchObject({ value: [], ownIndex: 1n })
    const fired = await ask('PUT /v1/event/fire/deploy?node=node&service=web&tag=v1', 'payload-1')
    const shown = { Name: 'deploy', Payload: 'cGF5bG9hZC0x', NodeFilter: 'node', ServiceFilter: 'web', TagFilter: 'v1' }
    expect(fired).toMatchObject({ value: { ...shown, Version: 1, LTime: 0 } })
    await ask('PUT /v1/event/fire/other')
    expect(await ask('GET /v1/event/list')).toMatchObject({
      value: [
        { ...shown, LTime: 1 },
        { Name: 'other', Payload: null },
      ],
    })
    expect(await ask('GET /v1/event/list?name=deploy')).toMatchObject({ value: [shown] })
  })

  it('[HTP-064] an event that does not concern the agent is not listed', async () => {
    const { ask } = setUp()
    await ask('PUT /v1/event/fire/deploy?node=^other$')
    expect(await ask('GET /v1/event/list')).toMatchObject({ value: [] })
  })

  it('[HTP-064] the index is of the last event: its halves, one upon the other', async () => {
    const { ask } = setUp()
    await ask('PUT /v1/event/fire/deploy')
    // The ID is 01010101-0101-4101-8101-010101010101.
    expect(await ask('GET /v1/event/list')).toMatchObject({ ownIndex: 0x0101010101014101n ^ 0x8101010101010101n })
  })

  it('[HTP-064] a list waits while the index is the known one', async () => {
    const { ask } = setUp()
    const waiting = ask('GET /v1/event/list?index=1')
    await ask('PUT /v1/event/fire/deploy')
    expect(await waiting).toMatchObject({ value: [{ Name: 'deploy' }] })
    expect(await ask('GET /v1/event/list?index=1')).toMatchObject({ value: [{ Name: 'deploy' }] })
  })

  it('[HTP-064] a list waits for an event of its name, until the time is up', async () => {
    const { ask, timers } = setUp()
    const waiting = ask('GET /v1/event/list?name=deploy&index=1&wait=10s')
    await ask('PUT /v1/event/fire/other')
    timers[0]?.()
    expect(await waiting).toMatchObject({ value: [], ownIndex: 1n })
  })

  it('a list that has waited shows what its token may read by then', async () => {
    const { ask, server } = setUp()
    const waiting = ask('GET /v1/event/list?index=1')
    await new Promise((resolve) => setImmediate(resolve))
    const fired = ask('PUT /v1/event/fire/deploy')
    server.authorizer = { ...unrestricted, allows: () => false } as unknown as typeof unrestricted
    await fired
    expect(await waiting).toMatchObject({ value: [], ownIndex: 1n })
  })

  it('a list that waits fails when the agent stops, one that comes later at once, and no timer is left', async () => {
    const { ask, timers, stop, closed } = setUp()
    const waiting = ask('GET /v1/event/list?index=1')
    await new Promise((resolve) => setImmediate(resolve))
    stop()
    const failed = { kind: 'failure', failure: { kind: 'shutting-down' } }
    expect(await waiting).toMatchObject(failed)
    expect(await ask('GET /v1/event/list?index=1')).toMatchObject(failed)
    expect([timers.length, closed()]).toEqual([1, 1])
  })

  it('only so many are kept', async () => {
    const { ask } = setUp()
    for (let n = 0; n < 300; n++) await ask(`PUT /v1/event/fire/n${n}`)
    const { value } = (await ask('GET /v1/event/list')) as unknown as { value: { Name: string }[] }
    expect([value.length, value[0]?.Name, value.at(-1)?.Name]).toEqual([256, 'n44', 'n299'])
  })

  it('an event that the pool brings again under another time, because it was fired again, is heard once', async () => {
    const { ask, tell } = setUp()
    const payload = encodeUserEvent({ ...someEvent, nodeFilter: '' })
    const another = encodeUserEvent({ ...someEvent, nodeFilter: '', id: someEvent.id.replace('01', 'ff') })
    for (const [lamport, each] of [payload, payload, another].entries()) {
      tell({ name: 'consul:event:deploy', payload: each, lamport })
    }
    const { value } = (await ask('GET /v1/event/list')) as unknown as { value: { LTime: number }[] }
    expect(value.map(({ LTime }) => LTime)).toEqual([0, 2])
  })

  for (const [line, message] of [
    ['PUT /v1/event/fire/', 'Missing name'],
    [
      'PUT /v1/event/fire/bad?node=*',
      'Invalid node filter: error parsing regexp: missing argument to repetition operator: `*`',
    ],
    ['PUT /v1/event/fire/bad?tag=x', 'Cannot provide tag filter without service filter'],
    ['GET /v1/event/list?index=x', 'Invalid index'],
    ['GET /v1/event/list?wait=x', 'Invalid wait time'],
  ] as const) {
    it(`${line} is refused`, async () => {
      expect(await setUp().ask(line)).toMatchObject({ kind: 'failure', failure: { kind: 'bad-request', message } })
    })
  }

  it('an event that is too large is refused', async () => {
    expect(await setUp().ask('PUT /v1/event/fire/big', 'x'.repeat(500))).toMatchObject({
      failure: { message: 'user event exceeds limit of 512 bytes' },
    })
  })
})

describe('the name of an event in the pool', () => {
  it('has the prefix of the field, though the agent is named otherwise', async () => {
    const { ask, fired } = setUp()
    await ask('PUT /v1/event/fire/deploy')
    expect(fired).toEqual(['consul:event:deploy'])
  })
})

describe('an event from another datacenter', () => {
  it('is fired by the name that it has inside, and by no other that its sender may use', async () => {
    const fired: string[] = []
    const fireEvent = (name: string) => {
      fired.push(name)
      return { ok: true, value: undefined } as const
    }
    const server = { fireEvent }
    const payload = Uint8Array.from(encodeUserEvent(someEvent))
    const other = await fireEndpoint.serve(server, { name: 'other', payload }, unrestricted)
    expect(other).toMatchObject({ ok: false, error: { kind: 'bad-request' } })
    expect(fired).toEqual([])
    expect(await fireEndpoint.serve(server, { name: 'deploy', payload }, unrestricted)).toMatchObject({ ok: true })
    expect(fired).toHaveLength(1)
  })
})
