import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Calls } from '../../../src/agent/requests/asking/calls.ts'
import { ServerTarget } from '../../../src/agent/requests/asking/server-target.ts'
import type { EndpointRequest } from '../../../src/agent/requests/request.ts'
import type { Dispatch } from '../../../src/agent/requests/serving/dispatch.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { CallOptions } from '../../../src/features/contract/call.ts'
import type { QueryEndpoint, ServerEndpoint, WriteEndpoint } from '../../../src/features/contract/endpoint.ts'
import { listOfAll, replyWith } from '../../../src/features/contract/reply.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { modifyIndexOf, noChange } from '../../../src/model/log-position.ts'
import type { Raft, RaftStatus } from '../../../src/raft/raft.ts'
import type { RpcCall } from '../../../src/rpc/requests-in-flight.ts'
import type { CallFailure, Rpc } from '../../../src/rpc/rpc.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const endpoint = { method: 'Test.Write', kind: 'write', reply: z.unknown() } as unknown as WriteEndpoint
const elsewhere = { id: 'b', address: '10.0.0.2:8300' }

interface Attempt {
  readonly call: RpcCall
  readonly answer: (result: Result<unknown, CallFailure>) => void
}

/** The calls of one server: the test decides which server leads, and what the leader answers. */
class Held {
  readonly clock = new HandClock()
  readonly env = {
    ...this.clock.env,
    random: { draws: () => ({ below: () => 50, fraction: () => 0 }) },
  } as unknown as typeof this.clock.env
  readonly attempts: Attempt[] = []
  readonly listeners = new Set<(status: RaftStatus) => void>()
  leader: RaftStatus['leader'] = elsewhere
  readonly calls: Calls
  standIn = ''

  constructor() {
    const raft = {
      status: () => ({ role: 'follower', leader: this.leader }),
      onRoleChange: (use: (status: RaftStatus) => void) => {
        this.listeners.add(use)
        return { close: () => this.listeners.delete(use) }
      },
    } as unknown as Raft
    const rpc = {
      request: (_address: string, call: RpcCall) => {
        const { promise, resolve } = this.env.deferred<Result<unknown, CallFailure>>()
        this.attempts.push({ call, answer: resolve })
        return promise
      },
    } as unknown as Rpc
    const target = new ServerTarget({
      rpc,
      raft,
      dispatch: { answerNow: () => undefined } as unknown as Dispatch,
      ownAddress: '10.0.0.1:8300',
      stateIndex: () => noChange,
    })
    this.calls = Calls.of({
      env: this.env,
      target,
      datacenter: 'dc1',
      holdMs: 7_000,
      origin: 'a/1',
      standInToken: () => this.standIn,
    })
  }

  write(options: CallOptions = {}): { result: Result<unknown, Failure> | undefined } {
    const seen: { result: Result<unknown, Failure> | undefined } = { result: undefined }
    void this.calls.write(endpoint, {}, options).then((result) => {
      seen.result = result
    })
    return seen
  }

  async answer(result: Result<unknown, CallFailure>): Promise<void> {
    this.attempts.at(-1)?.answer(result)
    await settled()
  }

  tellLeader(leader: RaftStatus['leader']): void {
    this.leader = leader
    for (const listener of this.listeners) listener({ leader } as RaftStatus)
  }
}

const plainRead = { consistency: 'consistent' as const, minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }
const lost = err({ kind: 'connection-lost', message: 'the peer reset it' } as const)
const uncertain = 'the write may have taken effect: the connection to a server was lost (the peer reset it)'
const overloaded = err({ kind: 'overloaded', message: 'too many writes under way' } as const)

describe('the token of a call', () => {
  it('goes with every request, and another stands in where there is none', async () => {
    const held = new Held()
    held.write({ token: 'secret' })
    held.write()
    held.standIn = 'default'
    held.write({ token: '' })
    void held.calls.ask({ ...endpoint, kind: 'server', leader: true } as never, {}, plainRead, {})
    void held.calls.query({ ...endpoint, kind: 'query' } as never, {}, plainRead, {})
    await settled()
    const tokens = held.attempts.map(({ call }) => (call.body as { token?: string }).token)
    expect(tokens).toEqual(['secret', undefined, 'default', 'default', 'default'])
    held.calls.stop()
  })
})

describe('an agent whose default token is none', () => {
  const read = { consistency: 'default' as const, minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }
  const query = { method: 'Test.Read', kind: 'query', reply: z.unknown() } as unknown as QueryEndpoint<object, unknown>

  it('says so, once in a minute, when a call that brings no token of its own is refused for it', async () => {
    const held = new Held()
    const { logged } = held.clock
    const ask = async (token: string): Promise<void> => {
      void held.calls.query(query, {}, read, { token })
      await settled()
      await held.answer(err({ kind: 'token-not-found' }))
    }
    await ask('')
    expect(logged, 'it has none').toEqual([])
    held.standIn = 'gone'
    await ask('own')
    expect(logged, 'the fault is the caller’s').toEqual([])
    await ask('')
    await ask('')
    expect(logged).toEqual([expect.stringContaining('the default token of this agent does not exist')])
    await held.clock.advance(60_000)
    await ask('')
    expect(logged).toHaveLength(2)
  })
})

describe('a malformed answer of an endpoint', () => {
  const right = { index: 5, knownLeader: true, lastContactMs: 0 }
  const isText = (value: unknown): value is string => typeof value === 'string'
  const base = { method: 'Test.Shape', reply: z.array(z.object({ key: z.string() })) }
  const write = { ...base, kind: 'write' } as unknown as WriteEndpoint
  const query = { ...base, kind: 'query' } as unknown as QueryEndpoint
  const rows = { ...base, kind: 'query', reply: replyWith(listOfAll(isText)) } as unknown as QueryEndpoint
  const server = { ...base, kind: 'server', leader: true } as unknown as ServerEndpoint
  const malformed = err({ kind: 'malformed-answer', method: 'Test.Shape' })

  const answered = async (ask: (calls: Calls) => Promise<unknown>, answer: unknown): Promise<unknown> => {
    const held = new Held()
    const asked = ask(held.calls)
    await settled()
    await held.answer(ok(answer))
    return asked
  }

  it.each([[undefined], [null], ['text'], [{}], [[{ key: 1 }]], [[{}]], [[null]]])(
    'fails a call: %j',
    async (wrong) => {
      expect(await answered((calls) => calls.ask(server, {}, plainRead, {}), wrong)).toEqual(malformed)
    },
  )

  it.each([[undefined], [[]], [{ meta: right }], [{ value: [], meta: {} }], [{ value: [{ key: 1 }], meta: right }]])(
    'fails a read: %j',
    async (wrong) => {
      expect(await answered((calls) => calls.query(query, {}, plainRead, {}), wrong)).toEqual(malformed)
      const waiting = { ...plainRead, minIndex: modifyIndexOf(1), waitMs: 1_000 }
      expect(await answered((calls) => calls.query(query, {}, waiting, {}), wrong)).toEqual(malformed)
    },
  )

  it('fails a read of many rows where one of them is another', async () => {
    const ask = (calls: Calls) => calls.query(rows, {}, plainRead, {})
    expect(await answered(ask, { value: ['a', 'b', 3], meta: right })).toEqual(malformed)
    expect(await answered(ask, { value: ['a', 'b'], meta: right })).toEqual(ok({ value: ['a', 'b'], meta: right }))
  })

  it('leaves the fate of a write unknown: the server that gave it may have made the change', async () => {
    const unknown = { kind: 'outcome-unknown', message: 'Test.Shape: malformed answer' }
    expect(await answered((calls) => calls.write(write, {}, {}), true)).toEqual(err(unknown))
  })

  it('is none for members that this release does not know, which stay', async () => {
    const later = [{ key: 'a', since: 'a later release' }]
    expect(await answered((calls) => calls.write(write, {}, {}), later)).toEqual(ok(later))
    expect(await answered((calls) => calls.ask(server, {}, plainRead, {}), later)).toEqual(ok(later))
    const answer = { value: later, meta: right }
    expect(await answered((calls) => calls.query(query, {}, plainRead, {}), answer)).toEqual(ok(answer))
  })
})

describe('a blocking read at a server that loses its leadership', () => {
  const query = { method: 'Test.Read', kind: 'query', reply: z.unknown() } as unknown as QueryEndpoint<object, unknown>
  const read = { ...plainRead, minIndex: modifyIndexOf(7), waitMs: 20_000 }

  /** The options of the second attempt, when the first was refused after `afterMs`. */
  async function askedAgain(afterMs: number): Promise<unknown> {
    const clock = new HandClock()
    const asked: unknown[] = []
    const refused = clock.env.deferred<Result<unknown, CallFailure>>()
    const target = {
      nobody: { kind: 'no-leader' },
      answersHere: () => true,
      answerNow: () => undefined,
      onHope: () => ({ close: () => {} }),
      attempt: (_: unknown, request: EndpointRequest) => {
        asked.push(request.read)
        return refused.promise
      },
    } as const
    const env = { ...clock.env, random: { draws: () => ({ below: () => 0 }) } } as unknown as typeof clock.env
    const calls = Calls.of({ env, target, datacenter: 'dc1', holdMs: 7_000, origin: 'a/1' })
    void calls.query(query, {}, read, {})
    await settled()
    await clock.advance(afterMs)
    refused.resolve(err({ kind: 'not-leader', leader: undefined }))
    await settled()
    await clock.advance(50)
    expect(asked[0]).toEqual(read)
    calls.stop()
    return asked[1]
  }

  it('waits at the next leader for the rest of its wait', async () => {
    expect(await askedAgain(11_000)).toEqual({ ...read, waitMs: 8_950 })
  })

  it('reads at once where nothing is left of its wait', async () => {
    expect(await askedAgain(20_000)).toEqual({ ...read, minIndex: noChange, waitMs: 0 })
  })
})

describe('a held write', () => {
  it('keeps its identity over all attempts', async () => {
    const held = new Held()
    const write = held.write()
    await held.answer(lost)
    await held.clock.advance(150)
    await held.answer(ok(true))
    expect(write.result).toEqual(ok(true))
    const identities = held.attempts.map(({ call }) => (call.body as { identity: unknown }).identity)
    expect(identities).toEqual([
      { origin: 'a/1', sequence: 0 },
      { origin: 'a/1', sequence: 0 },
    ])
  })

  it('goes on as soon as a leader is known', async () => {
    const held = new Held()
    held.leader = undefined
    held.write()
    await settled()
    expect(held.attempts).toHaveLength(0)
    held.tellLeader(elsewhere)
    await settled()
    expect(held.attempts).toHaveLength(1)
    expect(held.clock.timers).toBe(0)
  })

  it('finds no leader when the hold time is over and nothing ever left this server', async () => {
    const held = new Held()
    held.leader = undefined
    const write = held.write()
    await settled()
    await held.clock.advance(6_900)
    expect(write.result).toBeUndefined()
    await held.clock.advance(200)
    expect(write.result).toEqual(err({ kind: 'no-leader' }))
  })

  it.each([
    [lost, uncertain],
    [err({ kind: 'deadline-exceeded', message: 'no answer' } as const), 'no answer'],
  ])(
    'is of unknown outcome once an attempt may have been served and none told its fate: %j',
    async (first, message) => {
      const held = new Held()
      const write = held.write()
      await held.answer(first)
      held.leader = undefined
      await held.clock.advance(7_200)
      expect(write.result).toEqual(err({ kind: 'outcome-unknown', message }))
    },
  )

  it('is not told as refused when only a later attempt was refused', async () => {
    const held = new Held()
    const write = held.write()
    await held.answer(lost)
    await held.clock.advance(150)
    await held.answer(overloaded)
    expect(write.result).toMatchObject({ error: { kind: 'outcome-unknown' } })

    const other = held.write()
    await held.answer(overloaded)
    expect(other.result).toEqual(overloaded)
  })

  it.each<Failure>([
    { kind: 'token-not-found' },
    { kind: 'permission-denied', message: 'Permission denied' },
    { kind: 'no-leader' },
    { kind: 'unknown-method', method: 'Test.Write' },
  ])('is not told as refused by a later $kind, which says nothing about an earlier attempt', async (failure) => {
    const held = new Held()
    const write = held.write()
    await held.answer(lost)
    await held.clock.advance(150)
    await held.answer(err(failure))
    expect(write.result).toEqual(err({ kind: 'outcome-unknown', message: uncertain }))
    const other = held.write()
    await held.answer(err(failure))
    expect(other.result).toEqual(err(failure))
  })

  it('is not sent again when the server knows that its answer is lost for good', async () => {
    const held = new Held()
    const write = held.write()
    const gone = err({ kind: 'outcome-unknown', message: 'what it read is no longer known', final: true } as const)
    await held.answer(gone)
    expect(write.result).toEqual(gone)
    expect([held.attempts.length, held.clock.timers]).toEqual([1, 0])
  })

  it('is told as refused when a later attempt judged it, which finds what an earlier one did', async () => {
    const held = new Held()
    const write = held.write()
    await held.answer(lost)
    await held.clock.advance(150)
    const judged = err({ kind: 'bad-request', message: 'no such node' } as const)
    await held.answer(judged)
    expect(write.result).toEqual(judged)
  })

  it('is not sent again when its caller goes away in a pause', async () => {
    const held = new Held()
    let leave = (): void => {}
    const write = held.write({
      onAbort: (use) => {
        leave = use
      },
    })
    await held.answer(lost)
    leave()
    await settled()
    expect(write.result).toEqual(err({ kind: 'cancelled' }))
    expect(held.attempts).toHaveLength(1)
    expect(held.clock.timers).toBe(0)
  })

  it('tells an attempt at once that its caller goes away, also when the attempt listens only later', async () => {
    const held = new Held()
    let leave = (): void => {}
    held.write({
      onAbort: (use) => {
        leave = use
      },
    })
    leave()
    let told = 0
    held.attempts[0]?.call.onAbort?.(() => told++)
    expect(told).toBe(1)
  })

  it('ends when the agent stops, and the agent listens no more', async () => {
    const held = new Held()
    held.leader = undefined
    const write = held.write()
    await settled()
    held.calls.stop()
    await settled()
    expect(write.result).toEqual(err({ kind: 'shutting-down' }))
    expect([held.clock.timers, held.listeners.size]).toEqual([0, 0])
  })

  it('does not pause for another attempt after the stop has ended one', async () => {
    const held = new Held()
    const write = held.write()
    await settled()
    held.calls.stop()
    await held.answer(lost)
    expect(write.result).toEqual(err({ kind: 'outcome-unknown', message: uncertain }))
    expect([held.clock.timers, held.attempts.length]).toEqual([0, 1])
  })
})
