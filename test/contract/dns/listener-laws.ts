import { expect } from 'vitest'
import { concatBytes, textOf, utf8 } from '../../../src/base/bytes.ts'
import type { DnsTransport } from '../../../src/dns/answer.ts'
import type { DnsFace } from '../../../src/dns/face.ts'
import { openDns } from '../../../src/dns/listeners.ts'
import type { Deferred } from '../../../src/env/async.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import type { Law, Place } from '../env/law-world.ts'
import { eventually, failureOf, got, Notes, Observed, pause } from '../env/observed.ts'

/** Says back what it is asked, behind the transport; `silence` gets none, `wait…` gets it when it is let go. */
class Echo implements DnsFace {
  readonly #env: Env
  readonly asked: string[] = []
  readonly waiting: Deferred<void>[] = []

  constructor(env: Env) {
    this.#env = env
  }

  async answer(packet: Uint8Array, transport: DnsTransport): Promise<Uint8Array | undefined> {
    const text = textOf(packet)
    this.asked.push(text)
    if (text.startsWith('wait')) {
      const deferred = this.#env.deferred<void>()
      this.waiting.push(deferred)
      await deferred.promise
    }
    return text === 'silence' ? undefined : utf8(`${transport} ${text}`)
  }

  /** What begins so is known without asking. */
  known(packet: Uint8Array, transport: DnsTransport): Uint8Array | undefined {
    const text = textOf(packet)
    return text.startsWith('known') ? utf8(`${transport} ${text}`) : undefined
  }

  letGo(): void {
    for (const deferred of this.waiting.splice(0)) deferred.resolve()
  }
}

const limit = { timeoutMs: 5_000 }

function framed(text: string): Uint8Array {
  const bytes = utf8(text)
  return concatBytes([Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes])
}

function messages(bytes: Uint8Array): string[] {
  const out: string[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)
    out.push(textOf(bytes.subarray(at + 2, end)))
    at = end
  }
  return out
}

async function opened({ env, host }: Place) {
  const face = new Echo(env)
  return { face, listener: await got(openDns(env, face, { host, port: 0 })) }
}

async function dialled({ peer }: Place, at: Endpoint): Promise<Observed> {
  return new Observed(peer, await got(peer.tcp.dial(at, limit)))
}

/** Whether a new connection is answered, and not broken at once. */
async function isHeard({ peer }: Place, at: Endpoint): Promise<boolean> {
  const stream = await peer.tcp.dial(at, limit)
  if (!stream.ok) return false
  const observed = new Observed(peer, stream.value)
  observed.stream.write(framed('now'))
  await observed.until(() => observed.length >= 9 || observed.told.some((event) => event.startsWith('close:')))
  observed.stream.close()
  return observed.length >= 9
}

export function listenerLaws(law: Law): void {
  law('one port is answered by UDP and by TCP', async (place) => {
    const { listener } = await opened(place)
    const notes = new Notes(place.peer)
    const asker = await got(
      place.peer.udp.bind({ host: place.peerHost, port: 0 }, (_from, bytes) => notes.tell(textOf(bytes))),
    )
    const asks = (): void => {
      asker.send(listener.local, utf8('silence'))
      asker.send(listener.local, utf8('who'))
    }
    await eventually(place.peer, 'an answer', () => notes.told.length > 0, asks)
    expect(new Set(notes.told)).toEqual(new Set(['udp who']))
    const stream = await dialled(place, listener.local)
    stream.stream.write(framed('who'))
    await stream.received(9)
    expect(messages(stream.bytes)).toEqual(['tcp who'])
  })

  law('messages on a connection are found however they are cut, and answered as they are ready', async (place) => {
    const { face, listener } = await opened(place)
    const observed = await dialled(place, listener.local)
    const bytes = concatBytes(['wait for it', '', 'silence', 'second', `long ${'x'.repeat(3_000)}`].map(framed))
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 911) {
      observed.stream.write(bytes.slice(at, at + size))
      await pause(place.peer, 1)
    }
    await observed.received(3_000)
    expect(messages(observed.bytes)).toEqual(['tcp ', 'tcp second', `tcp long ${'x'.repeat(3_000)}`])
    face.letGo()
    await observed.received(3_000 + 30)
    expect(messages(observed.bytes).at(-1)).toBe('tcp wait for it')
  })

  law('a client that closes after its question is answered, then released', async (place) => {
    const { listener } = await opened(place)
    const observed = await dialled(place, listener.local)
    observed.stream.write(concatBytes([framed('first'), framed('second'), Uint8Array.of(0, 9, 1)]))
    observed.stream.end()
    await observed.heard('close:ended')
    expect(messages(observed.bytes)).toEqual(['tcp first', 'tcp second'])
  })

  law('a connection has 64 questions answered at once, and the others in their turn', async (place) => {
    const { face, listener } = await opened(place)
    const observed = await dialled(place, listener.local)
    for (let i = 0; i < 100; i++) observed.stream.write(framed(`wait ${i}`))
    const others = await dialled(place, listener.local)
    others.stream.write(framed('in between'))
    await others.received(16)
    await eventually(place.peer, '64 questions', () => face.waiting.length >= 64)
    await pause(place.peer, 20)
    expect(face.waiting).toHaveLength(64)
    while (messages(observed.bytes).length < 100) {
      face.letGo()
      await pause(place.peer, 5)
    }
    expect(new Set(messages(observed.bytes)).size).toBe(100)
  })

  law('beyond 1,024 questions by UDP one is not heard, and later ones are', async (place) => {
    const { face, listener } = await opened(place)
    const notes = new Notes(place.peer)
    const asker = await got(
      place.peer.udp.bind({ host: place.peerHost, port: 0 }, (_from, bytes) => notes.tell(textOf(bytes))),
    )
    for (let sent = 0; face.waiting.length < 1_024 && sent < 5_000; sent++) {
      asker.send(listener.local, utf8(`wait ${sent}`))
      if (sent % 50 === 0) await pause(place.peer, 5)
    }
    await pause(place.peer, 10)
    const heard = face.asked.length
    asker.send(listener.local, utf8('too many'))
    await pause(place.peer, 20)
    expect([face.waiting.length, face.asked.length - heard, face.asked.includes('too many')]).toEqual([1_024, 0, false])
    face.letGo()
    const asks = (): void => asker.send(listener.local, utf8('later'))
    await eventually(place.peer, 'an answer', () => notes.has('udp later'), asks)
    expect(notes.has('udp later')).toBe(true)
  })

  law('at most 128 connections of one source are kept', async (place) => {
    const { listener } = await opened(place)
    const kept: Observed[] = []
    for (let i = 0; i < 128; i++) kept.push(await dialled(place, listener.local))
    const last = kept.at(-1)
    last?.stream.write(framed('still'))
    await last?.received(11)
    expect(await isHeard(place, listener.local)).toBe(false)
    kept[0]?.stream.close()
    await kept[0]?.heard('close:closed')
    while (!(await isHeard(place, listener.local))) await pause(place.peer, 1)
    for (const { stream } of kept) stream.close()
  })

  law('a port that is taken by either is a failure that leaves nothing open', async ({ env, host, port }) => {
    const face = new Echo(env)
    const udp = await got(env.udp.bind({ host, port }, () => undefined))
    expect(await failureOf(openDns(env, face, udp.local))).toBe('address-in-use')
    const tcp = await got(env.tcp.listen(udp.local, () => undefined))
    udp.close()
    await pause(env, 5)
    expect(await failureOf(openDns(env, face, tcp.local))).toBe('address-in-use')
    tcp.close()
    await pause(env, 5)
    const listener = await got(openDns(env, face, tcp.local))
    listener.close()
    listener.close()
  })

  law('once closed nothing is answered, and connections are over', async (place) => {
    const { face, listener } = await opened(place)
    const observed = await dialled(place, listener.local)
    observed.stream.write(framed('wait'))
    while (face.waiting.length === 0) await pause(place.peer, 1)
    listener.close()
    face.letGo()
    await observed.until(() => observed.told.some((event) => event.startsWith('close:')))
    expect(observed.length).toBe(0)
    expect(await failureOf(place.peer.tcp.dial(listener.local, limit))).toBe('refused')
  })
}

/** These take long, where time takes time. */
export function patienceLaws(law: Law): void {
  law(
    'a connection on which nothing arrives for ten seconds is closed, one that waits for an answer is not',
    async (place) => {
      const { face, listener } = await opened(place)
      const idle = await dialled(place, listener.local)
      const half = await dialled(place, listener.local)
      half.stream.write(framed('half').slice(0, 3))
      const waiting = await dialled(place, listener.local)
      waiting.stream.write(framed('wait'))
      await pause(place.peer, 9_000)
      half.stream.write(framed('half').slice(3, 4))
      expect([idle.told, half.told]).toEqual([[], []])
      await pause(place.peer, 2_000)
      expect([idle.told.length, half.told.length, waiting.told.length].map((told) => told > 0)).toEqual([
        true,
        true,
        false,
      ])
      face.letGo()
      await waiting.received(10)
      expect(messages(waiting.bytes)).toEqual(['tcp wait'])
    },
  )
}
