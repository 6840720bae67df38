import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import type { GoldenDnsAnswer, GoldenQuestion } from './golden-target.ts'

/** Asks a DNS server on real sockets. */
export function askDns(host: string, port: number, question: GoldenQuestion): Promise<GoldenDnsAnswer> {
  return question.transport === 'tcp' ? askByTcp(host, port, question) : askByUdp(host, port, question)
}

function askByUdp(host: string, port: number, { packet, timeoutMs }: GoldenQuestion): Promise<GoldenDnsAnswer> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    const end = (answer: GoldenDnsAnswer): void => {
      clearTimeout(timer)
      socket.close()
      resolve(answer)
    }
    const timer = setTimeout(() => end({ kind: 'error', error: 'timeout' }), timeoutMs)
    socket.once('message', (answer) => end({ kind: 'answer', packet: answer }))
    socket.once('error', (cause) => end({ kind: 'error', error: cause.message }))
    socket.send(packet, port, host)
  })
}

function askByTcp(host: string, port: number, { packet, timeoutMs }: GoldenQuestion): Promise<GoldenDnsAnswer> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const stream = connect({ host, port })
    const end = (answer: GoldenDnsAnswer): void => {
      stream.destroy()
      resolve(answer)
    }
    stream.setTimeout(timeoutMs, () => end({ kind: 'error', error: 'timeout' }))
    stream.on('error', (cause) => end({ kind: 'error', error: cause.message }))
    stream.on('data', (piece) => {
      received = Buffer.concat([received, piece])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
      end({ kind: 'answer', packet: received.subarray(2, 2 + received.readUInt16BE(0)) })
    })
    stream.write(framed(packet))
  })
}

/** As a message goes over a stream: behind its length. */
export function framed(packet: Uint8Array): Uint8Array {
  return Uint8Array.from([packet.length >> 8, packet.length & 0xff, ...packet])
}
