import { concatBytes, emptyBytes, equalBytes } from '../base/bytes.ts'
import { ipBytes } from '../dns-wire/ip-address.ts'
import { sameQuestion } from '../dns-wire/names.ts'
import { uint16 } from '../dns-wire/reader.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { Endpoint } from '../env/net.ts'

interface Target {
  readonly at: Endpoint
  readonly timeoutMs: number
  /** Called with the port from which the question is sent, before it is. */
  readonly onPort?: (port: number) => void
}

/**
 * Sends one question to one DNS server and returns the answer; undefined: none came in time. A datagram counts only if
 * it comes from the address and port that was asked, has the number that was drawn, and repeats the question (RFC 5452,
 * sections 4 and 9), so a forger of answers must guess number and port. A server that reports a failure may leave the
 * question out.
 */
export async function exchange(
  env: Env,
  packet: Uint8Array,
  to: Target & { readonly transport: 'udp' | 'tcp' },
): Promise<Uint8Array | undefined> {
  const answer = env.deferred<Uint8Array | undefined>()
  const timer = env.timers.after(to.timeoutMs, () => answer.resolve(undefined), 'dns.answer')
  const open = to.transport === 'udp' ? byUdp : byTcp
  const take = (bytes: Uint8Array): void => {
    if (answers(packet, bytes)) answer.resolve(bytes)
  }
  const end = (): void => answer.resolve(undefined)
  const opened = await open(env, packet, to, { take, end })
  if (opened === undefined) end()
  const bytes = await answer.promise
  timer.close()
  opened?.close()
  return bytes
}

interface Receiver {
  take(bytes: Uint8Array): void
  /** No more messages will come. */
  end(): void
}

/** The range of random ports; tried fewer times than there are ports in use. */
const portFrom = 32_768
const portTries = 4

async function byUdp(
  env: Env,
  packet: Uint8Array,
  { at, onPort }: Target,
  { take }: Receiver,
): Promise<Closable | undefined> {
  const host = at.host.includes(':') ? '::' : '0.0.0.0'
  const receive = (from: Endpoint, bytes: Uint8Array): void => {
    if (from.port === at.port && sameHost(from.host, at.host)) take(bytes)
  }
  for (let tries = 0; tries <= portTries; tries++) {
    const port = tries === portTries ? 0 : portFrom + (random16(env) & 0x7fff)
    const socket = await env.udp.bind({ host, port }, receive)
    if (!socket.ok) continue
    onPort?.(socket.value.local.port)
    socket.value.send(at, packet)
    return socket.value
  }
  return undefined
}

async function byTcp(
  env: Env,
  packet: Uint8Array,
  { at, timeoutMs, onPort }: Target,
  { take, end }: Receiver,
): Promise<Closable | undefined> {
  const stream = await env.tcp.dial(at, { timeoutMs })
  if (!stream.ok) return undefined
  // Only one message is expected; anything after it is ignored.
  let received: Uint8Array = emptyBytes
  stream.value.onData((piece) => {
    received = concatBytes([received, piece])
    const length = ((received[0] ?? 0) << 8) | (received[1] ?? 0)
    if (received.length < 2 || received.length < 2 + length) return
    stream.value.pause()
    take(received.slice(2, 2 + length))
    end()
  })
  stream.value.onEnd(end)
  stream.value.onClose(end)
  onPort?.(stream.value.local.port)
  stream.value.write(framed(packet))
  return stream.value
}

/** Unguessable. */
export function random16(env: Env): number {
  const [high = 0, low = 0] = env.crypto.randomBytes(2, 'dns id')
  return high * 256 + low
}

/** Whether the addresses are equal, however each is written. */
function sameHost(a: string, b: string): boolean {
  if (a === b) return true
  const [one, other] = [ipBytes(a), ipBytes(b)]
  return one !== undefined && other !== undefined && equalBytes(one, other)
}

const headerBytes = 12

/** Whether this is a response to that question. Some servers repeat a name in another case. */
function answers(packet: Uint8Array, bytes: Uint8Array): boolean {
  if (bytes.length < headerBytes || bytes[0] !== packet[0] || bytes[1] !== packet[1] || (bytes[2] ?? 0) < 0x80)
    return false
  return sameQuestion(packet, bytes) || (uint16(bytes, 4) === 0 && !isVerdict(rcodeOf(bytes)))
}

/** NOERROR and NXDOMAIN: the server says that the name exists, or that it does not. */
const verdicts: readonly number[] = [0, 3]

export function isVerdict(rcode: number): boolean {
  return verdicts.includes(rcode)
}

export function rcodeOf(response: Uint8Array): number {
  return (response[3] ?? 0) & 0xf
}

/** A message in the form for streams: two bytes of length precede it. RFC 1035, section 4.2.2. */
export function framed(message: Uint8Array): Uint8Array {
  const out = new Uint8Array(2 + message.length)
  out[0] = message.length >>> 8
  out[1] = message.length & 0xff
  out.set(message, 2)
  return out
}
