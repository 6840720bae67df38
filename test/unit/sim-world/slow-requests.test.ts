import { describe, expect, it } from 'vitest'
import { encodeMessage } from '../../../sim/env/http-frame.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation, rest, value } from './in-simulation.ts'

const at = { host: '10.0.0.1', port: 80 }
const second = 1000

/** What becomes of a connection whose client sends so many bytes, and the rest of its request after some time. */
async function outcome(bytes: number, pauseMs: number, idleMs = 0): Promise<string> {
  const body = new Uint8Array(6 << 20)
  const message = encodeMessage({ start: ['PUT', '/'], headers: [], body })
  return inSimulation({}, async (simulation) => {
    const node = simulation.addNode({ name: 'n', host: at.host })
    const handler = async () => ({ status: 200, headers: [], body: '' })
    const client = async (env: Env): Promise<string> => {
      await value(env.http.serve(at, handler))
      const stream = await value(env.tcp.dial(at, { timeoutMs: second }))
      const ended = env.deferred<string>()
      stream.onData(() => ended.resolve('answered'))
      stream.onClose((why) => ended.resolve(why))
      await rest(env, idleMs)
      stream.write(message.subarray(0, bytes))
      await rest(env, pauseMs)
      stream.write(message.subarray(bytes))
      env.timers.after(10 * second, () => ended.resolve('no answer'))
      return ended.promise
    }
    return simulation.play(node, client, 600 * second)
  })
}

describe('a request over HTTP that comes slowly', () => {
  it.each([
    ['has two minutes from its first byte on', 1, 119 * second, 119 * second, 'answered'],
    ['has no more if it is small', 1, 125 * second, 0, 'reset'],
    ['has the longer, the more of it has come', 4 << 20, 180 * second, 0, 'answered'],
    ['has not for ever', 4 << 20, 200 * second, 0, 'reset'],
  ] as const)('%s', async (_, bytes, pauseMs, idleMs, expected) => {
    expect(await outcome(bytes, pauseMs, idleMs)).toBe(expected)
  })
})
