import { describe, expect, it } from 'vitest'
import { Dispatch } from '../../../src/agent/requests/serving/dispatch.ts'
import { ok, type Result } from '../../../src/base/result.ts'
import type { Answer } from '../../../src/features/contract/reading.ts'
import { kvFeature } from '../../../src/features/kv/feature.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import type { Raft } from '../../../src/raft/raft.ts'
import { HandClock, settled } from './hand-clock.ts'
import { LoneServer } from './lone-server.ts'

/** A server whose endpoints block as they do in an agent, and which leads for ever. */
class BlockingServer {
  readonly clock = new HandClock()
  readonly server = new LoneServer(this.clock.env)
  readonly #dispatch = new Dispatch(
    {
      ...this.server.context,
      raft: {
        ...this.server.context.raft,
        leaseRead: async () => ok(this.server.index),
        onRoleChange: () => ({ close: () => undefined }),
      } as unknown as Raft,
    },
    this.server.state.store,
    kvFeature.endpoints ?? [],
  )

  /** A blocking read, and whether it has been answered. */
  ask(method: string, args: unknown, minIndex: number): { answered: Answer<unknown> | undefined } {
    const seen: { answered: Answer<unknown> | undefined } = { answered: undefined }
    const read = {
      consistency: 'default' as const,
      minIndex: modifyIndexOf(minIndex),
      waitMs: 60_000,
      maxStaleMs: 0,
      datacenter: '',
    }
    void this.#dispatch.serve(method, { args, read }, {}).then((result: Result<unknown, unknown>) => {
      if (!result.ok) throw new Error(JSON.stringify(result.error))
      seen.answered = result.value as Answer<unknown>
    })
    return seen
  }

  async put(key: string): Promise<void> {
    await this.server.request('PUT', `/v1/kv/${key}`, 'x')
    await settled()
  }

  async delete(key: string): Promise<void> {
    await this.server.request('DELETE', `/v1/kv/${key}`)
    await settled()
  }
}

describe('blocking reads of keys', () => {
  it('[KV-003] a blocked prefix read is woken by the deletion of the newest key under it, with a higher index', async () => {
    for (const method of ['KV.List', 'KV.Keys']) {
      const blocking = new BlockingServer()
      for (const key of ['p/1', 'p/2']) await blocking.put(key)
      const read = blocking.ask(method, { prefix: 'p/', separator: '' }, 2)
      await settled()
      expect(read.answered).toBeUndefined()
      await blocking.delete('p/2')
      expect(read.answered?.meta.index).toBe(3)
      expect(read.answered?.value).toHaveLength(1)
    }
  })

  it('[KV-003] a blocked prefix read is woken by the deletion of the whole prefix, also under a longer or shorter one', async () => {
    const blocking = new BlockingServer()
    for (const key of ['p/q/1', 'p/q/2', 'other']) await blocking.put(key)
    const reads = ['p/q/1', 'p/q/', 'p/', 'p', ''].map((prefix) => blocking.ask('KV.List', { prefix }, 3))
    const unconcerned = blocking.ask('KV.List', { prefix: 'other' }, 3)
    await settled()
    await blocking.delete('p/q/?recurse')
    expect(reads.map((read) => read.answered?.meta.index)).toEqual([4, 4, 4, 4, 4])
    expect(unconcerned.answered).toBeUndefined()
  })

  it('a blocked read of one key is woken by that key alone: when it comes, changes and goes', async () => {
    const blocking = new BlockingServer()
    await blocking.put('other')
    const missing = blocking.ask('KV.Get', { key: 'a' }, 1)
    await settled()
    await blocking.put('b')
    expect(missing.answered).toBeUndefined()
    await blocking.put('a')
    expect(missing.answered).toMatchObject({ value: { key: 'a' }, meta: { index: 3 } })
    const present = blocking.ask('KV.Get', { key: 'a' }, 3)
    await settled()
    await blocking.put('aa')
    expect(present.answered).toBeUndefined()
    await blocking.delete('a')
    expect(present.answered).toMatchObject({ value: null, meta: { index: 5 } })
  })

  it('a read that nothing concerns is answered with what there is when its time is over', async () => {
    const blocking = new BlockingServer()
    await blocking.put('a')
    const read = blocking.ask('KV.Get', { key: 'a' }, 1)
    await settled()
    await blocking.put('b')
    await blocking.clock.advance(59_999)
    expect(read.answered).toBeUndefined()
    await blocking.clock.advance(1)
    expect(read.answered).toMatchObject({ value: { key: 'a' }, meta: { index: 1 } })
  })
})
