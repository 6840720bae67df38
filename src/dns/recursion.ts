import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { type DnsQuery, type DnsRecord, typeCodes } from '../dns-wire/message.ts'
import { decodeResponse, encodeQuestion, isReadable, type ReceivedResponse } from '../dns-wire/question.ts'
import { uint16 } from '../dns-wire/reader.ts'
import type { Env } from '../env/env.ts'
import type { Endpoint } from '../env/net.ts'
import type { DnsTransport } from './answer.ts'
import { exchange, isVerdict, random16, rcodeOf } from './exchange.ts'

/** Questions that recursors are being asked; one more is not asked. */
const outstandingMax = 512
/** The size that passes every network in one piece (DNS flag day 2020). */
const udpSize = 1_232

const opcodeQuery = 0

/**
 * The servers that are asked for names of others, in their order. Reference: dns.md#fact-110, dns.md#fact-111,
 * dns.md#fact-112.
 */
export class Recursion {
  readonly #env: Env
  readonly #config: Pick<DnsConfig, 'recursors' | 'recursorTimeoutMs'>
  readonly #inTurn: boolean
  #outstanding = 0
  /** Questions that are being asked, by the port and the number under which they went out. */
  readonly #asking = new Set<string>()

  /** `inTurn`: a recursor that does not know is skipped; otherwise the first answer counts. */
  constructor(env: Env, config: Pick<DnsConfig, 'recursors' | 'recursorTimeoutMs'>, inTurn = true) {
    this.#env = env
    this.#inTurn = inTurn
    this.#config = config
  }

  get isThere(): boolean {
    return this.#config.recursors.length > 0
  }

  /**
   * Whether this agent asks the question itself, so that a recursor leads back to it: asked again it would come back
   * again.
   */
  isOwn(packet: Uint8Array, from: Endpoint): boolean {
    return this.#asking.has(keyOf(from.port, packet))
  }

  /** Forwards a client's question over its own transport, and returns the answer; undefined: no recursor had one. */
  async relay(packet: Uint8Array, transport: DnsTransport): Promise<Uint8Array | undefined> {
    // Under a number of our own: the client's may be known to others.
    const asked = numbered(packet, random16(this.#env))
    const reply = await this.#ask(asked, transport, (bytes) => (isReadable(bytes) ? bytes : undefined))
    return reply === undefined ? undefined : numbered(reply, uint16(packet, 0))
  }

  /** The A records of a name, and the aliases on the way; undefined: no recursor knew. `name` is absolute. */
  async addressesOf(name: string): Promise<readonly DnsRecord[] | undefined> {
    const question = encodeQuestion({ id: random16(this.#env), name, type: 'A', udpSize })
    const read = await this.#ask(question, 'udp', readOf)
    if (read === undefined) return undefined
    if (!read.truncated) return read.answers
    const whole = await this.#ask(question, 'tcp', readOf)
    return (whole ?? read).answers
  }

  /** The first answer that says that the name exists, or that it does not, as `use` reads it; undefined: unreadable. */
  async #ask<T>(
    packet: Uint8Array,
    transport: DnsTransport,
    use: (reply: Uint8Array) => T | undefined,
  ): Promise<T | undefined> {
    if (this.#outstanding >= outstandingMax) {
      this.#env.metrics.count('dns.refused_recursions')
      return undefined
    }
    this.#outstanding++
    try {
      for (const at of this.#config.recursors) {
        const reply = await this.#askOne(packet, at, transport)
        const counts = reply !== undefined && (isVerdict(rcodeOf(reply)) || !this.#inTurn)
        const read = counts ? use(reply) : undefined
        if (read !== undefined) return read
      }
      return undefined
    } finally {
      this.#outstanding--
    }
  }

  async #askOne(packet: Uint8Array, at: Endpoint, transport: DnsTransport): Promise<Uint8Array | undefined> {
    let key = ''
    const onPort = (port: number): void => {
      key = keyOf(port, packet)
      this.#asking.add(key)
    }
    const reply = await exchange(this.#env, packet, {
      at,
      transport,
      timeoutMs: this.#config.recursorTimeoutMs,
      onPort,
    })
    this.#asking.delete(key)
    return reply
  }
}

function keyOf(port: number, packet: Uint8Array): string {
  return `${port} ${uint16(packet, 0)}`
}

function readOf(reply: Uint8Array): ReceivedResponse | undefined {
  const read = decodeResponse(reply)
  return read.ok ? read.value : undefined
}

/** Questions alone are passed on: not what changes a zone or copies one. */
export function canBeRelayed({ opcode, question }: DnsQuery): boolean {
  return opcode === opcodeQuery && question.type !== typeCodes.AXFR && question.type !== typeCodes.IXFR
}

function numbered(packet: Uint8Array, id: number): Uint8Array {
  const out = packet.slice()
  out[0] = id >>> 8
  out[1] = id & 0xff
  return out
}
