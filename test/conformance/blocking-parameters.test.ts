import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, begin } from './ask.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { type RealAgent, startRealAgent } from './real-agent.ts'
import { type SimulatedAgent, startSimulatedAgent } from './simulated-agent.ts'

const second = 1000
const minute = 60 * second

const waits = [
  ['', 5 * minute],
  ['&wait=', 5 * minute],
  ['&wait=0s', 5 * minute],
  ['&wait=150s', 150 * second],
  ['&wait=9m30s', 9.5 * minute],
  ['&wait=10m', 10 * minute],
  ['&wait=1h', 10 * minute],
  ['&wait=240h', 10 * minute],
] as const

/** Waits of minutes are read from what the agent asks of its timers: no test waits for minutes. */
describe('blocking parameters on real sockets', () => {
  const delays: number[] = []
  let agent: RealAgent
  let target: GoldenTarget

  beforeAll(async () => {
    // A mesh's authority looks around every hour, which would be taken for a wait.
    agent = await startRealAgent({
      profile: 'noconnect',
      wrap: (env) => ({
        ...env,
        timers: {
          after: (delayMs, fire) => {
            delays.push(delayMs)
            return env.timers.after(delayMs, fire)
          },
        },
      }),
    })
    target = agent.target
  })
  afterAll(() => agent.stop())

  /** How long a read is parked for, and that a change ends it nevertheless. */
  async function parkedFor(parameters: string): Promise<number> {
    await ask(target, 'PUT /v1/kv/parked', 'x')
    const index = (await ask(target, 'GET /v1/kv/parked')).index()
    delays.length = 0
    const watcher = begin(target, `GET /v1/kv/parked?index=${index}${parameters}`)
    // Nothing else that an agent does is put off for as long as the shortest wait here.
    while (!delays.some((delayMs) => delayMs > 2 * minute)) await target.pause(20)
    const longest = Math.max(...delays)
    await ask(target, 'PUT /v1/kv/parked', 'y')
    expect((await target.until(watcher)).index()).toBeGreaterThan(index)
    return longest
  }

  it.each(waits)(
    '[HTP-005 LIM-013] a read with %j waits its time and up to a sixteenth more',
    async (parameters, wantedMs) => {
      const delayMs = await parkedFor(parameters)
      expect(delayMs).toBeGreaterThan(wantedMs - second)
      expect(delayMs).toBeLessThanOrEqual(wantedMs + wantedMs / 16)
    },
  )

  it('[HTP-005] watchers of one thing are spread out', async () => {
    const drawn = [await parkedFor('&wait=10m'), await parkedFor('&wait=10m'), await parkedFor('&wait=10m')]
    expect(new Set(drawn.map((delayMs) => Math.round(delayMs / 10))).size).toBeGreaterThan(1)
  })

  it('[HTP-005] without an index, or with 0, a read does not wait', async () => {
    for (const parameters of ['wait=10m', 'index=0&wait=10m', 'index=&wait=10m', 'index=1&wait=10m']) {
      expect((await ask(target, `GET /v1/kv/parked?${parameters}`)).status).toBe(200)
    }
  })

  it('[HTP-005] what cannot be read is refused by name', async () => {
    for (const [parameters, text] of [
      ['index=-1', 'Invalid index'],
      ['index=1.5', 'Invalid index'],
      ['index=abc', 'Invalid index'],
      ['index=1&wait=10', 'Invalid wait time'],
      ['index=1&wait=soon', 'Invalid wait time'],
    ]) {
      const reply = await ask(target, `GET /v1/kv/parked?${parameters}`)
      expect([reply.status, reply.text], parameters).toEqual([400, text])
    }
  })
})

describe('blocking parameters in the simulator', () => {
  let agent: SimulatedAgent | undefined

  beforeAll(async () => {
    agent = await startSimulatedAgent()
  })
  afterAll(() => agent?.stop())

  it.each(waits)(
    '[HTP-005 LIM-013] a read with %j waits its time and up to a sixteenth more',
    async (parameters, wantedMs) => {
      const { target } = agent as SimulatedAgent
      await ask(target, 'PUT /v1/kv/waited', 'x')
      const index = (await ask(target, 'GET /v1/kv/waited')).index()
      const startedMs = target.nowMs()
      const reply = await ask(target, `GET /v1/kv/waited?index=${index}${parameters}`)
      const tookMs = target.nowMs() - startedMs
      expect([reply.status, reply.index()]).toEqual([200, index])
      expect(tookMs).toBeGreaterThanOrEqual(wantedMs)
      expect(tookMs).toBeLessThanOrEqual(wantedMs + wantedMs / 16 + second)
    },
  )
})
