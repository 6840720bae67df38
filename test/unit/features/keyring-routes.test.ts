import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../src/base/result.ts'
import type { CallOptions } from '../../../src/features/contract/call.ts'
import type { KeyAnswers, KeyRequest } from '../../../src/gossip/pool.ts'
import { HandClock, settled } from './hand-clock.ts'
import { LoneServer } from './lone-server.ts'

const key = 'cg8StVXbQJ0gPvMd9o7yrg=='
const well: KeyAnswers = { nodes: 3, answered: 3, errors: [], keys: [[key, 3]] }

function setUp(answers: KeyAnswers = well) {
  const clock = new HandClock()
  const server = new LoneServer(clock.env)
  const asked: KeyRequest[] = []
  server.lan = {
    keys: async (request: KeyRequest) => {
      asked.push(request)
      return { ok: true, value: answers }
    },
  } as never
  const ask = (line: string, body = '') => {
    const [method, target] = line.split(' ') as ['GET', string]
    return server.request(method, target, body)
  }
  return { server, asked, ask, clock }
}

describe('the keyring', () => {
  it('is listed with how many members have each key', async () => {
    expect(await setUp().ask('GET /v1/operator/keyring')).toEqual({
      kind: 'json',
      value: [{ WAN: false, Datacenter: 'dc1', Segment: '', Keys: { [key]: 3 }, NumNodes: 3 }],
    })
  })

  for (const [method, action] of [
    ['POST', 'install'],
    ['PUT', 'use'],
    ['DELETE', 'remove'],
  ] as const) {
    it(`${method} is to ${action} a key`, async () => {
      const { asked, ask } = setUp()
      const answer = await ask(`${method} /v1/operator/keyring?relay-factor=2`, JSON.stringify({ Key: key }))
      expect(answer).toEqual({ kind: 'empty', status: 200 })
      expect(asked).toEqual([{ action, key, relayFactor: 2 }])
    })
  }

  it('members that could not do it, or did not answer, make it an error', async () => {
    const refused: KeyAnswers = { ...well, errors: [['n2', 'Removing the primary key is not allowed']] }
    expect(await setUp(refused).ask('DELETE /v1/operator/keyring', '{"Key":"x"}')).toMatchObject({
      failure: {
        kind: 'refused',
        message:
          '2 error(s) occurred:\n\n* dc1 (LAN) error: 1/3 nodes reported failure\n* n2: Removing the primary key is not allowed',
      },
    })
    expect(await setUp({ ...well, answered: 2 }).ask('GET /v1/operator/keyring')).toMatchObject({
      failure: { message: '1 error(s) occurred:\n\n* dc1 (LAN) error: 2/3 nodes reported success' },
    })
  })

  it('is that of all datacenters first, where there is one, and failures are reported for each pool', async () => {
    const { server, ask } = setUp()
    const wanAnswers: KeyAnswers = { ...well, nodes: 2, answered: 2, keys: [[key, 2]] }
    server.wan = { keys: async () => ({ ok: true, value: wanAnswers }) } as never
    expect(await ask('GET /v1/operator/keyring')).toEqual({
      kind: 'json',
      value: [
        { WAN: true, Datacenter: 'dc1', Segment: '', Keys: { [key]: 2 }, NumNodes: 2 },
        { WAN: false, Datacenter: 'dc1', Segment: '', Keys: { [key]: 3 }, NumNodes: 3 },
      ],
    })
    const failing = { ...wanAnswers, errors: [['n1.dc1', 'no']] }
    server.wan = { keys: async () => ({ ok: true, value: failing }) } as never
    expect(await ask('GET /v1/operator/keyring')).toMatchObject({
      failure: { message: '2 error(s) occurred:\n\n* WAN error: 1/2 nodes reported failure\n* n1.dc1: no' },
    })
  })

  it('of a datacenter that cannot be reached is told as such', async () => {
    const { server, ask } = setUp()
    server.wanView = { own: undefined, servers: [{ name: 'n2.dc2', datacenter: 'dc2', coordinate: undefined }] }
    expect(await ask('GET /v1/operator/keyring')).toMatchObject({
      failure: { message: '1 error(s) occurred:\n\n* dc2 (LAN) error: No path to datacenter' },
    })
  })

  /** `n2.dc2`, `n3.dc3` and so on, one server in each. */
  function datacenters(count: number) {
    return Array.from({ length: count }, (_, at) => {
      return { name: `n${at + 2}.dc${at + 2}`, datacenter: `dc${at + 2}`, coordinate: undefined }
    })
  }

  it('of several datacenters is asked for in all of them at once, eight at the most, and told in their order', async () => {
    const { server, ask } = setUp()
    const underWay: (() => void)[] = []
    let most = 0
    server.wanView = { own: undefined, servers: datacenters(10) }
    server.askElsewhere = (datacenter) =>
      new Promise((resolve) => {
        underWay.push(() => resolve(ok({ answers: { ...well, nodes: Number(datacenter.slice(2)), answered: 99 } })))
        most = Math.max(most, underWay.length)
      })
    const answer = ask('GET /v1/operator/keyring')
    for (let round = 0; round < 10; round++) {
      await settled()
      // The last one asked answers first.
      underWay.pop()?.()
    }
    expect(most).toBe(8)
    const told = await answer
    if (told.kind !== 'json') throw new Error('it is an answer')
    const pools = told.value as readonly { readonly Datacenter: string; readonly NumNodes: number }[]
    expect(pools.map(({ Datacenter, NumNodes }) => [Datacenter, NumNodes])).toEqual([
      ['dc1', 3],
      ...[10, 11, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => [`dc${number}`, number]),
    ])
  })

  it('of a datacenter that does not answer is given up after its own time, and the others are reported', async () => {
    const { server, ask, clock } = setUp()
    server.wanView = { own: undefined, servers: datacenters(2) }
    server.askElsewhere = (datacenter, call: CallOptions) =>
      datacenter === 'dc3'
        ? Promise.resolve(ok({ answers: { ...well, answered: 1 } }))
        : new Promise((resolve) => call.onAbort?.(() => resolve(err({ kind: 'cancelled' }))))
    const answer = ask('GET /v1/operator/keyring')
    await settled()
    await clock.advance(30_000)
    expect(await answer).toMatchObject({
      failure: {
        message:
          '2 error(s) occurred:\n\n* dc2 (LAN) error: no answer within 30s\n* dc3 (LAN) error: 1/3 nodes reported success',
      },
    })
    expect(clock.timers).toBe(0)
  })

  for (const [factor, message] of [
    ['9', 'Invalid relay factor: Relay factor must be in range: [0, 5]'],
    ['-1', 'Invalid relay factor: Relay factor must be in range: [0, 5]'],
    ['x', 'Error parsing relay factor: strconv.Atoi: parsing "x": invalid syntax'],
  ] as const) {
    it(`a relay factor of ${factor} is refused`, async () => {
      expect(await setUp().ask(`GET /v1/operator/keyring?relay-factor=${factor}`)).toMatchObject({
        failure: { kind: 'bad-request', message },
      })
    })
  }
})
