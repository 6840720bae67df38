import type { Socket } from 'node:net'
import { byteAt } from '../base/items.ts'
import { handshakeTimeoutMs } from './tls.ts'

/** The first byte of a TLS handshake. RFC 8446, section 5.1. */
export const handshakeByte = 0x16

/** Calls `use` with the first byte that comes, which is left to be read; a dialler that says nothing in time is dropped. */
export function whenFirstByte(raw: Socket, use: (byte: number) => void): void {
  const timer = setTimeout(() => raw.destroy(), handshakeTimeoutMs)
  const over = (): void => {
    clearTimeout(timer)
    raw.off('readable', look)
    raw.off('end', gone)
    raw.off('close', over)
  }
  const gone = (): void => void raw.destroy()
  const look = (): void => {
    const first = raw.read(1) as Uint8Array | null
    if (first === null) return
    over()
    raw.unshift(first)
    use(byteAt(first, 0))
  }
  raw.on('readable', look)
  raw.once('end', gone)
  raw.once('close', over)
}
