import { concatBytes, emptyBytes } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { framed } from './golden/dns-client.ts'
import type { GoldenDnsAnswer, GoldenQuestion } from './golden/golden-target.ts'

/** Asks a DNS server from a process of the same simulated machine. */
export async function askSimulatedDns(env: Env, at: Endpoint, question: GoldenQuestion): Promise<GoldenDnsAnswer> {
  const answer = env.deferred<GoldenDnsAnswer>()
  const timer = env.timers.after(question.timeoutMs, () => answer.resolve({ kind: 'error', error: 'timeout' }))
  const take = (packet: Uint8Array): void => answer.resolve({ kind: 'answer', packet })
  const opened =
    question.transport === 'tcp' ? await byTcp(env, at, question, take) : await byUdp(env, at, question, take)
  if (opened === undefined) return { kind: 'error', error: 'not reached' }
  const result = await answer.promise
  timer.close()
  opened.close()
  return result
}

async function byUdp(env: Env, at: Endpoint, { packet }: GoldenQuestion, take: (packet: Uint8Array) => void) {
  const socket = await env.udp.bind({ host: at.host, port: 0 }, (_from, bytes) => take(bytes))
  if (!socket.ok) return undefined
  socket.value.send(at, packet)
  return socket.value
}

async function byTcp(env: Env, at: Endpoint, question: GoldenQuestion, take: (packet: Uint8Array) => void) {
  const stream = await env.tcp.dial(at, { timeoutMs: question.timeoutMs })
  if (!stream.ok) return undefined
  let received: Uint8Array = emptyBytes
  stream.value.onData((piece) => {
    received = concatBytes([received, piece])
    const length = ((received[0] ?? 0) << 8) | (received[1] ?? 0)
    if (received.length >= 2 && received.length >= 2 + length) take(received.slice(2, 2 + length))
  })
  stream.value.write(framed(question.packet))
  return stream.value
}
