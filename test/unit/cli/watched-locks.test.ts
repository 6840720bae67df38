import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { ApiClient } from '../../../src/cli/api/client.ts'
import { HeldLock, type LockSession } from '../../../src/cli/locks/held-lock.ts'
import { HeldSemaphore } from '../../../src/cli/locks/held-semaphore.ts'
import { HandClock } from '../features/hand-clock.ts'

const session = { id: 'mine' } as LockSession

const list = btoa(JSON.stringify({ Limit: 2, Holders: { mine: true } }))

/** A key and a contender's, by which a lock and a semaphore are held by this session. */
const held = `[
  {"Key":"p/.lock","Flags":16210313421097356768,"Session":"mine","CreateIndex":9,"ModifyIndex":900,"LockIndex":1,"Value":"${list}"},
  {"Key":"p/mine","Flags":0,"Session":"mine","CreateIndex":9,"ModifyIndex":900,"LockIndex":1,"Value":null}
]`

describe.each([
  ['a lock', (options: ConstructorParameters<typeof HeldLock>[0]) => new HeldLock(options, session)],
  ['a semaphore', (options: ConstructorParameters<typeof HeldLock>[0]) => new HeldSemaphore(options, session, 2)],
])('%s that is held', (_, made) => {
  it('is looked at without waiting after a failure: it is lost at once where the state began anew', async () => {
    const clock = new HandClock()
    const asked: (string | undefined)[] = []
    const answers = [
      ok({ status: 200, headers: new Map([['x-svc-index', '900']]), body: utf8(held) }),
      err('the connection was refused'),
      ok({ status: 404, headers: new Map([['x-svc-index', '12']]), body: utf8('') }),
    ]
    const send = async (_method: string, _path: string, query: readonly (readonly [string, string])[]) => {
      asked.push(query.find(([name]) => name === 'index')?.[1])
      return answers.shift() ?? err('no more answers')
    }
    const client = { send } as unknown as ApiClient
    let isLost = false
    void made({ env: clock.env, client, key: 'p/.lock', retries: 3 })
      .lost(() => false)
      .then(() => (isLost = true))
    // Readers of answers are loaded when they are needed, which takes some turns.
    await expect.poll(() => clock.advance(1_000).then(() => isLost)).toBe(true)
    expect(asked).toEqual([undefined, '900', undefined])
  })
})
