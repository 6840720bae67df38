import { describe, expect, it } from 'vitest'
import type { ParkedRead } from '../../../src/agent/boot/observer.ts'
import { ServerTarget } from '../../../src/agent/requests/asking/server-target.ts'
import { Dispatch } from '../../../src/agent/requests/serving/dispatch.ts'
import { ok } from '../../../src/base/result.ts'
import { catalogFeature } from '../../../src/features/catalog/feature.ts'
import type { QueryEndpoint } from '../../../src/features/contract/endpoint.ts'
import type { Answer, ReadOptions, Standing } from '../../../src/features/contract/reading.ts'
import { kvFeature } from '../../../src/features/kv/feature.ts'
import { modifyIndexOf, noChange } from '../../../src/model/log-position.ts'
import type { Raft, RaftStatus } from '../../../src/raft/raft.ts'
import type { Rpc } from '../../../src/rpc/rpc.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { LoneServer } from '../features/lone-server.ts'

/** A server that is asked for a key that was never written, to wait for it, with no freshness asked for. */
class Parking {
  readonly clock = new HandClock()
  readonly #server = new LoneServer(this.clock.env)
  readonly dispatch: Dispatch
  result: unknown
  /** What an observer was told, and how often that it was over. */
  readonly told: ParkedRead[] = []
  over = 0

  constructor() {
    const raft = { ...this.#server.context.raft } as unknown as Raft
    this.dispatch = new Dispatch(
      { ...this.#server.context, raft },
      this.#server.state.store,
      kvFeature.endpoints ?? [],
      {
        readParked: (read) => {
          this.told.push(read)
          return () => {
            this.over++
          }
        },
      },
    )
  }

  async ask(onAbort?: (use: () => void) => void): Promise<void> {
    const read = {
      consistency: 'stale' as const,
      minIndex: modifyIndexOf(1),
      waitMs: 60_000,
      maxStaleMs: 0,
      datacenter: '',
    }
    const caller = onAbort === undefined ? {} : { onAbort }
    void this.dispatch.serve('KV.Get', { args: { key: 'a' }, read }, caller).then((result) => {
      this.result = result
    })
    await settled()
  }
}

const shuttingDown = { ok: false, error: { kind: 'shutting-down' } }
const cancelled = { ok: false, error: { kind: 'cancelled' } }

describe('a parked read', () => {
  it('ends with the agent and leaves no timer, and later ones do not park', async () => {
    const parking = new Parking()
    await parking.ask()
    expect([parking.result, parking.clock.timers]).toEqual([undefined, 1])
    parking.dispatch.stop()
    await settled()
    expect([parking.result, parking.clock.timers]).toEqual([shuttingDown, 0])
    parking.result = undefined
    await parking.ask()
    expect([parking.result, parking.clock.timers]).toEqual([shuttingDown, 0])
  })

  it('ends when its caller goes away', async () => {
    const parking = new Parking()
    let leave = (): void => {}
    await parking.ask((use) => {
      leave = use
    })
    leave()
    await settled()
    expect([parking.result, parking.clock.timers]).toEqual([cancelled, 0])
  })

  it('is not parked for a caller that has gone already', async () => {
    const parking = new Parking()
    await parking.ask((use) => use())
    expect([parking.result, parking.clock.timers]).toEqual([cancelled, 0])
  })

  it('is told to an observer, with what it found and would find now, and when it is parked no more', async () => {
    const parking = new Parking()
    await parking.ask()
    const [read] = parking.told
    expect(read).toMatchObject({
      method: 'KV.Get',
      args: { key: 'a' },
      minIndex: modifyIndexOf(1),
      found: { index: 1, value: null },
    })
    expect(read?.now()).toEqual(read?.found)
    expect(parking.over).toBe(0)
    parking.dispatch.stop()
    await settled()
    expect([parking.told.length, parking.over]).toEqual([1, 1])
  })
})

describe('a read that need not wait', () => {
  const read = { consistency: 'default' as const, minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }

  it('is answered in the same turn where it may be stale, or where the lease holds and all is applied; otherwise not', async () => {
    const server = new LoneServer(new HandClock().env)
    let isLeased = true
    const raft = { ...server.context.raft, leaseReadsNow: () => isLeased } as unknown as Raft
    const dispatch = new Dispatch({ ...server.context, raft }, server.state.store, kvFeature.endpoints ?? [])
    const get = dispatch.endpoint('KV.Get') as QueryEndpoint
    const now = (asked: Partial<ReadOptions>) => {
      const answer = dispatch.answerNow(get, { key: 'a' }, { ...read, ...asked }, '')
      return answer?.ok === true ? answer.value : answer
    }
    await server.request('PUT', '/v1/kv/a', 'x')
    expect(now({})).toMatchObject({ value: { key: 'a' }, meta: { index: server.index } })
    expect(now({ consistency: 'consistent' })).toBeUndefined()
    expect(now({ minIndex: modifyIndexOf(1) })).toBeUndefined()
    isLeased = false
    expect(now({})).toBeUndefined()
    expect(now({ consistency: 'stale' })).toMatchObject({ value: { key: 'a' } })
  })
})

describe('a server that has not caught up since it started', () => {
  const stale = { consistency: 'stale' as const, minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }
  const get = { args: { key: 'a' }, read: stale }

  function started(status: Partial<RaftStatus>) {
    const server = new LoneServer(new HandClock().env)
    server.raftStatus = { ...server.raftStatus, role: 'follower', lastContactMs: 5, ...status }
    const asked: string[] = []
    let hasCaughtUp = false
    const raft = {
      ...server.context.raft,
      hasCaughtUp: () => hasCaughtUp,
      leaseRead: async () => {
        asked.push('lease')
        return ok(1)
      },
    } as unknown as Raft
    const dispatch = new Dispatch({ ...server.context, raft }, server.state.store, kvFeature.endpoints ?? [])
    const standing = { index: 9 }
    const meta = { index: modifyIndexOf(12), knownLeader: true, lastContactMs: 0 }
    const rpc = { request: async () => ok({ value: null, meta }) } as unknown as Rpc
    const stateIndex = () => modifyIndexOf(standing.index)
    const target = new ServerTarget({ raft, dispatch, rpc, ownAddress: 'own', stateIndex })
    const endpoint = dispatch.endpoint('KV.Get') as QueryEndpoint
    const catchUp = (): void => {
      hasCaughtUp = true
    }
    const now = () => [
      target.answersHere(endpoint, stale),
      dispatch.answerNow(endpoint, get.args, stale, '') !== undefined,
    ]
    const throughLeader = () => target.attempt(endpoint, get, { onAbort: () => undefined })
    const atOnce = () => target.answerNow(endpoint, get.args, stale, '') !== undefined
    return { dispatch, now, catchUp, asked, standing, throughLeader, atOnce, target, endpoint }
  }

  it('leaves it to its leader to answer, however old the answer may be; then it answers again', async () => {
    const { dispatch, now, catchUp } = started({ leader: { id: 's2', address: 'there' } })
    expect(now()).toEqual([false, false])
    const answer = await dispatch.serve('KV.Get', get, {})
    expect(answer).toEqual({ ok: false, error: { kind: 'not-leader', leader: 'there' } })
    catchUp()
    expect(now()).toEqual([true, true])
    const meta = { knownLeader: true, lastContactMs: 5 }
    expect(await dispatch.serve('KV.Get', get, {})).toMatchObject({ ok: true, value: { meta } })
  })

  it('leaves it to its leader, too, until it knows what the leader has answered in its place', async () => {
    const { catchUp, standing, throughLeader, atOnce, target, endpoint } = started({
      leader: { id: 's2', address: 'there' },
    })
    expect(await throughLeader()).toMatchObject({ ok: true, value: { meta: { index: 12 } } })
    catchUp()
    standing.index = 11
    expect([target.answersHere(endpoint, stale), atOnce()]).toEqual([false, false])
    standing.index = 12
    expect([target.answersHere(endpoint, stale), atOnce()]).toEqual([true, true])
    standing.index = 11
    expect(atOnce()).toBe(true)
  })

  it('answers without a leader, as a server without contact to one', async () => {
    const { dispatch, now } = started({ leader: undefined })
    expect(now()).toEqual([true, false])
    const meta = { knownLeader: false, lastContactMs: 0 }
    expect(await dispatch.serve('KV.Get', get, {})).toMatchObject({ ok: true, value: { meta } })
  })

  it('waits, if it leads itself, until what it says is as new as a leader’s word must be', async () => {
    const { dispatch, asked } = started({ role: 'leader', leader: { id: 's1', address: 'own' } })
    expect(await dispatch.serve('KV.Get', get, {})).toMatchObject({ ok: true })
    expect(asked).toEqual(['lease'])
  })
})

describe('the standing of an answer', () => {
  const stale = { consistency: 'stale' as const, minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }
  const place = (server: LoneServer, node: string, address = '10.0.0.1') =>
    server.request('PUT', '/v1/catalog/register', JSON.stringify({ Node: node, Address: address }))

  async function standingOf(dispatch: Dispatch, method: string, args: unknown): Promise<Standing> {
    const found = await dispatch.serve(method, { args, read: stale }, {})
    const answer = found.ok ? (found.value as Answer<unknown>) : undefined
    const standing = answer?.standing?.()
    if (standing === undefined) throw new Error('no standing')
    return standing
  }

  function served(): { readonly server: LoneServer; readonly dispatch: Dispatch } {
    const clock = new HandClock()
    const server = new LoneServer(clock.env)
    const dispatch = new Dispatch(server.context, server.state.store, catalogFeature.endpoints ?? [])
    return { server, dispatch }
  }

  it('of many rows lasts until one of them changes, and says how fresh the server is by then', async () => {
    const { server, dispatch } = served()
    await place(server, 'a')
    await place(server, 'b')
    const standing = await standingOf(dispatch, 'Catalog.ListNodes', {})
    expect(standing.now()).toEqual({ index: server.state.store.index, knownLeader: true, lastContactMs: 0 })
    await server.request('PUT', '/v1/kv/k', 'v')
    expect(standing.now()).toBeDefined()
    await place(server, 'b', '10.0.0.2')
    expect(standing.now()).toBeUndefined()
  })

  it('of few lasts until the next command, whatever that is', async () => {
    const { server, dispatch } = served()
    await place(server, 'a')
    const standing = await standingOf(dispatch, 'Catalog.NodeServices', { node: 'a' })
    expect(standing.now()).toBeDefined()
    await server.request('PUT', '/v1/kv/k', 'v')
    expect(standing.now()).toBeUndefined()
  })
})
