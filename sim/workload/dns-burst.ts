import { concatBytes, emptyBytes } from '../../src/base/bytes.ts'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint, TcpStream } from '../../src/env/net.ts'
import { pause } from '../../src/model/pause.ts'
import type { Draws } from '../world/decisions/draws.ts'

/** What came back on one connection. */
export interface BurstReplies {
  /** Messages without their length, in the order of their arrival. */
  readonly messages: readonly Uint8Array[]
  /** The server ended the connection in order, after the client had. */
  readonly isWhole: boolean
}

/** Longest pause between two pieces: all are there within half a second. */
const pieceMsMax = 100
const piecesMax = 6

/**
 * Sends messages over one connection without waiting for answers, cut into pieces anywhere, ends its half, and returns
 * what comes back. Undefined: nothing accepted the connection.
 */
export async function exchangeBurst(
  env: Env,
  to: Endpoint,
  packets: readonly Uint8Array[],
  { draws, timeoutMs }: { readonly draws: Draws; readonly timeoutMs: number },
): Promise<BurstReplies | undefined> {
  const dialled = await env.tcp.dial(to, { timeoutMs })
  if (!dialled.ok) return undefined
  const stream = dialled.value
  const over = env.deferred<boolean>()
  const timer = env.timers.after(timeoutMs, () => over.resolve(false), 'dns.answer')
  let received: Uint8Array = emptyBytes
  let isOver = false
  const end = (isWhole: boolean): void => {
    isOver = true
    over.resolve(isWhole)
  }
  stream.onData((piece) => {
    received = concatBytes([received, piece])
  })
  stream.onEnd(() => end(true))
  stream.onClose((why) => end(why === 'ended'))
  env.detach(sendInPieces(env, stream, concatBytes(packets.map(framed)), draws, () => isOver))
  const isWhole = await over.promise
  timer.close()
  stream.close()
  return { messages: messagesIn(received), isWhole }
}

async function sendInPieces(
  env: Env,
  stream: TcpStream,
  bytes: Uint8Array,
  draws: Draws,
  isOver: () => boolean,
): Promise<void> {
  const pieces = 1 + draws.below(piecesMax)
  let at = 0
  for (let nth = 1; nth <= pieces && !isOver(); nth++) {
    const to = nth === pieces ? bytes.length : at + draws.below(bytes.length - at + 1)
    stream.write(bytes.slice(at, to))
    at = to
    if (nth < pieces) await pause(env, draws.below(pieceMsMax))
  }
  if (!isOver()) stream.end()
}

/** A message as streams carry it: two bytes of length before it (RFC 1035, section 4.2.2). */
export function framed(packet: Uint8Array): Uint8Array {
  return concatBytes([Uint8Array.of(packet.length >> 8, packet.length & 0xff), packet])
}

function messagesIn(bytes: Uint8Array): readonly Uint8Array[] {
  const messages: Uint8Array[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)
    if (end > bytes.length) break
    messages.push(bytes.slice(at + 2, end))
    at = end
  }
  return messages
}
