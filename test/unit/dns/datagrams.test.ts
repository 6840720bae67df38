import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import type { DnsFace } from '../../../src/dns/face.ts'
import { openDns } from '../../../src/dns/listeners.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'

/** A listener whose face answers only when a test says so, except questions that begin with `known`. */
async function listener() {
  const at = { host: '127.0.0.1', port: 8600 }
  const answered: string[] = []
  const answers: (() => void)[] = []
  let [dropped, tell] = [0, (_from: Endpoint, _bytes: Uint8Array): void => {}]
  const env = {
    log: { write: () => {} },
    metrics: { count: () => dropped++ },
    detach: (work: Promise<void>) => void work,
    tcp: { listen: async () => ok({ local: at, close: () => {} }) },
    udp: {
      bind: async (_: Endpoint, use: typeof tell) => {
        tell = use
        return ok({
          local: at,
          send: (_to: Endpoint, bytes: Uint8Array) => answered.push(String(bytes.length)),
          close: () => {},
        })
      },
    },
  } as unknown as Env
  const face: DnsFace = {
    known: (packet) => (packet[0] === 0x6b ? packet : undefined),
    answer: (packet) => new Promise((resolve) => answers.push(() => resolve(packet))),
  }
  await openDns(env, face, at)
  const ask = (text: string) => tell({ host: '10.0.0.1', port: 1 }, utf8(text))
  return { ask, answered, dropped: () => dropped, answerAll: () => answers.splice(0).map((answer) => answer()) }
}

describe('questions by UDP', () => {
  it('that are being answered are 1,024 at most, and those whose answer is known are answered nevertheless', async () => {
    const { ask, answered, dropped, answerAll } = await listener()
    for (let nth = 0; nth < 1_030; nth++) ask('slow')
    expect(dropped()).toBe(6)
    ask('known')
    expect([answered, dropped()]).toEqual([['5'], 6])
    answerAll()
    await new Promise((resolve) => setImmediate(resolve))
    expect(answered).toHaveLength(1 + 1_024)
    ask('slow')
    expect(dropped()).toBe(6)
  })
})
