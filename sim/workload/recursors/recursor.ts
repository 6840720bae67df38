import { concatBytes, emptyBytes } from '../../../src/base/bytes.ts'
import { invariant } from '../../../src/base/invariant.ts'
import { decodeQuery } from '../../../src/dns-wire/decode-query.ts'
import { encodeResponse } from '../../../src/dns-wire/encode-response.ts'
import { type DnsQuery, type DnsRecord, type Rcode, typeCodes } from '../../../src/dns-wire/message.ts'
import type { Env } from '../../../src/env/env.ts'
import { type Endpoint, endpointText, type TcpStream, type UdpSocket } from '../../../src/env/net.ts'
import type { Tell } from '../../checkers/checker.ts'
import type { Decisions } from '../../world/decisions/decisions.ts'
import { framed } from '../dns-burst.ts'
import { falseAddress, recordsOf } from './outside-names.ts'

const port = 53
/** A port from which no agent may accept an answer. */
const otherPort = 54
/** Beyond every timeout of agents. */
const lateMs = 11_000
/** How long a usual answer takes, in milliseconds. */
const thinksMs = 20
/** Time between the pieces of an answer over TCP, of which there are three. */
const pieceMs = 1
const usualSize = 512
/** Nothing is left out. */
const wholeSize = 65_535
/** More than an OPT record has: what remains cannot be read. */
const cutBytes = 13

const troubles = [
  'silent',
  'late',
  'failing',
  'refusing',
  'failing in short',
  'closing',
  'cut',
  'another number',
  'another question',
  'another port',
  'forged before',
] as const

type Trouble = (typeof troubles)[number]

interface RecursorPlan {
  readonly name: string
  readonly host: string
  /** The chance that a question meets a trouble. */
  readonly troubled: number
}

interface RecursorWorld {
  readonly decisions: Decisions
  /** The agent with this address. */
  readonly nodeAt: (host: string) => string | undefined
  readonly tell: Tell
}

/** Sends bytes to the client that asked; `elsewhere`: from another port. */
interface Way {
  readonly over: 'udp' | 'tcp'
  send(bytes: Uint8Array, elsewhere?: boolean): void
  /** No answer will come. */
  end(): void
}

/** Address and port of the recursor on this machine. */
export function recursorAddress(host: string): string {
  return endpointText({ host, port })
}

/** A DNS server that agents forward questions to, and that does not always answer well. */
export class Recursor {
  readonly #env: Env
  readonly #plan: RecursorPlan
  readonly #world: RecursorWorld
  /** How often each question has been asked. */
  readonly #asked = new Map<string, number>()

  constructor(env: Env, plan: RecursorPlan, world: RecursorWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
  }

  async listen(): Promise<void> {
    const { host } = this.#plan
    const other = await this.#bound(otherPort, () => undefined)
    const own = await this.#bound(port, (from, packet) =>
      this.#take(from.host, packet, {
        over: 'udp',
        send: (bytes, elsewhere = false) => (elsewhere ? other : own).send(from, bytes),
        end: () => undefined,
      }),
    )
    const listener = await this.#env.tcp.listen({ host, port }, (stream) => this.#read(stream))
    invariant(listener.ok, 'a fresh machine has its port')
  }

  async #bound(at: number, use: (from: Endpoint, bytes: Uint8Array) => void): Promise<UdpSocket> {
    const bound = await this.#env.udp.bind({ host: this.#plan.host, port: at }, use)
    invariant(bound.ok, 'a fresh machine has its port')
    return bound.value
  }

  #read(stream: TcpStream): void {
    let received: Uint8Array = emptyBytes
    stream.onData((piece) => {
      received = concatBytes([received, piece])
      const length = ((received[0] ?? 0) << 8) | (received[1] ?? 0)
      if (received.length < 2 || received.length < 2 + length) return
      const packet = received.slice(2, 2 + length)
      received = received.slice(2 + length)
      const way: Way = {
        over: 'tcp',
        send: (bytes) => this.#sendInPieces(stream, framed(bytes)),
        end: () => stream.close(),
      }
      this.#take(stream.remote.host, packet, way)
    })
    stream.onEnd(() => stream.close())
    stream.onClose(() => undefined)
  }

  /** The first piece ends within the length of the message, the second one within its header. */
  #sendInPieces(stream: TcpStream, bytes: Uint8Array): void {
    const pieces = [bytes.slice(0, 1), bytes.slice(1, 9), bytes.slice(9)]
    for (const [at, piece] of pieces.entries()) this.#env.timers.after(at * pieceMs, () => stream.write(piece))
  }

  #take(from: string, packet: Uint8Array, way: Way): void {
    const query = decodeQuery(packet)
    const node = this.#world.nodeAt(from)
    if (!query.ok || node === undefined) return
    const { name } = query.value.question
    const key = `${way.over} ${name}`
    const nth = (this.#asked.get(key) ?? 0) + 1
    this.#asked.set(key, nth)
    const draws = this.#world.decisions.draws('recursor', this.#plan.name, key, nth)
    const trouble = draws.chance(this.#plan.troubled) ? draws.oneOf(troubles, (each) => each) : undefined
    const afterMs = draws.fraction() * thinksMs
    // Over TCP only the first message of an answer is read.
    const isWell = trouble === undefined || (trouble === 'forged before' && way.over === 'udp')
    const recursor = recursorAddress(this.#plan.host)
    const wholeMs = afterMs + (way.over === 'tcp' ? 2 * pieceMs : 0)
    this.#world.tell('recursor asked', { node, name, recursor, verdictInMs: isWell ? wholeMs : undefined })
    this.#env.timers.after(trouble === 'late' ? lateMs : afterMs, () => this.#answer(query.value, way, trouble))
  }

  #answer(query: DnsQuery, way: Way, trouble: Trouble | undefined): void {
    switch (trouble) {
      case undefined:
      case 'late':
        return way.send(truth(query, way))
      case 'silent':
        return
      case 'closing':
        return way.end()
      case 'failing':
        return way.send(failure(query, 'SERVFAIL'))
      case 'refusing':
        return way.send(failure(query, 'REFUSED'))
      case 'failing in short':
        return way.send(failure(query, 'SERVFAIL').slice(0, 12).fill(0, 4))
      case 'cut':
        return way.send(response(query, wholeSize).slice(0, -cutBytes))
      case 'another question':
        return way.send(forged({ ...query, question: { ...query.question, name: `x${query.question.name}` } }))
      case 'another port':
        return way.over === 'udp' ? way.send(forged(query), true) : way.end()
      case 'another number':
        return way.send(forged({ ...query, id: query.id ^ 1 }))
      case 'forged before':
        way.send(forged({ ...query, id: query.id ^ 1 }))
        return way.send(truth(query, way))
    }
  }
}

/** The records of the name, as many as the client's size allows. */
function truth(query: DnsQuery, { over }: Way): Uint8Array {
  return response(query, over === 'tcp' ? wholeSize : (query.edns?.udpSize ?? usualSize))
}

function response(query: DnsQuery, bytes: number): Uint8Array {
  const { name, type } = query.question
  const { rcode, records } = recordsOf(name, type === typeCodes.AAAA ? 'AAAA' : 'A')
  return encoded(query, rcode, records, bytes)
}

function failure(query: DnsQuery, rcode: Rcode): Uint8Array {
  return encoded(query, rcode, [], wholeSize)
}

/** An answer that its client did not ask for. */
function forged(query: DnsQuery): Uint8Array {
  const { name } = query.question
  return encoded(query, 'NOERROR', [{ type: 'A', name, ttl: 60, address: falseAddress }], wholeSize)
}

function encoded(query: DnsQuery, rcode: Rcode, answers: readonly DnsRecord[], bytes: number): Uint8Array {
  const limits = { bytes, answers: 4_096, compress: true, fitUncompressed: false, markTruncated: true }
  const parts = { query, rcode, answers, authorities: [], additionals: [], edns: true }
  return encodeResponse({ ...parts, authoritative: false, recursionAvailable: true }, limits)
}
