import { createSocket } from 'node:dgram'
import { connect } from 'node:net'

export interface GossipPlace {
  readonly host: string
  readonly port: number
}

/** The same bytes on so many connections at once; over when the other side has ended all of them. */
export async function floodStreams(to: GossipPlace, bytes: Uint8Array, streams: number): Promise<void> {
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(to.port, to.host, () => socket.end(bytes))
      socket.on('error', () => undefined)
      socket.on('close', () => resolve())
      socket.resume()
    })
  await Promise.all(Array.from({ length: streams }, one))
}

/** Sends the same datagram at this rate for this long. */
export async function floodPackets(
  to: GossipPlace,
  bytes: Uint8Array,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<void> {
  const socket = createSocket('udp4')
  const begunMs = performance.now()
  let sent = 0
  await new Promise<void>((resolve) => {
    const beat = setInterval(() => {
      const dueMs = performance.now() - begunMs
      for (const due = Math.min(perSecond * seconds, (dueMs * perSecond) / 1000); sent < due; sent++) {
        socket.send(bytes, to.port, to.host)
      }
      if (dueMs < seconds * 1000) return
      clearInterval(beat)
      resolve()
    }, 5)
  })
  await new Promise<void>((resolve) => socket.close(() => resolve()))
}
