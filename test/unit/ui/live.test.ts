import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { byName } from '../../../src/http/ui/page/api/by-name.ts'
import { Client, keyPath, pathOf } from '../../../src/http/ui/page/api/client.ts'
import { exact } from '../../../src/http/ui/page/api/exact.ts'
import { type Answer, failureOf } from '../../../src/http/ui/page/api/failure.ts'
import { follow, type Known } from '../../../src/http/ui/page/live/follow.ts'
import {
  checkKey,
  healthHappenings,
  keyHappenings,
  leaderHappenings,
} from '../../../src/http/ui/page/live/happenings.ts'
import { Pause } from '../../../src/http/ui/page/live/pause.ts'
import { happeningsMax, Ring, ringMs } from '../../../src/http/ui/page/live/ring.ts'
import { blockingMax, type Slot, Slots } from '../../../src/http/ui/page/live/slots.ts'
import { hashOf, hrefOf, placeOf, placeOfOtherAddress } from '../../../src/http/ui/page/place/place.ts'
import { agreement } from '../../../src/http/ui/page/shell/use-datacenter-in-address.ts'

const answered = (value: string, index?: string): Answer<string> => ({ ok: true, value, index })
const refused: Answer<string> = { ok: false, failure: { kind: 'refused', text: '', withToken: true } }
const gone: Answer<string> = { ok: false, failure: { kind: 'unreachable' } }

const slotOf = (ended = new AbortController().signal): Slot => ({ ended, giveBack: () => {} })

/** What is asked and shown when these are the answers, in this order. */
async function followed(answers: readonly Answer<string>[], take: () => Slot | undefined = () => slotOf()) {
  const asked: (string | undefined)[] = []
  const shown: Known<string>[] = []
  const left = [...answers]
  await follow<string>({
    query: { stale: '' },
    ask: async (query) => {
      asked.push(query['index'])
      return left.shift() ?? refused
    },
    show: (known) => shown.push(known),
    pause: async () => {},
    take,
    isOver: () => left.length === 0 && shown.length === answers.length,
  })
  return { asked, shown: shown.map(({ value, failure }) => [value, failure?.kind]) }
}

describe('an answer by names of the cluster', () => {
  it('has no value for a name that only every object has', () => {
    const tags = JSON.parse('{"web": ["v1"], "__proto__": ["v2"]}')
    expect(byName(tags, 'web')).toEqual(['v1'])
    expect(byName(tags, '__proto__')).toEqual(['v2'])
    for (const name of ['constructor', 'toString', '__proto__']) expect(byName({}, name)).toBeUndefined()
  })
})

describe('a question that is followed', () => {
  it('waits by its index, and begins anew with one that fell or is none', async () => {
    const { asked } = await followed([answered('a', '5'), answered('b', '7'), answered('c', '3'), answered('d')])
    expect(asked).toEqual([undefined, '5', '7', undefined])
  })

  it('keeps what it knew while there is no answer, and drops it when it is refused', async () => {
    const { asked, shown } = await followed([answered('a', '5'), gone, answered('b', '6'), refused])
    expect(shown).toEqual([
      ['a', undefined],
      ['a', 'unreachable'],
      ['b', undefined],
      [undefined, 'refused'],
    ])
    expect(asked).toEqual([undefined, '5', undefined, '6'])
  })
})

describe('a pause', () => {
  // Far longer than a test may take.
  const longMs = 3_600_000

  it('ends when there is reason to ask at once', async () => {
    const pause = new Pause()
    const waiting = pause.wait(longMs)
    pause.cut()
    await waiting
  })

  it('is left out once, if the reason comes before it: the answer on its way may be older', async () => {
    const pause = new Pause()
    pause.cut()
    await pause.wait(longMs)
    let isOver = false
    const next = pause.wait(longMs).then(() => {
      isOver = true
    })
    await Promise.resolve()
    expect(isOver).toBe(false)
    pause.cut()
    await next
  })
})

describe('connections that wait', () => {
  it('are few, come back, and are none in a tab that is not seen', () => {
    let isSeen = true
    const slots = new Slots(() => isSeen)
    const taken = Array.from({ length: blockingMax }, () => slots.take())
    expect(slots.take()).toBeUndefined()
    taken[0]?.giveBack()
    taken[0]?.giveBack()
    expect([slots.take() !== undefined, slots.take()]).toEqual([true, undefined])
    taken[1]?.giveBack()
    isSeen = false
    expect(slots.take()).toBeUndefined()
  })

  it('are not used by a question that gets none: it asks again without waiting', async () => {
    const { asked } = await followed([answered('a', '5'), answered('b', '7')], () => undefined)
    expect(asked).toEqual([undefined, undefined])
  })
})

const product = { name: 'svc', title: 'Svc', apiRoot: 'http://agent', pageRoot: 'http://agent/ui/' }

describe('a question that waits', () => {
  /** Follows one question with real slots. Its first answer has the index 5, and then nothing changes. */
  function waiting(isSeen: () => boolean) {
    const slots = new Slots(isSeen)
    const client = new Client(product, { token: '', datacenter: '' }, () => slots.beginWrite())
    const pause = new Pause()
    const asked: (string | undefined)[] = []
    const failures: unknown[] = []
    let isOver = false
    client.follow(() => pause.cut())
    const done = follow<string>({
      query: {},
      ask: async (query, ended) => {
        asked.push(query['index'])
        if (query['index'] === undefined) return answered('a', '5')
        await new Promise((resolve) => ended?.addEventListener('abort', resolve))
        return gone
      },
      show: ({ failure }) => failures.push(failure),
      pause: (ms) => pause.wait(ms),
      isOver: () => isOver,
      take: () => slots.take(),
    })
    const end = async (): Promise<void> => {
      isOver = true
      slots.endAll()
      pause.cut()
      await done
    }
    return { slots, client, asked, failures, end, askAgain: () => client.askAgain() }
  }

  it('is ended by a write, and waits for the same index again after its answer, without a failure', async () => {
    const { client, asked, failures, end, askAgain } = waiting(() => true)
    await expect.poll(() => asked).toEqual([undefined])
    askAgain()
    await expect.poll(() => asked).toEqual([undefined, '5'])
    let answer = (_: Response): void => {}
    onTestFinished(() => void vi.unstubAllGlobals())
    vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (answer = resolve)))
    const write = client.ask({ method: 'PUT', path: '/v1/kv/a', body: '1' })
    await new Promise(setImmediate)
    expect(asked).toEqual([undefined, '5'])
    answer(new Response('true'))
    expect(await write).toMatchObject({ ok: true })
    await expect.poll(() => asked).toEqual([undefined, '5', '5'])
    expect(failures).toEqual([undefined])
    await end()
  })

  it('is ended when the tab is hidden, and polled until it is shown again', async () => {
    let isSeen = true
    const { slots, asked, failures, end, askAgain } = waiting(() => isSeen)
    await expect.poll(() => asked).toEqual([undefined])
    askAgain()
    await expect.poll(() => asked).toEqual([undefined, '5'])
    isSeen = false
    slots.endAll()
    askAgain()
    await expect.poll(() => asked).toEqual([undefined, '5', undefined])
    isSeen = true
    askAgain()
    await expect.poll(() => asked).toEqual([undefined, '5', undefined, '5'])
    expect(failures).toEqual([undefined, undefined])
    await end()
  })
})

describe('a request', () => {
  it('is not sent with a token that no header can carry: that is no agent that does not answer', async () => {
    const asked = vi.fn(async () => new Response('[]'))
    onTestFinished(() => void vi.unstubAllGlobals())
    vi.stubGlobal('fetch', asked)
    for (const token of ['a\u200bb', 'tök', 'a\nb']) {
      const client = new Client(product, { token, datacenter: '' }, () => () => undefined)
      expect(await client.ask({ path: '/v1/catalog/nodes' })).toMatchObject({ failure: { kind: 'unknown-token' } })
    }
    expect(asked).not.toHaveBeenCalled()
    const client = new Client(product, { token: 'a b', datacenter: '' }, () => () => undefined)
    expect(await client.ask({ path: '/v1/catalog/nodes' })).toMatchObject({ ok: true })
  })

  it('is not sent for a name that a browser, or the agent, would make another one of', async () => {
    const client = new Client(product, { token: '', datacenter: '' }, () => () => undefined)
    const sent: string[] = []
    onTestFinished(() => void vi.unstubAllGlobals())
    vi.stubGlobal('fetch', async (url: string) => {
      sent.push(new URL(url).pathname)
      return new Response('true')
    })
    const kept = ['a', 'a/', '', '...', 'a/.b', 'a../b', '..a/', '%2e%2e/a']
    for (const key of kept) await client.ask({ method: 'DELETE', path: keyPath(key), query: { recurse: '' } })
    expect(sent).toEqual(kept.map(keyPath))
    for (const key of ['app/../', 'app/..', '..', '.', './', 'a/./b', 'a//b', '/a']) {
      const answer = await client.ask({ method: 'DELETE', path: keyPath(key), query: { recurse: '' } })
      expect([key, answer]).toMatchObject([key, { ok: false, failure: { kind: 'said' } }])
    }
    expect(await client.ask({ path: `/v1/health/service${pathOf('..')}` })).toMatchObject({ ok: false })
    expect(sent).toHaveLength(kept.length)
  })
})

describe('a failure', () => {
  it('is told apart by what an operator can do about it', () => {
    const kinds = [
      failureOf(403, 'Permission denied', true),
      failureOf(403, 'ACL not found', true),
      failureOf(401, 'ACL support disabled', false),
      failureOf(500, 'No cluster leader', false),
      failureOf(404, '', false),
      failureOf(400, 'Invalid filter at character 8', false),
    ]
    expect(kinds.map(({ kind }) => kind)).toEqual([
      'refused',
      'unknown-token',
      'switched-off',
      'no-leader',
      'absent',
      'said',
    ])
  })

  it('never is a number that JavaScript rounds: flags of 64 bits stay exact', () => {
    const key = JSON.stringify('"Flags": 18446744073709551615')
    const text = `[{"Key": ${key}, "Flags": 18446744073709551615}, {"Flags": 7}]`
    expect(JSON.parse(exact(text))).toEqual([
      { Key: '"Flags": 18446744073709551615', Flags: '18446744073709551615' },
      { Flags: 7 },
    ])
  })
})

describe('the ring of the last minutes', () => {
  const happened = (text: string, atMs: number) => ({ atMs, kind: 'health' as const, text })

  it('forgets what is older, and all above its bound', () => {
    const ring = new Ring(0)
    ring.add([happened('old', 0)], 0)
    ring.add([happened('young', ringMs)], ringMs)
    expect(ring.shown.map(({ text }) => text)).toEqual(['young'])
    ring.add(
      Array.from({ length: happeningsMax + 5 }, (_, at) => happened(`${at}`, ringMs)),
      ringMs,
    )
    expect([ring.shown.length, ring.shown[0]?.text]).toEqual([happeningsMax, `${happeningsMax + 4}`])
  })

  it('stands still while it is paused, says how much waits, and shows it then', () => {
    const ring = new Ring(0)
    ring.add([happened('a', 1)], 1)
    ring.setPaused(true)
    ring.add([happened('b', 2), happened('c', 2)], 2)
    expect([ring.shown.map(({ text }) => text), ring.waiting]).toEqual([['a'], 2])
    ring.setPaused(false)
    expect(ring.shown.map(({ text }) => text)).toEqual(['c', 'b', 'a'])
  })

  it('gets changes of checks, leaders and keys from comparing two answers', () => {
    const check = { Node: 'n1', CheckID: 'c', Name: '', Notes: '', Output: '', ServiceID: 'w1', ServiceName: 'web' }
    const warning = { ...check, Status: 'warning' as const }
    const critical = { ...check, Status: 'critical' as const }
    const texts = (list: readonly { readonly text: string }[]) => list.map(({ text }) => text)
    expect(texts(healthHappenings([], [warning], 1))).toEqual(['Check c of w1 on n1 became warning.'])
    expect(texts(healthHappenings([warning], [critical], 1))).toEqual(['Check c of w1 on n1 became critical.'])
    expect(texts(healthHappenings([critical], [], 1))).toEqual([expect.stringContaining('passes again')])
    const ring = new Ring(0)
    ring.add(
      healthHappenings(
        [],
        [
          { ...warning, CheckID: 'c2' },
          { ...warning, Node: 'n2' },
        ],
        1,
      ),
      1,
    )
    expect([ring.lastOf(checkKey(check)), ring.lastOf(checkKey({ ...check, Node: 'n2' }))]).toEqual([undefined, 1])
    expect(healthHappenings([critical], [critical], 1)).toEqual([])
    expect(texts(leaderHappenings('a:1', '', 1))).toEqual([expect.stringContaining('no longer leads')])
    const key = { Key: 'k', ModifyIndex: 5 }
    const locked = { ...key, ModifyIndex: 6, Session: 's' }
    expect(texts(keyHappenings([key], [locked], 1))).toEqual(['Key k was locked by the session s.'])
    expect(texts(keyHappenings([locked], [], 1))).toEqual(['Key k was deleted.'])
  })
})

describe('a place', () => {
  it('names the datacenter: an address chooses one, and else gets the one that is shown', () => {
    const cluster = placeOf('#/cluster')
    const ofDc3 = placeOf('#/cluster?dc=dc3')
    expect(agreement(ofDc3, 'dc2', true)).toBe('choose')
    expect(agreement(ofDc3, 'dc2', false)).toBe('write')
    expect(agreement(cluster, 'dc3', true)).toBe('write')
    expect([agreement(ofDc3, 'dc3', true), agreement(cluster, '', true)]).toEqual(['agree', 'agree'])
    expect(agreement(placeOf('#/cluster?dc='), '', true)).toBe('agree')
  })

  it('comes back from its address, whatever its parts contain', () => {
    const place = { path: ['keys', 'key', 'a/b c?#%'], query: { filter: 'Name == "a&b"' } }
    expect(placeOf(hashOf(place))).toEqual(place)
    expect(hrefOf('services', '../x')).toBe('#/services/..%2Fx')
    expect(placeOf('')).toEqual({ path: ['services'], query: {} })
    expect(placeOf('#/nonsense')).toEqual({ path: ['nonsense'], query: {} })
    expect(placeOf('#/%ff')).toEqual({ path: ['%ff'], query: {} })
  })

  it('is found for addresses of other interfaces of the field', () => {
    const hash = (path: string) => {
      const found = placeOfOtherAddress(path)
      return found && [found.datacenter, hashOf(found.place)]
    }
    expect(hash('dc1/services/web')).toEqual(['dc1', '#/services/web'])
    expect(hash('dc2/kv/a/b/edit')).toEqual(['dc2', '#/keys/key/a%2Fb'])
    expect(hash('dc2/kv/a/')).toEqual(['dc2', '#/keys/below/a%2F'])
    expect(hash('dc1/acls/tokens')).toEqual(['dc1', '#/access'])
    expect(hash('')).toBeUndefined()
    expect(hash('dc1/%ff')).toBeUndefined()
  })
})
