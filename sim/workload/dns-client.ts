import { concatBytes, emptyBytes } from '../../src/base/bytes.ts'
import type { TypeName } from '../../src/dns-wire/message.ts'
import { decodeResponse, encodeQuestion, type ReceivedResponse } from '../../src/dns-wire/question.ts'
import type { Closable } from '../../src/env/async.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import { framed } from './dns-burst.ts'

/** Time after which a question over UDP is sent again, because datagrams may be lost. */
const resendMs = 1_000
const usualSize = 1_232

interface Question {
  readonly name: string
  readonly type: TypeName
  readonly over: 'udp' | 'tcp'
  readonly timeoutMs: number
  /** Size in its OPT record; undefined: it has no such record. Absent: as resolvers send it today. */
  readonly udpSize?: number | undefined
}

/** Asks one DNS server as a stub resolver does; returns the answer with its length, or why there is none. */
export async function askDns(
  env: Env,
  host: string,
  to: Endpoint,
  question: Question,
): Promise<(ReceivedResponse & { readonly bytes: number }) | string> {
  const id = env.random.draws('dns.id', question.name, question.type).below(65_536)
  const size = 'udpSize' in question ? question.udpSize : usualSize
  const edns = size === undefined ? {} : { udpSize: size }
  const packet = encodeQuestion({ id, name: question.name, type: question.type, ...edns })
  const bytes = await exchangeDns(env, host, to, packet, question)
  if (typeof bytes === 'string') return bytes
  const response = decodeResponse(bytes)
  if (!response.ok) return response.error
  return response.value.id === id ? { ...response.value, bytes: bytes.length } : 'an answer to another question'
}

/** Sends a packet with any content, and returns the answer, or why there is none. */
export async function exchangeDns(
  env: Env,
  host: string,
  to: Endpoint,
  packet: Uint8Array,
  { over, timeoutMs }: Pick<Question, 'over' | 'timeoutMs'>,
): Promise<Uint8Array | string> {
  const received = env.deferred<Uint8Array | string>()
  const timer = env.timers.after(timeoutMs, () => received.resolve('timeout'), 'dns.answer')
  const take = (bytes: Uint8Array): void => received.resolve(bytes)
  const open =
    over === 'udp'
      ? await byUdp(env, host, to, packet, take)
      : await byTcp(env, to, packet, timeoutMs, take, (why) => received.resolve(why))
  if (open === undefined) received.resolve('refused')
  const bytes = await received.promise
  timer.close()
  open?.close()
  return bytes
}

async function byUdp(
  env: Env,
  host: string,
  to: Endpoint,
  packet: Uint8Array,
  take: (bytes: Uint8Array) => void,
): Promise<Closable | undefined> {
  const socket = await env.udp.bind({ host, port: 0 }, (_from, bytes) => take(bytes))
  if (!socket.ok) return undefined
  let again: Closable | undefined
  const send = (): void => {
    socket.value.send(to, packet)
    again = env.timers.after(resendMs, send)
  }
  send()
  return {
    close: () => {
      again?.close()
      socket.value.close()
    },
  }
}

async function byTcp(
  env: Env,
  to: Endpoint,
  packet: Uint8Array,
  timeoutMs: number,
  take: (bytes: Uint8Array) => void,
  broken: (why: string) => void,
): Promise<Closable | undefined> {
  const stream = await env.tcp.dial(to, { timeoutMs })
  if (!stream.ok) return undefined
  let received: Uint8Array = emptyBytes
  stream.value.onClose((why) => broken(`the connection is over: ${why}`))
  stream.value.onData((piece) => {
    received = concatBytes([received, piece])
    const length = ((received[0] ?? 0) << 8) | (received[1] ?? 0)
    if (received.length >= 2 && received.length >= 2 + length) take(received.slice(2, 2 + length))
  })
  stream.value.write(framed(packet))
  return stream.value
}
