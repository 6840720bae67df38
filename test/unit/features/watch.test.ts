import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { writeJson } from '../../../src/base/json.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { type WatchPlan, type WatchSubject, watchPlan } from '../../../src/features/watch/model.ts'
import { readAnswer, type WatchAnswer, Watching } from '../../../src/features/watch/watching.ts'
import { HandClock, settled } from './hand-clock.ts'

function planOf(subject: WatchSubject): WatchPlan {
  const plan = watchPlan(subject)
  if (!plan.ok) throw new Error(plan.error)
  return plan.value
}

type Scripted = readonly [index: number, body: string, hash?: string] | 'fails'

/** A watch whose answers a test gives, one for each request. */
class Watched {
  readonly clock = new HandClock()
  readonly asked: string[] = []
  readonly told: string[] = []
  readonly failures: string[] = []
  readonly #answers: ((answer: Result<WatchAnswer, string>) => void)[] = []
  readonly watching: Watching

  constructor(subject: WatchSubject) {
    const plan = planOf(subject)
    this.watching = new Watching(this.clock.env, {
      plan,
      wait: '5m',
      ask: (query, onAbort) => {
        this.asked.push(query.map(([name, value]) => `${name}=${value}`).join('&'))
        onAbort(() => this.#answers.shift()?.(err('aborted')))
        return new Promise((resolve) => this.#answers.push(resolve))
      },
      handle: async ({ index, value }) => void this.told.push(`${index} ${writeJson(value, false)}`),
      failed: (why) => this.failures.push(why),
    })
  }

  async answers(...scripted: readonly Scripted[]): Promise<void> {
    for (const each of scripted) {
      await settled()
      const answer =
        each === 'fails' ? err('no') : ok({ status: 200, index: String(each[0]), hash: each[2], body: utf8(each[1]) })
      this.#answers.shift()?.(answer)
    }
    await settled()
  }
}

describe('an answer that is no result', () => {
  it('is told in one line, with what the agent says', () => {
    const answer = (body: string): WatchAnswer => ({ status: 500, index: undefined, body: utf8(body) })
    const plan = planOf({ type: 'nodes' })
    expect(readAnswer(plan, answer('No path to datacenter'))).toEqual(
      err('Unexpected response code: 500 (No path to datacenter)'),
    )
    expect(readAnswer(plan, answer('one\n\n* two\n'))).toEqual(err('Unexpected response code: 500 (one * two)'))
    expect(readAnswer(plan, answer(''))).toEqual(err('Unexpected response code: 500'))
  })
})

describe('a watch', () => {
  it('takes an answer of thousands of entries: the bounds of requests are not for answers', async () => {
    const body = JSON.stringify(
      Array.from({ length: 3_000 }, (_, at) => ({ Node: `n${at}`, Meta: { a: 'b', c: 'd' } })),
    )
    const watch = new Watched({ type: 'nodes' })
    await watch.answers([7, body])
    expect([watch.failures, watch.told[0] === `7 ${body}`]).toEqual([[], true])
  })

  it('tells what there is, then each change, and waits for what it does not know', async () => {
    const watch = new Watched({ type: 'services' })
    await watch.answers([7, '{"a":[]}'], [7, '{"a":[]}'], [9, '{"a":[],"b":[]}'])
    expect(watch.told).toEqual(['7 {"a":[]}', '9 {"a":[],"b":[]}'])
    expect(watch.asked).toEqual(['', 'index=7&wait=5m', 'index=7&wait=5m', 'index=9&wait=5m'])
  })

  it('tells nothing when only the index has moved', async () => {
    const watch = new Watched({ type: 'nodes' })
    await watch.answers([7, '[]'], [8, '[]'])
    expect(watch.told).toEqual(['7 []'])
  })

  it('[HTP-007] survives an index that falls: it asks from the beginning, misses no change, and does not hurry', async () => {
    const watch = new Watched({ type: 'nodes' })
    await watch.answers([50, '["new"]'], [30, '["old"]'])
    expect(watch.told).toEqual(['50 ["new"]', '30 ["old"]'])
    expect(watch.asked).toHaveLength(2)
    await watch.clock.advance(1_000)
    await watch.answers([30, '["old"]'], [31, '["changed"]'])
    expect(watch.asked.slice(2)).toEqual(['', 'index=30&wait=5m', 'index=31&wait=5m'])
    expect(watch.told.slice(2)).toEqual(['31 ["changed"]'])
  })

  it('tries again what failed, ever more slowly, then asks what there is, and tells what is new of it', async () => {
    const watch = new Watched({ type: 'nodes' })
    await watch.answers([5, '[]'], 'fails')
    await watch.clock.advance(4_999)
    expect(watch.asked).toHaveLength(2)
    await watch.clock.advance(1)
    await watch.answers('fails')
    await watch.clock.advance(19_999)
    expect(watch.asked).toHaveLength(3)
    await watch.clock.advance(1)
    await watch.answers([5, '[]'], [6, '["x"]'])
    expect(watch.asked.slice(1)).toEqual(['index=5&wait=5m', '', '', 'index=5&wait=5m', 'index=6&wait=5m'])
    expect(watch.told).toEqual(['5 []', '6 ["x"]'])
    expect(watch.failures).toEqual(['no', 'no'])
  })

  it('[HTP-007] tells at once what there is where a failure was the end of a state, and indexes began anew', async () => {
    const watch = new Watched({ type: 'nodes' })
    await watch.answers([5_000, '["old"]'], 'fails')
    await watch.clock.advance(5_000)
    // An agent answers a request that waits for an index beyond 5,000 when its wait is over.
    expect(watch.asked.at(-1)).toBe('')
    await watch.answers([12, '["new"]'])
    expect(watch.told).toEqual(['5000 ["old"]', '12 ["new"]'])
    expect(watch.asked.at(-1)).toBe('index=12&wait=5m')
  })

  it('of events tells none twice after a failure', async () => {
    const watch = new Watched({ type: 'event' })
    const [a, b] = ['a', 'b'].map((id) => `{"ID":"${id}"}`)
    await watch.answers([900, `[${a}]`], 'fails')
    await watch.clock.advance(5_000)
    await watch.answers([900, `[${a}]`], [3, `[${a},${b}]`])
    expect(watch.told).toEqual([`900 [${a}]`, `3 [${b}]`])
    expect(watch.asked).toEqual(['', 'index=900&wait=5m', '', 'index=900&wait=5m', 'index=3&wait=5m'])
  })

  it('of an answer without an index asks no more than once a second', async () => {
    const watch = new Watched({ type: 'nodes' })
    await watch.answers([0, '[]'])
    expect(watch.asked).toHaveLength(1)
    await watch.clock.advance(1_000)
    expect(watch.asked).toHaveLength(2)
  })

  it('of what has a hash waits for another one, and tells nothing twice', async () => {
    const watch = new Watched({ type: 'agent_service', serviceId: 'web' })
    await watch.answers([0, '{"a":1}', 'one'], [0, '{"a":1}', 'one'], [0, '{"a":2}', 'two'], 'fails')
    expect(watch.told).toEqual(['0 {"a":1}', '0 {"a":2}'])
    expect(watch.asked).toEqual(['', 'hash=one&wait=5m', 'hash=one&wait=5m', 'hash=two&wait=5m'])
    await watch.clock.advance(5_000)
    await watch.answers([0, '{"a":2}'])
    expect(watch.asked.at(-1)).toBe('hash=two&wait=5m')
    await watch.clock.advance(1_000)
    expect(watch.asked.at(-1)).toBe('')
  })

  it('that is closed asks and tells no more', async () => {
    const watch = new Watched({ type: 'nodes' })
    await watch.answers([5, '[]'])
    watch.watching.close()
    await watch.answers([6, '["x"]'])
    await watch.clock.advance(600_000)
    expect([watch.asked.length, watch.told, watch.clock.timers]).toEqual([2, ['5 []'], 0])
  })

  it('[HTP-064] of events tells those that came after the last, whatever their index', async () => {
    const watch = new Watched({ type: 'event', name: 'deploy' })
    const [a, b, c] = ['a', 'b', 'c'].map((id) => `{"ID":"${id}"}`)
    await watch.answers([900, `[${a}]`], [3, `[${a},${b}]`], [77, `[${b},${c}]`])
    expect(watch.told).toEqual([`900 [${a}]`, `3 [${b}]`, `77 [${c}]`])
    expect(watch.asked.slice(0, 2)).toEqual(['name=deploy', 'name=deploy&index=900&wait=5m'])
  })

  it('of a key tells its entry alone, with numbers of 64 bits', async () => {
    const watch = new Watched({ type: 'key', key: 'a/b' })
    await watch.answers([5, '[{"Key":"a/b","Flags":18446744073709551615}]'])
    expect(watch.told).toEqual(['5 {"Key":"a/b","Flags":18446744073709551615}'])
  })
})

describe('what is watched', () => {
  it.each([
    [{ type: 'key', key: 'a b/c' }, '/v1/kv/a%20b/c', ''],
    [{ type: 'key', key: '/a' }, '/v1/kv/a', ''],
    [{ type: 'keyprefix', prefix: 'a/' }, '/v1/kv/a/', 'recurse='],
    [{ type: 'keyprefix', prefix: '/a/' }, '/v1/kv/a/', 'recurse='],
    [{ type: 'keyprefix', prefix: '/' }, '/v1/kv/', 'recurse='],
    [{ type: 'service', service: 'web', tag: 'v1', passingOnly: true }, '/v1/health/service/web', 'tag=v1&passing='],
    [{ type: 'checks' }, '/v1/health/state/any', ''],
    [{ type: 'checks', state: 'critical' }, '/v1/health/state/critical', ''],
    [{ type: 'checks', service: 'web' }, '/v1/health/checks/web', ''],
    [{ type: 'nodes', filter: 'Meta.a == b' }, '/v1/catalog/nodes', 'filter=Meta.a == b'],
    [{ type: 'service', service: 'web', filter: 'a' }, '/v1/health/service/web', 'filter=a'],
    [{ type: 'checks', service: 'web', filter: 'a' }, '/v1/health/checks/web', 'filter=a'],
    [{ type: 'checks', filter: 'a' }, '/v1/health/state/any', 'filter=a'],
    [{ type: 'event' }, '/v1/event/list', ''],
    [{ type: 'connect_roots' }, '/v1/agent/connect/ca/roots', ''],
    [{ type: 'connect_leaf', service: 'a/b' }, '/v1/agent/connect/ca/leaf/a/b', ''],
    [{ type: 'connect_proxy_config', proxyServiceId: 'web-proxy' }, '/v1/agent/connect/proxy/web-proxy', ''],
    [{ type: 'agent_service', serviceId: 'web' }, '/v1/agent/service/web', ''],
  ])('%j is a read of %s', (subject, path, query) => {
    const plan = planOf(subject)
    expect([plan.path, plan.query.map(([name, value]) => `${name}=${value}`).join('&')]).toEqual([path, query])
  })

  it.each([
    [{ type: '' }, 'Watch type must be specified'],
    [{ type: 'foo' }, 'Unsupported watch type: foo'],
    [{ type: 'toString' }, 'Unsupported watch type: toString'],
    [{ type: 'key' }, 'Must specify a single key to watch'],
    [{ type: 'keyprefix' }, 'Must specify a single prefix to watch'],
    [{ type: 'service' }, 'Must specify a single service to watch'],
    [{ type: 'checks', service: 'a', state: 'b' }, 'Cannot specify service and state'],
    [{ type: 'connect_leaf' }, 'Must specify a single service to watch'],
    [{ type: 'connect_proxy_config' }, 'Must specify a single proxy service ID to watch'],
    [{ type: 'agent_service' }, 'Must specify a single service ID to watch'],
    [
      { type: 'connect_roots', serviceId: 'x', proxyServiceId: 'y' },
      'Invalid parameters: [service_id proxy_service_id]',
    ],
    [{ type: 'services', filter: 'x' }, 'Invalid parameters: [filter]'],
    [{ type: 'nodes', key: 'x', passingOnly: true }, 'Invalid parameters: [key passingonly]'],
  ])('%j is refused: %s', (subject, why) => {
    expect(watchPlan(subject)).toEqual(err(why))
  })
})
