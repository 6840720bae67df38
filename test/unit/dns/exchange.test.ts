import { describe, expect, it } from 'vitest'
import { ok } from '../../../src/base/result.ts'
import { exchange } from '../../../src/dns/exchange.ts'
import { encodeQuestion } from '../../../src/dns-wire/question.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const question = encodeQuestion({ id: 7, name: 'www.example.', type: 'A', udpSize: 1_232 })

/** The question with the bit that makes it a response, and a mark that tells two of them apart. */
function answerOf(mark: number): Uint8Array {
  const answer = question.slice()
  answer[2] = (answer[2] ?? 0) | 0x80
  answer[3] = mark
  return answer
}

/** Asks the server at that address by UDP; `receive` is what the socket hears. */
async function asking(host: string) {
  const receivers: ((from: Endpoint, bytes: Uint8Array) => void)[] = []
  const socket = { local: { host: '::', port: 40_000 }, send: () => undefined, close: () => undefined }
  const udp = {
    bind: async (_at: Endpoint, onDatagram: (from: Endpoint, bytes: Uint8Array) => void) => {
      receivers.push(onDatagram)
      return ok(socket)
    },
  }
  const env = { ...new HandClock().env, udp, crypto: { randomBytes: () => new Uint8Array(2) } } as unknown as Env
  const answer = exchange(env, question, { at: { host, port: 53 }, transport: 'udp', timeoutMs: 1_000 })
  await settled()
  const receive = (from: string, bytes: Uint8Array): void => {
    for (const each of receivers) each({ host: from, port: 53 }, bytes)
  }
  return { answer, receive }
}

describe('the answer of a server that is asked by UDP', () => {
  it('comes from its address, however that is written', async () => {
    const { answer, receive } = await asking('2001:db8::53')
    receive('2001:db8::54', answerOf(1))
    receive('2001:DB8:0::53', answerOf(2))
    expect((await answer)?.[3]).toBe(2)
  })

  it('is not taken from an address with a zone, nor does such a datagram end the agent', async () => {
    const { answer, receive } = await asking('2001:db8::53')
    receive('fe80::53%eth0', answerOf(1))
    receive('2001:db8::53', answerOf(2))
    expect((await answer)?.[3]).toBe(2)
  })
})
