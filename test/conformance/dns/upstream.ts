import { concatBytes } from '../../../src/base/bytes.ts'
import { framed } from '../../../src/dns/exchange.ts'
import { decodeQuery } from '../../../src/dns-wire/decode-query.ts'
import { encodeResponse } from '../../../src/dns-wire/encode-response.ts'
import type { DnsRecord } from '../../../src/dns-wire/message.ts'
import type { Closable } from '../../../src/env/async.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint, TcpStream } from '../../../src/env/net.ts'
import { openPorts } from '../../../src/gossip/driver/ports.ts'

/** What a server of names says of one: its records; what it says instead; nothing at all. */
export type Says = (name: string) => readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence'

/** A DNS server that knows names of others, by UDP and TCP. */
export async function openUpstream(env: Env, at: Endpoint, says: Says): Promise<Endpoint & Closable> {
  const take = (packet: Uint8Array): Uint8Array | undefined => answerTo(packet, says)
  const onStream = (stream: TcpStream): void => {
    let bytes: Uint8Array = new Uint8Array()
    stream.onData((piece) => {
      bytes = concatBytes([bytes, piece])
      if (bytes.length < 2 || bytes.length < 2 + (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)) return
      const answer = take(bytes.slice(2))
      if (answer !== undefined) stream.write(framed(answer))
    })
    stream.onEnd(() => stream.end())
    stream.onClose(() => undefined)
  }
  const onDatagram = (from: Endpoint, packet: Uint8Array): void => {
    const answer = take(packet)
    if (answer !== undefined && opened.ok) opened.value.udp.send(from, answer)
  }
  const opened = await openPorts(env, at, { onDatagram, onStream })
  if (!opened.ok) throw new Error(`no port for names of others: ${opened.error.kind}`)
  const { local, udp, listener } = opened.value
  const close = (): void => {
    listener.close()
    udp.close()
  }
  return { ...local, close }
}

function answerTo(packet: Uint8Array, says: Says): Uint8Array | undefined {
  const query = decodeQuery(packet)
  const said = query.ok ? says(query.value.question.name) : 'silence'
  if (!query.ok || said === 'silence') return undefined
  const known = typeof said !== 'string'
  const response = {
    query: query.value,
    rcode: known ? ('NOERROR' as const) : said,
    authoritative: false,
    recursionAvailable: true,
    answers: known ? said.map(recordOf) : [],
    authorities: [],
    additionals: [],
    edns: true,
  }
  return encodeResponse(response, {
    bytes: 65_535,
    answers: 4_096,
    compress: true,
    fitUncompressed: false,
    markTruncated: false,
  })
}

/** `host.example.org. 60 A 192.0.2.8` */
function recordOf(line: string): DnsRecord {
  const [name = '', ttl = '', type = '', data = ''] = line.split(' ')
  const head = { name, ttl: Number(ttl) }
  return type === 'A' ? { ...head, type, address: data } : { ...head, type: type as 'CNAME' | 'PTR', target: data }
}
