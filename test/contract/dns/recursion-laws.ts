import { expect } from 'vitest'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { DnsContext } from '../../../src/dns/catalog-reads.ts'
import { framed } from '../../../src/dns/exchange.ts'
import { createDnsFace, type DnsFace } from '../../../src/dns/face.ts'
import { openDns } from '../../../src/dns/listeners.ts'
import { Recursion } from '../../../src/dns/recursion.ts'
import { decodeQuery } from '../../../src/dns-wire/decode-query.ts'
import { encodeResponse } from '../../../src/dns-wire/encode-response.ts'
import type { DnsRecord, Rcode } from '../../../src/dns-wire/message.ts'
import { encodeQuestion } from '../../../src/dns-wire/question.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint, TcpStream, UdpSocket } from '../../../src/env/net.ts'
import { openPorts } from '../../../src/gossip/driver/ports.ts'
import { labelsOf } from '../../../src/model/metric-labels.ts'
import { newestRelease } from '../../../src/model/release.ts'
import type { Law, Place } from '../env/law-world.ts'
import { got, pause } from '../env/observed.ts'

const timeoutMs = 150
const whole = { bytes: 65_535, answers: 4_096, compress: true, fitUncompressed: false, markTruncated: false }

interface Reply {
  /** What becomes of the answer on its way; absent: nothing. */
  readonly mangled?: (bytes: Uint8Array) => Uint8Array
  readonly rcode?: Rcode
  readonly answers?: readonly DnsRecord[]
  readonly truncated?: boolean
}

/** A DNS server somewhere that says what it is told to; undefined: nothing. */
class Upstream {
  readonly asked: { readonly from: Endpoint; readonly packet: Uint8Array; readonly over: string }[] = []
  readonly #say: (name: string, over: string) => Reply | undefined
  at: Endpoint = { host: '', port: 0 }
  udp: UdpSocket | undefined

  static async open(env: Env, host: string, say: (name: string, over: string) => Reply | undefined): Promise<Upstream> {
    const upstream = new Upstream(say)
    const onStream = (stream: TcpStream): void => {
      let bytes = new Uint8Array()
      stream.onData((piece) => {
        bytes = Uint8Array.from([...bytes, ...piece])
        if (bytes.length < 2 || bytes.length < 2 + (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)) return
        const answer = upstream.take(stream.remote, bytes.slice(2), 'tcp')
        if (answer === undefined) return
        // In two pieces, and more behind.
        stream.write(framed(answer).slice(0, 7))
        stream.write(Uint8Array.from([...framed(answer).slice(7), 9, 9, 9]))
      })
      stream.onClose(() => undefined)
      stream.onEnd(() => stream.end())
    }
    const onDatagram = (from: Endpoint, packet: Uint8Array): void => {
      const answer = upstream.take(from, packet, 'udp')
      if (answer !== undefined) upstream.udp?.send(from, answer)
    }
    const { local, udp } = await got(openPorts(env, { host, port: 0 }, { onDatagram, onStream }))
    upstream.at = local
    upstream.udp = udp
    return upstream
  }

  constructor(say: (name: string, over: string) => Reply | undefined) {
    this.#say = say
  }

  take(from: Endpoint, packet: Uint8Array, over: string): Uint8Array | undefined {
    this.asked.push({ from, packet, over })
    const query = decodeQuery(packet)
    if (!query.ok) throw new Error('not a question')
    const reply = this.#say(query.value.question.name, over)
    if (reply === undefined) return undefined
    const { rcode = 'NOERROR', answers = [], truncated = false } = reply
    const parts = { query: query.value, rcode, answers, authorities: [], additionals: [], edns: true }
    const bytes = encodeResponse({ ...parts, authoritative: false, recursionAvailable: true }, whole)
    if (truncated) bytes[2] = (bytes[2] ?? 0) | 2
    return reply.mangled?.(bytes) ?? bytes
  }
}

const address = (name: string, text: string): DnsRecord => ({ type: 'A', name, ttl: 60, address: text })

function opened(place: Place, upstreams: readonly Upstream[]): Recursion {
  return new Recursion(place.env, { recursors: upstreams.map(({ at }) => at), recursorTimeoutMs: timeoutMs })
}

const question = (name: string, id = 0x1234) => encodeQuestion({ id, name, type: 'A', udpSize: 4096 })
const answersOf = (name: string): Reply => ({ answers: [address(name, '192.0.2.7')] })

/** The text of the address that a reply ends with, before OPT. */
const lastAddress = (reply: Uint8Array | undefined): string => [...(reply ?? []).slice(-15, -11)].join('.')

export function recursionLaws(law: Law): void {
  law('the answer of a recursor is forwarded unchanged, with the ID of the question', async (place) => {
    const upstream = await Upstream.open(place.peer, place.peerHost, answersOf)
    const recursion = opened(place, [upstream])
    const reply = await recursion.relay(question('www.example.'), 'udp')
    expect(lastAddress(reply)).toBe('192.0.2.7')
    expect([...(reply ?? []).slice(0, 2)]).toEqual([0x12, 0x34])
    const [asked] = upstream.asked
    expect([...(asked?.packet.slice(2) ?? [])]).toEqual([...question('www.example.').slice(2)])
  })

  law('each question goes out from a port and under a number of its own', async (place) => {
    const upstream = await Upstream.open(place.peer, place.peerHost, answersOf)
    const recursion = opened(place, [upstream])
    for (let at = 0; at < 24; at++) await recursion.relay(question('www.example.'), 'udp')
    const numbers = upstream.asked.map(({ packet }) => (packet[0] ?? 0) * 256 + (packet[1] ?? 0))
    expect(new Set(numbers).size).toBeGreaterThan(20)
    expect(new Set(upstream.asked.map(({ from }) => from.port)).size).toBeGreaterThan(20)
  })

  law(
    'the next one is asked when one is silent, or says that it failed; that there is no such name is an answer',
    async (place) => {
      const silent = await Upstream.open(place.peer, place.peerHost, () => undefined)
      const failing = await Upstream.open(place.peer, place.peerHost, () => ({ rcode: 'SERVFAIL' }))
      const refusing = await Upstream.open(place.peer, place.peerHost, () => ({ rcode: 'REFUSED' }))
      const knowing = await Upstream.open(place.peer, place.peerHost, () => ({ rcode: 'NXDOMAIN' }))
      const unasked = await Upstream.open(place.peer, place.peerHost, answersOf)
      const recursion = opened(place, [silent, failing, refusing, knowing, unasked])
      const reply = await recursion.relay(question('www.example.'), 'udp')
      expect((reply?.[3] ?? 0) & 15).toBe(3)
      const counts = [silent, failing, refusing, knowing, unasked].map(({ asked }) => asked.length)
      expect(counts).toEqual([1, 1, 1, 1, 0])
      expect(await opened(place, [silent, failing]).relay(question('www.example.'), 'udp')).toBeUndefined()
      expect(await opened(place, []).relay(question('www.example.'), 'udp')).toBeUndefined()
    },
  )

  law('the next one is asked at once when one fails without repeating the question', async (place) => {
    const bare = (bytes: Uint8Array) => bytes.slice(0, 12).fill(0, 4)
    const failing = await Upstream.open(place.peer, place.peerHost, () => ({ rcode: 'FORMERR', mangled: bare }))
    const knowing = await Upstream.open(place.peer, place.peerHost, answersOf)
    const beganMs = place.env.clock.monoMs()
    const patient = new Recursion(place.env, { recursors: [failing.at, knowing.at], recursorTimeoutMs: 60_000 })
    expect(lastAddress(await patient.relay(question('www.example.'), 'udp'))).toBe('192.0.2.7')
    expect(place.env.clock.monoMs() - beganMs).toBeLessThan(60_000)
    // Nor does a name exist, or not exist, because a server that repeats no question says so.
    const lying = await Upstream.open(place.peer, place.peerHost, () => ({ rcode: 'NXDOMAIN', mangled: bare }))
    expect(lastAddress(await opened(place, [lying, knowing]).relay(question('www.example.'), 'udp'))).toBe('192.0.2.7')
  })

  law(
    'an answer that cannot be read counts as none; one that is marked as truncated may end anywhere',
    async (place) => {
      const cut = (bytes: Uint8Array) => bytes.slice(0, -13)
      const mangled = (name: string): Reply => ({ ...answersOf(name), mangled: cut })
      const garbling = await Upstream.open(place.peer, place.peerHost, mangled)
      const knowing = await Upstream.open(place.peer, place.peerHost, answersOf)
      const recursion = opened(place, [garbling, knowing])
      for (const over of ['udp', 'tcp'] as const) {
        expect(lastAddress(await recursion.relay(question('www.example.'), over))).toBe('192.0.2.7')
      }
      expect(await recursion.addressesOf('www.example.')).toEqual([address('www.example.', '192.0.2.7')])
      expect(await opened(place, [garbling]).addressesOf('www.example.')).toBeUndefined()
      const truncating = await Upstream.open(place.peer, place.peerHost, (name) => ({
        ...mangled(name),
        truncated: true,
      }))
      expect((await opened(place, [truncating, knowing]).relay(question('www.example.'), 'udp'))?.[2]).toBe(0x83)
    },
  )

  law('a recursor that leads back to the agent fails at the first return, over UDP and TCP', async (place) => {
    const recursors: Endpoint[] = []
    const config = { ...defaultAgentConfig('n1', '127.0.0.1').dns, recursors, recursorTimeoutMs: timeoutMs }
    const context = { release: newestRelease } as unknown as DnsContext
    const face = createDnsFace({ env: place.env, context, config, datacenter: 'dc1', labels: labelsOf(['node', 'n1']) })
    let asked = 0
    const counting: DnsFace = {
      known: () => undefined,
      answer: (packet, transport, from) => {
        asked++
        return face.answer(packet, transport, from)
      },
    }
    const listener = await got(openDns(place.env, counting, { host: place.host, port: 0 }))
    recursors.push(listener.local, listener.local, listener.local)
    const client = { host: '192.0.2.200', port: 5_353 }
    for (const over of ['udp', 'tcp'] as const) {
      asked = 0
      const reply = await face.answer(question('www.example.'), over, client)
      expect((reply?.[3] ?? 0) & 15).toBe(2)
      expect(asked).toBe(3)
    }
    const knowing = await Upstream.open(place.peer, place.peerHost, answersOf)
    recursors.push(knowing.at)
    expect(lastAddress(await face.answer(question('www.example.'), 'udp', client))).toBe('192.0.2.7')
    listener.close()
  })

  law("a question is the agent's own if it is being asked from that port under that number", async (place) => {
    const silent = await Upstream.open(place.peer, place.peerHost, () => undefined)
    const recursion = opened(place, [silent])
    const reply = recursion.relay(question('www.example.'), 'udp')
    while (silent.asked.length === 0) await pause(place.peer, 1)
    const { from, packet } = silent.asked[0] as { from: Endpoint; packet: Uint8Array }
    const changed = (at: number) => packet.map((byte, place) => (place === at ? byte ^ 1 : byte))
    // Whatever recursors on the way have made of its flags.
    expect([packet, changed(2)].map((bytes) => recursion.isOwn(bytes, from))).toEqual([true, true])
    expect([changed(0), changed(1)].map((bytes) => recursion.isOwn(bytes, from))).toEqual([false, false])
    expect(recursion.isOwn(packet, { ...from, port: from.port ^ 1 })).toBe(false)
    expect(await reply).toBeUndefined()
    expect(recursion.isOwn(packet, from)).toBe(false)
  })

  law('a question over TCP is forwarded over TCP, and an unreachable recursor counts as none', async (place) => {
    const upstream = await Upstream.open(place.peer, place.peerHost, answersOf)
    const closed = await got(place.peer.tcp.listen({ host: place.peerHost, port: 0 }, () => undefined))
    const gone = closed.local
    closed.close()
    const recursion = new Recursion(place.env, { recursors: [gone, upstream.at], recursorTimeoutMs: timeoutMs })
    const reply = await recursion.relay(question('www.example.'), 'tcp')
    expect(lastAddress(reply)).toBe('192.0.2.7')
    expect(upstream.asked.map(({ over }) => over)).toEqual(['tcp'])
  })

  law('an answer over TCP that is longer than 255 bytes is whole', async (place) => {
    const many = Array.from({ length: 40 }, (_, at) => address('www.example.', `192.0.2.${at}`))
    const upstream = await Upstream.open(place.peer, place.peerHost, () => ({ answers: many }))
    const reply = await opened(place, [upstream]).relay(question('www.example.'), 'tcp')
    expect(reply?.length).toBeGreaterThan(600)
    expect(lastAddress(reply)).toBe('192.0.2.39')
  })

  law(
    'a datagram from elsewhere, with another number, to another question, or that is none, is no answer',
    async (place) => {
      const upstream = await Upstream.open(place.peer, place.peerHost, () => undefined)
      const elsewhere = await got(place.peer.udp.bind({ host: place.peerHost, port: 0 }, () => undefined))
      const recursion = opened(place, [upstream])
      const reply = recursion.relay(question('www.example.'), 'udp')
      while (upstream.asked.length === 0) await pause(place.peer, 1)
      const { from, packet } = upstream.asked[0] as { from: Endpoint; packet: Uint8Array }
      const query = decodeQuery(packet)
      if (!query.ok) throw new Error('not a question')
      const parts = { rcode: 'NOERROR' as const, authorities: [], additionals: [], edns: true, authoritative: false }
      const made = (text: string, asked = query.value) => {
        const answers = [address(asked.question.name, text)]
        return encodeResponse({ ...parts, query: asked, answers, recursionAvailable: true }, whole)
      }
      const named = (name: string) => ({ ...query.value, question: { ...query.value.question, name } })
      elsewhere.send(from, made('192.0.2.1'))
      upstream.udp?.send(from, made('192.0.2.2', { ...query.value, id: query.value.id ^ 1 }))
      upstream.udp?.send(from, made('192.0.2.3', named('ww2.example.')))
      upstream.udp?.send(from, packet)
      upstream.udp?.send(from, Uint8Array.of(1, 2, 3))
      await pause(place.peer, 20)
      upstream.udp?.send(from, made('192.0.2.9', named('WWW.Example.')))
      expect(lastAddress(await reply)).toBe('192.0.2.9')
    },
  )

  law('at most 512 questions are asked at a time', async (place) => {
    const upstream = await Upstream.open(place.peer, place.peerHost, () => undefined)
    const recursion = opened(place, [upstream])
    const asked = Array.from({ length: 512 }, () => recursion.relay(question('www.example.'), 'udp'))
    let over = false
    const all = Promise.all(asked).then(() => {
      over = true
    })
    expect(await recursion.relay(question('www.example.'), 'udp')).toBeUndefined()
    expect(over).toBe(false)
    await all
    const knowing = await Upstream.open(place.peer, place.peerHost, answersOf)
    expect(lastAddress(await opened(place, [knowing]).relay(question('www.example.'), 'udp'))).toBe('192.0.2.7')
  })

  law('an alias is asked for by A, and again by TCP where not all fits', async (place) => {
    const chain: readonly DnsRecord[] = [
      { type: 'CNAME', name: 'www.example.', ttl: 60, target: 'host.example.' },
      address('host.example.', '192.0.2.8'),
    ]
    const say = (_name: string, over: string) =>
      over === 'tcp' ? { answers: chain } : { answers: chain.slice(0, 1), truncated: true }
    const upstream = await Upstream.open(place.peer, place.peerHost, say)
    expect(await opened(place, [upstream]).addressesOf('www.example.')).toEqual(chain)
    expect(upstream.asked.map(({ over }) => over)).toEqual(['udp', 'tcp'])
    expect(textOf(upstream.asked[0]?.packet.slice(13, 16) ?? new Uint8Array())).toBe('www')
    const silent = await Upstream.open(place.peer, place.peerHost, () => undefined)
    expect(await opened(place, [silent]).addressesOf('www.example.')).toBeUndefined()
  })
}
