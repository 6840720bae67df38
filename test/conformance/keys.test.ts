import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, begin } from './ask.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

describe.each(worlds.map((world) => [world.name, world] as const))('keys %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
  })
  afterAll(() => stop?.())

  it.each(['DELETE /v1/kv/tree/b', 'DELETE /v1/kv/tree/b?recurse', 'DELETE /v1/kv/tree/b?cas={index}'])(
    '[KV-003] a watcher of a prefix sees %s, by an index that never falls',
    async (line) => {
      await ask(target, 'PUT /v1/kv/tree/a', '1')
      await ask(target, 'PUT /v1/kv/tree/b', '2')
      for (const form of ['recurse', 'keys']) {
        const before = await ask(target, `GET /v1/kv/tree/?${form}`)
        expect(before.json()).toHaveLength(2)
        const watcher = begin(target, `GET /v1/kv/tree/?${form}&index=${before.index()}`)
        await target.pause(100)
        await ask(target, line.replace('{index}', String(before.index())))
        const after = await target.until(watcher)
        expect(after.json()).toHaveLength(1)
        expect(after.index()).toBeGreaterThan(before.index())
        // The deleted key was the newest: without a tombstone the index would be that of the one that is left.
        expect((await ask(target, `GET /v1/kv/tree/?${form}`)).index()).toBe(after.index())
        await ask(target, 'PUT /v1/kv/tree/b', '2')
      }
    },
  )

  it('[KV-003] also when nothing is left under the prefix', async () => {
    await ask(target, 'PUT /v1/kv/last/one', '1')
    const before = await ask(target, 'GET /v1/kv/last/?recurse')
    const watcher = begin(target, `GET /v1/kv/last/?recurse&index=${before.index()}`)
    await target.pause(100)
    await ask(target, 'DELETE /v1/kv/last/one')
    const after = await target.until(watcher)
    expect([after.status, after.text]).toEqual([404, ''])
    expect(after.index()).toBeGreaterThan(before.index())
  })
})
