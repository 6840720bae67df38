import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { AgentRequest } from '../../../src/proxy/agent-client.ts'
import { Following } from '../../../src/proxy/following.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

/** An agent that answers at once, with the index that a test says. */
class Agent {
  readonly clock = new HandClock()
  readonly asked: AgentRequest[] = []
  index: string | undefined
  readonly following: Following

  constructor(index?: string) {
    this.index = index
    const api = {
      ask: async (question: AgentRequest) => {
        this.asked.push(question)
        const headers = new Map(this.index === undefined ? [] : [['x-svc-index', this.index]])
        return ok({ status: 200, headers, body: utf8('{}') })
      },
    }
    const env = { ...this.clock.env, log: { ...this.clock.env.log, write: () => undefined } } as unknown as Env
    this.following = new Following(env, api, { path: '/v1/x', by: 'index', take: () => undefined })
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 10) {
      await this.clock.advance(Math.min(10, left))
      await settled()
    }
  }
}

describe('what is followed at an agent', () => {
  it('is asked for ever more rarely where answers do not say what they are as of, and at once when they do', async () => {
    const agent = new Agent()
    await settled()
    await agent.advance(60_000)
    // At 0, then after 250 ms, doubled up to 15 s.
    expect(agent.asked).toHaveLength(9)
    agent.index = '7'
    await agent.advance(15_000)
    const [first, second] = agent.asked.slice(9)
    expect(first?.query).toEqual([])
    expect(second?.query).toEqual([
      ['index', '7'],
      ['wait', '60s'],
    ])
    agent.following.close()
    const { length } = agent.asked
    await agent.advance(1_000)
    expect(agent.asked).toHaveLength(length)
  })

  it('is asked for once more soon where the index fell', async () => {
    const agent = new Agent('9')
    await settled()
    agent.index = '3'
    await agent.advance(20)
    expect(agent.asked.map(({ query }) => query?.[0]?.[1])).toEqual([undefined, '9'])
    await agent.advance(270)
    expect(agent.asked.slice(2, 4).map(({ query }) => query?.[0]?.[1])).toEqual([undefined, '3'])
    agent.following.close()
  })
})
