import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { AgentApi } from '../../../src/proxy/agent-api.ts'
import { Authorizing } from '../../../src/proxy/authorizing.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

/** An agent that is asked, and answers when the test says so. */
class Asked {
  readonly uris: string[] = []
  readonly #open: ((body: string) => void)[] = []
  readonly authorizing: Authorizing

  constructor() {
    const api: AgentApi = {
      ask: ({ body }) => {
        this.uris.push(JSON.parse(textOf(body ?? utf8('{}'))).ClientCertURI)
        return new Promise((resolve) =>
          this.#open.push((text) => resolve(ok({ status: 200, headers: new Map(), body: utf8(text) }))),
        )
      },
    }
    this.authorizing = new Authorizing(new HandClock().env, api, 'db')
  }

  /** To the question that was put first. */
  async answer(value: object): Promise<void> {
    this.#open.shift()?.(JSON.stringify(value))
    await settled()
  }
}

const yes = { Authorized: true, Reason: '' }
const no = { Authorized: false, Reason: 'Matched intention: DENY' }

describe('whether a client may connect', () => {
  it('is decided for each connection by a question that was put after it came, which those who wait share', async () => {
    const agent = new Asked()
    const first = agent.authorizing.ask('spiffe://a')
    const later = [1, 2, 3].map(() => agent.authorizing.ask('spiffe://a'))
    expect(agent.uris).toEqual(['spiffe://a'])
    await agent.answer(yes)
    expect(await first).toEqual(ok(undefined))
    // An intention changed meanwhile: the answer to the first says nothing of those who came after it.
    expect(agent.uris).toHaveLength(2)
    const last = agent.authorizing.ask('spiffe://a')
    await agent.answer(no)
    expect(await Promise.all(later)).toEqual(later.map(() => err('Matched intention: DENY')))
    await agent.answer(yes)
    expect(await last).toEqual(ok(undefined))
    expect(agent.uris).toHaveLength(3)
  })

  it('is asked of each client by himself, and again when nobody waits', async () => {
    const agent = new Asked()
    const both = [agent.authorizing.ask('spiffe://a'), agent.authorizing.ask('spiffe://b')]
    expect(agent.uris).toEqual(['spiffe://a', 'spiffe://b'])
    await agent.answer(yes)
    await agent.answer({ Authorized: 'perhaps' })
    expect(await Promise.all(both)).toEqual([ok(undefined), err('the agent does not say whether it may')])
    void agent.authorizing.ask('spiffe://a')
    expect(agent.uris).toHaveLength(3)
  })
})
