import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import type { AgentClient, AgentResponse } from '../../../src/proxy/agent-client.ts'
import { Registration } from '../../../src/proxy/registration.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const heartbeatMs = 10_000

/** An agent that answers when the test says so. */
class SlowAgent {
  readonly asked: string[] = []
  readonly #open: ((answer: AgentResponse) => void)[] = []

  readonly api: AgentClient = {
    ask: ({ path }) => {
      this.asked.push(path.replace('/v1/agent/', ''))
      return new Promise((resolve) => this.#open.push((answer) => resolve(ok(answer))))
    },
  }

  async answer(status: number): Promise<void> {
    this.#open.shift()?.({ status, headers: new Map(), body: utf8('') })
    await settled()
  }
}

async function begun(isListening = () => true) {
  const clock = new HandClock()
  const agent = new SlowAgent()
  const plan = { id: 'web-proxy', service: 'web', listen: { host: '0.0.0.0', port: 8443 }, isListening }
  const registration = new Registration(clock.env, agent.api, plan)
  await clock.advance(0)
  return { clock, agent, registration }
}

const pass = 'check/pass/web-proxy-ttl'
const register = 'service/register'
const deregister = 'service/deregister/web-proxy'

describe('a proxy that registers itself', () => {
  it('is registered where the agent does not know it, and then says every ten seconds that it runs', async () => {
    const { clock, agent, registration } = await begun()
    for (const status of [404, 200, 200]) await agent.answer(status)
    expect(agent.asked).toEqual([pass, register, pass])
    await clock.advance(heartbeatMs)
    await agent.answer(200)
    await clock.advance(heartbeatMs)
    expect(agent.asked.slice(3)).toEqual([pass, pass])
    registration.close()
    await agent.answer(200)
    expect(clock.timers).toBe(0)
  })

  it('is not there before it takes connections', async () => {
    let isListening = false
    const { clock, agent, registration } = await begun(() => isListening)
    await clock.advance(heartbeatMs)
    expect(agent.asked).toEqual([])
    isListening = true
    await clock.advance(1_000)
    expect(agent.asked).toEqual([pass])
    registration.close()
    await agent.answer(200)
    expect(clock.timers).toBe(0)
  })

  it('is removed after the registration under way, and does not come back', async () => {
    for (const toldFirst of [1, 2, 3]) {
      const { clock, agent, registration } = await begun()
      for (const status of [404, 200, 200].slice(0, toldFirst - 1)) await agent.answer(status)
      const ended = registration.end()
      await settled()
      expect(agent.asked.at(-1), `${toldFirst}`).not.toBe(deregister)
      for (let left = 0; left < 4; left++) await agent.answer(toldFirst === 1 ? 404 : 200)
      await ended
      expect(agent.asked.at(-1), `${toldFirst}`).toBe(deregister)
      const count = agent.asked.length
      await clock.advance(10 * heartbeatMs)
      expect(agent.asked.length).toBe(count)
    }
  })

  it('goes out at once where nothing is being told', async () => {
    const { clock, agent, registration } = await begun()
    await agent.answer(200)
    const ended = registration.end()
    await settled()
    expect(agent.asked).toEqual([pass, deregister])
    await agent.answer(200)
    await ended
    expect(clock.timers).toBe(0)
  })
})
