import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { type DnsQuery, type DnsRecord, typeCodes } from '../dns-wire/message.ts'
import { decodeResponse, encodeQuestion } from '../dns-wire/question.ts'
import type { Env } from '../env/env.ts'
import type { DnsTransport } from './answer.ts'
import { exchange, random16 } from './exchange.ts'

/** Questions that recursors are being asked; one more is not asked. */
const outstandingMax = 512
/** The size that passes every network in one piece (DNS flag day 2020). */
const udpSize = 1_232

const opcodeQuery = 0
const [noError, nameError] = [0, 3]

/**
 * The servers that are asked for names of others, in their order. Reference: dns.md#fact-110, dns.md#fact-111,
 * dns.md#fact-112.
 */
export class Recursion {
  readonly #env: Env
  readonly #config: Pick<DnsConfig, 'recursors' | 'recursorTimeoutMs'>
  readonly #inTurn: boolean
  #outstanding = 0

  /** `inTurn`: a recursor that does not know is skipped; otherwise the first answer counts. */
  constructor(env: Env, config: Pick<DnsConfig, 'recursors' | 'recursorTimeoutMs'>, inTurn = true) {
    this.#env = env
    this.#inTurn = inTurn
    this.#config = config
  }

  get isThere(): boolean {
    return this.#config.recursors.length > 0
  }

  /** Forwards a client's question over its own transport, and returns the answer; undefined: no recursor had one. */
  async relay(packet: Uint8Array, transport: DnsTransport): Promise<Uint8Array | undefined> {
    // Under a number of our own: the client's may be known to others.
    const asked = numbered(packet, random16(this.#env))
    const reply = await this.#ask(asked, transport)
    return reply === undefined ? undefined : numbered(reply, (packet[0] ?? 0) * 256 + (packet[1] ?? 0))
  }

  /** The A records of a name, and the aliases on the way; undefined: no recursor knew. `name` is absolute. */
  async addressesOf(name: string): Promise<readonly DnsRecord[] | undefined> {
    const question = encodeQuestion({ id: random16(this.#env), name, type: 'A', udpSize })
    const reply = await this.#ask(question, 'udp')
    const read = reply === undefined ? undefined : decodeResponse(reply)
    if (read?.ok !== true) return undefined
    if (!read.value.truncated) return read.value.answers
    const whole = await this.#ask(question, 'tcp')
    const readWhole = whole === undefined ? undefined : decodeResponse(whole)
    return readWhole?.ok === true ? readWhole.value.answers : read.value.answers
  }

  /** The first answer that says that the name exists, or that it does not. */
  async #ask(packet: Uint8Array, transport: DnsTransport): Promise<Uint8Array | undefined> {
    if (this.#outstanding >= outstandingMax) {
      this.#env.metrics.count('dns.refused_recursions')
      return undefined
    }
    this.#outstanding++
    try {
      for (const at of this.#config.recursors) {
        const reply = await exchange(this.#env, packet, { at, transport, timeoutMs: this.#config.recursorTimeoutMs })
        const rcode = (reply?.[3] ?? 0) & 0xf
        const knows = rcode === noError || rcode === nameError
        if (reply !== undefined && (knows || !this.#inTurn)) return reply
      }
      return undefined
    } finally {
      this.#outstanding--
    }
  }
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
