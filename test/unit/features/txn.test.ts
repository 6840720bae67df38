import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { byteString, utf8 } from '../../../src/base/bytes.ts'
import { tokenCreate, tokenUpdate } from '../../../src/features/acl/commands.ts'
import { catalogRegister } from '../../../src/features/catalog/commands.ts'
import { lockDelays } from '../../../src/features/kv/lock-delays.ts'
import { runRead } from '../../../src/features/kv/operations.ts'
import { holdsTable } from '../../../src/features/kv/tables.ts'
import { putEndpoint } from '../../../src/features/kv/write-endpoints.ts'
import { sessionCreate } from '../../../src/features/session/commands.ts'
import { runAll, transactionApply } from '../../../src/features/txn/commands.ts'
import { applyEndpoint } from '../../../src/features/txn/endpoint.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { fc } from '../../fast-check.ts'
import { failureOf, SessionWorld } from './session-world.ts'

interface Operation {
  readonly Verb: string
  readonly Key: string
  readonly [further: string]: unknown
}

function transaction(world: SessionWorld, ...operations: readonly Operation[]) {
  return world.server.request('PUT', '/v1/txn', JSON.stringify(operations.map((KV) => ({ KV }))))
}

async function begun(): Promise<SessionWorld> {
  const world = await SessionWorld.begun()
  world.server.begin(lockDelays)
  return world
}

function whats(response: unknown): readonly string[] {
  const { value, status } = response as {
    value: { Results: null; Errors: { OpIndex: number; What: string }[] }
    status: number
  }
  expect(status).toBe(409)
  expect(value.Results).toBeNull()
  return value.Errors.map(({ OpIndex, What }) => `${OpIndex}: ${What}`)
}

describe('a transaction that writes', () => {
  it('does everything at one index, each operation seeing those before it', async () => {
    const world = await begun()
    const response = await transaction(
      world,
      { Verb: 'set', Key: 'a', Value: 'b25l', Flags: 7 },
      { Verb: 'get', Key: 'a' },
      { Verb: 'cas', Key: 'b', Value: 'dHdv', Index: 0 },
      { Verb: 'delete', Key: 'a' },
      { Verb: 'check-not-exists', Key: 'a' },
      { Verb: 'get-tree', Key: 'b' },
    )
    const entry = { LockIndex: 0, CreateIndex: 3, ModifyIndex: 3 }
    expect(response).toMatchObject({
      status: 200,
      value: {
        Results: [
          { KV: { ...entry, Key: 'a', Flags: 7, Value: null } },
          { KV: { ...entry, Key: 'a', Flags: 7, Value: 'b25l' } },
          { KV: { ...entry, Key: 'b', Value: null } },
          { KV: { ...entry, Key: 'b', Value: 'dHdv' } },
        ],
        Errors: null,
      },
    })
    expect(Object.keys((response as unknown as { value: object }).value)).toEqual(['Results', 'Errors'])
    expect(world.server.index).toBe(3)
  })

  it('changes nothing when an operation fails, and tells of all that fail', async () => {
    const world = await begun()
    await world.request('PUT', '/v1/kv/there', 'x')
    const before = world.server.state.store.digest()?.digest
    const failed = await transaction(
      world,
      { Verb: 'set', Key: 'a', Value: 'b25l' },
      { Verb: 'cas', Key: 'there', Index: 1 },
      { Verb: 'delete-tree', Key: '' },
      { Verb: 'get', Key: 'there' },
      { Verb: 'frob', Key: 'a' },
      { Verb: 'set', Key: '' },
    )
    expect(whats(failed)).toEqual([
      '1: failed to set key "there", index is stale',
      '3: key "there" doesn\'t exist',
      '4: unknown KV verb "frob"',
      '5: Must provide key',
    ])
    expect(await world.entry('there')).toMatchObject({ Value: 'eA==' })
    expect(await world.entry('a')).toBeUndefined()
    expect(world.server.state.store.digest()?.digest).toBe(before)
  })

  it('locks and unlocks as keys by themselves do', async () => {
    const world = await begun()
    const [a, b] = [await world.create({ LockDelay: '5s' }), await world.create()]
    const locked = await transaction(world, { Verb: 'lock', Key: 'k', Value: 'djE=', Session: a.toUpperCase() })
    expect(locked).toMatchObject({ status: 200, value: { Results: [{ KV: { Session: a, LockIndex: 1 } }] } })
    expect(whats(await transaction(world, { Verb: 'lock', Key: 'k', Session: b }))).toEqual([
      '0: failed to lock key "k", lock is already held',
    ])
    expect(whats(await transaction(world, { Verb: 'unlock', Key: 'k', Session: b }))).toEqual([
      '0: failed to unlock key "k", lock isn\'t held, or is held by another session',
    ])
    const checked = await transaction(world, { Verb: 'check-session', Key: 'k', Session: a })
    expect(checked).toMatchObject({ status: 200, value: { Results: [{ KV: { Key: 'k', Value: null } }] } })
    await world.request('PUT', `/v1/session/destroy/${a}`)
    expect(world.server.read().count(holdsTable)).toBe(0)
    const late = () => transaction(world, { Verb: 'lock', Key: 'k', Session: b })
    expect(whats(await late())).toEqual(['0: failed to lock key "k" due to lock delay'])
    await world.clock.advance(5_000)
    expect(await late()).toMatchObject({ status: 200 })
    expect(whats(await transaction(world, { Verb: 'lock', Key: 'k', Session: 'nobody' }))).toEqual([
      '0: invalid session "nobody"',
    ])
  })

  it('tells of a lock or unlock without a session, and of every other operation that fails beside it', async () => {
    const world = await begun()
    const failed = await transaction(
      world,
      { Verb: 'lock', Key: 'k' },
      { Verb: 'get', Key: 'none' },
      { Verb: 'unlock', Key: 'k' },
      { Verb: 'check-session', Key: 'none', Session: 'x' },
    )
    expect(whats(failed)).toEqual([
      '0: missing session',
      '1: key "none" doesn\'t exist',
      '2: missing session',
      '3: failed to check session, key "none" doesn\'t exist',
    ])
  })

  it('that unlocks tells the LockIndex that the key keeps', async () => {
    const world = await begun()
    const id = await world.create()
    await transaction(world, { Verb: 'lock', Key: 'k', Session: id })
    const freed = await transaction(world, { Verb: 'unlock', Key: 'k', Session: id })
    expect(freed).toMatchObject({ status: 200, value: { Results: [{ KV: { LockIndex: 1 } }] } })
  })

  it('that is taken back leaves a lock with its holder', async () => {
    const world = await begun()
    const id = await world.create()
    await world.request('PUT', `/v1/kv/k?acquire=${id}`, 'v')
    await transaction(
      world,
      { Verb: 'unlock', Key: 'k', Session: id },
      { Verb: 'delete', Key: 'k' },
      { Verb: 'get', Key: 'nope' },
    )
    expect(await world.entry('k')).toMatchObject({ Session: id, LockIndex: 1 })
    await world.request('PUT', `/v1/session/destroy/${id}`)
    expect((await world.entry('k'))?.['Session']).toBeUndefined()
  })

  it('forgets what it read when that is large, and says so in a repetition', async () => {
    const world = await begun()
    for (const [size, remembered] of [
      [10, true],
      [5000, false],
    ] as const) {
      await world.request('PUT', '/v1/kv/big', new Uint8Array(size))
      const operations = ['set', 'get'].map((verb, at) => ({
        verb,
        key: byteString(at === 0 ? 'small' : 'big'),
        value: utf8(''),
        flags: 0n,
        index: 0n,
        session: '',
      }))
      const identity = { origin: 'a/b', sequence: size }
      const first = await applyEndpoint.serve(world.server.context, { operations }, identity, unrestricted)
      const index = (await world.entry('small'))?.['ModifyIndex']
      const again = await applyEndpoint.serve(world.server.context, { operations }, identity, unrestricted)
      expect(first).toMatchObject({ ok: true, value: { kind: 'done' } })
      if (remembered) expect(again).toEqual(first)
      else expect(again).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } })
      expect((await world.entry('small'))?.['ModifyIndex']).toBe(index)
    }
  })
})

describe('what is remembered of a refusal', () => {
  it('is short, however long what the client sent: each of thousands of writes leaves its outcome in the state', () => {
    const long = 'x'.repeat(5_000)
    const errors = [{ operation: 3, what: `key "${long}" exists` }]
    const short = expect.stringMatching(/^.{1,64}$/)
    const failed = { kind: 'failed', errors: [{ operation: 3, what: short }] }
    expect(transactionApply.remembered?.({ kind: 'failed', errors })).toEqual(failed)
    expect(sessionCreate.remembered?.({ refusal: long })).toEqual({ refusal: short })
    expect(catalogRegister.remembered?.({ refusal: long })).toEqual({ refusal: short })
    for (const write of [tokenCreate, tokenUpdate]) {
      expect(write.remembered?.({ refusal: long })).toEqual({ refusal: short })
    }
  })

  it('is the whole of a usual one', () => {
    const failed = { kind: 'failed', errors: [{ operation: 0, what: 'key "a" exists' }] } as const
    expect(transactionApply.remembered?.(failed)).toEqual(failed)
    for (const outcome of [{ refusal: 'no' }, { id: 'a' }]) expect(sessionCreate.remembered?.(outcome)).toEqual(outcome)
    expect(catalogRegister.remembered?.({ refusal: null })).toEqual({ refusal: null })
  })
})

describe('a transaction under the identity of another write', () => {
  const operations = [
    { verb: 'set' as const, key: byteString('k'), value: utf8('v'), flags: 0n, index: 0n, session: '' },
  ]
  const put = { key: byteString('k'), value: utf8('v'), flags: 0n }

  it('is told that its outcome is unknown, and is not given that of the other: on this server, and on one that was restored', async () => {
    const { server } = await begun()
    const identity = { origin: 'a/b', sequence: 7 }
    const { context } = server
    expect(await putEndpoint.serve(context, put, identity, unrestricted)).toMatchObject({ ok: true })
    const asTransaction = () => applyEndpoint.serve(context, { operations }, identity, unrestricted)
    expect(await asTransaction()).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } })
    const restore = server.state.restore()
    const snapshot = server.state.snapshot()
    for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) restore.write(piece)
    expect(restore.finish().ok).toBe(true)
    expect(await asTransaction()).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } })
    expect(await putEndpoint.serve(context, put, identity, unrestricted)).toEqual({ ok: true, value: true })
  })
})

describe('a transaction that only reads', () => {
  it('is no command, and answers as a read does', async () => {
    const world = await begun()
    await world.request('PUT', '/v1/kv/t/a', 'x')
    await world.request('PUT', '/v1/kv/t/b', 'y')
    const before = world.server.index
    const response = await transaction(
      world,
      { Verb: 'get-tree', Key: 't/' },
      { Verb: 'get-tree', Key: 'none' },
      { Verb: 'check-index', Key: 't/a', Index: 3 },
      { Verb: 'check-not-exists', Key: 'none' },
    )
    expect(response).toMatchObject({
      status: 200,
      contact: { knownLeader: true, lastContactMs: 0 },
      value: {
        Results: [{ KV: { Key: 't/a', Value: 'eA==' } }, { KV: { Key: 't/b' } }, { KV: { Key: 't/a', Value: null } }],
        Errors: null,
        Index: 0,
        LastContact: 0,
        KnownLeader: true,
        ConsistencyLevel: '',
      },
    })
    expect(world.server.index).toBe(before)
  })

  it('takes the consistency that is asked for, and never waits', async () => {
    const world = await begun()
    await world.server.request('PUT', '/v1/txn?stale&index=7&wait=5s', '[]')
    expect(world.server.reads.at(-1)).toMatchObject({ consistency: 'stale', minIndex: 0, waitMs: 0 })
  })

  it('fails with what does not hold', async () => {
    const world = await begun()
    await world.request('PUT', '/v1/kv/k', 'x')
    const failed = await transaction(
      world,
      { Verb: 'get', Key: 'none' },
      { Verb: 'check-index', Key: 'k', Index: 9 },
      { Verb: 'check-session', Key: 'k', Session: 'x' },
      { Verb: 'check-index', Key: 'none', Index: 1 },
      { Verb: 'check-session', Key: 'none', Session: 'x' },
      { Verb: 'check-not-exists', Key: 'k' },
      { Verb: 'constructor', Key: 'k' },
      { Verb: 'get', Key: '' },
      { Verb: 'get-tree', Key: '' },
    )
    expect(whats(failed)).toEqual([
      '0: key "none" doesn\'t exist',
      '1: failed index check for key "k", current modify index 3 != 9',
      '2: failed session check for key "k", current session "" != "x"',
      '3: failed to check index, key "none" doesn\'t exist',
      '4: failed to check session, key "none" doesn\'t exist',
      '5: key "k" exists',
      '6: unknown KV verb "constructor"',
      '7: Must provide key',
      '8: Must provide key',
    ])
    const [stale] = [await world.server.request('PUT', '/v1/txn?stale', '[{"KV":{"Verb":"get","Key":""}}]')]
    expect(stale).toMatchObject({ status: 409, value: { Errors: [{ OpIndex: 0, What: 'Must provide key' }] } })
  })
})

describe('limits of a transaction', () => {
  const set = (key: string, bytes: number): Operation => ({
    Verb: 'set',
    Key: key,
    Value: Buffer.alloc(bytes).toString('base64'),
  })

  it('64 operations, and no more', async () => {
    const world = await begun()
    const some = (count: number) => Array.from({ length: count }, (_, i) => set(`k${i}`, 1))
    expect(await transaction(world, ...some(64))).toMatchObject({ status: 200 })
    expect(failureOf(await transaction(world, ...some(65)))).toBe(
      'too-large: Transaction contains too many operations (65 > 64)',
    )
  })

  it('512 KiB in one value, and in all of them together', async () => {
    const world = await begun()
    expect(await transaction(world, set('a', 524_288))).toMatchObject({ status: 200 })
    expect(failureOf(await transaction(world, set('a', 524_289)))).toBe(
      'too-large: Value for key "a" is too large (524289 > 524288 bytes)',
    )
    expect(failureOf(await transaction(world, set('a', 300_000), set('b', 300_000)))).toBe(
      'too-large: Cumulative size of key data is too large (600000 > 524288 bytes)',
    )
  })

  it('8 MiB in the trees that it reads, before it takes effect', async () => {
    const world = await begun()
    for (const name of ['a', 'b', 'c']) await world.request('PUT', `/v1/kv/t/${name}`, new Uint8Array(400_000))
    const trees = (count: number) => Array.from({ length: count }, () => ({ Verb: 'get-tree', Key: 't/' }))
    expect(await transaction(world, set('x', 1), ...trees(6))).toMatchObject({ status: 200 })
    const index = world.server.index
    const what = 'the trees that this transaction reads are larger than 8388608 bytes: read them by themselves'
    expect(whats(await transaction(world, set('x', 1), ...trees(8)))).toEqual([`7: ${what}`])
    expect(whats(await transaction(world, ...trees(7)))).toEqual([`6: ${what}`])
    const stale = await world.server.request('PUT', '/v1/txn?stale', JSON.stringify(trees(7).map((KV) => ({ KV }))))
    expect(whats(stale)).toEqual([`6: ${what}`])
    expect(world.server.index).toBe(index)
  })

  it('is told what it did when it is repeated, though the trees that it read have grown past that', async () => {
    const world = await begun()
    const operation = (verb: 'set' | 'get-tree', key: string) => {
      return { verb, key: byteString(key), value: utf8(''), flags: 0n, index: 0n, session: '' }
    }
    const operations = [operation('set', 'x'), operation('get-tree', 't/')]
    const run = (sequence: number) =>
      applyEndpoint.serve(world.server.context, { operations }, { origin: 'a/b', sequence }, unrestricted)
    const first = await run(1)
    expect(first).toMatchObject({ ok: true, value: { kind: 'done' } })
    for (let at = 0; at < 17; at++) await world.request('PUT', `/v1/kv/t/${at}`, new Uint8Array(500_000))
    expect(await run(1)).toEqual(first)
    expect(await run(2)).toMatchObject({ ok: true, value: { kind: 'failed', errors: [{ operation: 1 }] } })
    world.server.raftStatus = { ...world.server.raftStatus, role: 'follower' }
    expect(await run(3)).toEqual({ ok: false, error: { kind: 'no-leader' } })
  })

  it('no server reads more of trees than that, though the leader saw less of them', async () => {
    const world = await begun()
    for (const name of ['a', 'b', 'c']) await world.request('PUT', `/v1/kv/t/${name}`, new Uint8Array(400_000))
    const operation = (verb: string, key: string) => {
      return { verb, key: byteString(key), value: utf8(''), flags: 0n, index: 0n, session: '', delayOver: 0 }
    }
    const trees = Array.from({ length: 63 }, () => operation('get-tree', 't/'))
    const applied = await world.server.context.propose(transactionApply, {
      operations: [operation('set', 'x'), ...trees],
    })
    expect(applied).toEqual({ ok: true, value: { kind: 'forgotten' } })
    expect(await world.entry('x')).toBeDefined()
    const failed = await world.server.context.propose(transactionApply, {
      operations: [...trees, operation('get', 'y')],
    })
    expect(failed).toMatchObject({ value: { kind: 'failed', errors: [{ operation: 63 }] } })
  })

  it('64 trees of many keys cost what one of 8 MiB does', () => {
    let visited = 0
    const row = { key: 'k', value: '', flags: 0n, lockIndex: 0, session: '', createIndex: 1, modifyIndex: 1 }
    const tx = {
      *prefix() {
        for (let at = 0; at < 10_000; at++) {
          visited++
          yield row
        }
      },
    } as unknown as ReadTransaction
    const trees = Array.from({ length: 64 }, () => ({ verb: 'get-tree', key: 'k', index: 0n, session: '' }))
    expect(runAll(trees, (question, room) => runRead(tx, question, room))).toEqual({ kind: 'too-large', operation: 6 })
    expect(visited).toBeLessThan(70_000)
  })

  it.each([
    ['', 'EOF'],
    ['{}', 'unexpected raw type: map[]'],
    [
      '{"KV":{"Index":18446744073709551615},"a":[1,{}]}',
      'unexpected raw type: {"KV":{"Index":18446744073709551615},"a":[1,{}]}',
    ],
    [`{"a":"${'x'.repeat(400)}"}`, `unexpected raw type: {"a":"${'x'.repeat(194)}…`],
    ['[{"KV":{"Verb":"set","Key":"x","Value":"***"}}]', 'failed to decode value: illegal base64 data'],
    ['[{"KV":{"Flags":-1}}]', "1 error(s) decoding:\n\n* '[0].KV.Flags' is not an unsigned 64-bit integer"],
    ['[{"KV":{"Index":1.5}}]', "1 error(s) decoding:\n\n* '[0].KV.Index' is not an unsigned 64-bit integer"],
    [
      '[{"KV":{"Verb":1}}]',
      "1 error(s) decoding:\n\n* '[0].KV.Verb' expected type 'string', got unconvertible type 'float64'",
    ],
  ])('a body %j is the caller’s mistake', async (body, why) => {
    const world = await begun()
    expect(failureOf(await world.server.request('PUT', '/v1/txn', body))).toBe(
      `bad-request: Failed to parse body: ${why}`,
    )
  })

  it('flags and indexes of 64 bits come through digit for digit', async () => {
    const world = await begun()
    const body = '[{"KV":{"Verb":"set","Key":"k","Flags":18446744073709551615}}]'
    expect(await world.server.request('PUT', '/v1/txn', body)).toMatchObject({
      value: { Results: [{ KV: { Flags: 18446744073709551615n } }] },
    })
  })
})

describe('any transaction', () => {
  const verbs = [
    'set',
    'cas',
    'lock',
    'unlock',
    'delete',
    'delete-cas',
    'delete-tree',
    'get',
    'check-index',
    'check-not-exists',
  ]

  it('that fails leaves a state that is, in every byte, as if it had not been', async () => {
    const world = await begun()
    const id = await world.create()
    await world.request('PUT', `/v1/kv/a?acquire=${id}`, 'v')
    await world.request('PUT', '/v1/kv/ab', 'v')
    const operation = fc.record({
      verb: fc.constantFrom(...verbs),
      key: fc.constantFrom('a', 'ab', 'b', 'c'),
      value: fc.uint8Array({ maxLength: 3 }),
      flags: fc.bigInt({ min: 0n, max: 3n }),
      index: fc.bigInt({ min: 0n, max: 6n }),
      session: fc.constantFrom(id, 'x'),
      delayOver: fc.constant(0),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 6 }), async (operations) => {
        const before = world.server.state.store.digest()?.digest
        const outcome = await world.server.context.propose(transactionApply, { operations })
        if (!outcome.ok) throw new Error(outcome.error.kind)
        const after = world.server.state.store.digest()?.digest
        if (outcome.value.kind === 'failed') expect(after).toBe(before)
      }),
      { numRuns: 300 },
    )
  })
})
