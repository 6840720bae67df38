import { base64, equalBytes, textOf, utf8 } from '../../../src/base/bytes.ts'
import { decodeQuery } from '../../../src/dns-wire/decode-query.ts'
import { typeCodes } from '../../../src/dns-wire/message.ts'
import type { Bridged } from '../serve/front.ts'
import type { Conductor } from './conductor.ts'

/** What other programs ask the agents over real sockets: acts of the session, like those of the page. */
export class OutsideRequests implements Bridged {
  readonly #conductor: Conductor

  constructor(conductor: Conductor) {
    this.#conductor = conductor
  }

  send(node: string, sent: Parameters<Bridged['send']>[1], take: Parameters<Bridged['send']>[2]): void {
    const { method, target, headers = [], bodyBytes } = sent
    const body = bodyBytes === undefined || bodyBytes.length === 0 ? {} : bodyOf(bodyBytes)
    const kept = headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }
    const isBrief = !waitsForChange(target)
    this.#conductor.bridge(
      { http: { at: node, request: `${method} ${target}`, ...kept, ...body } },
      isBrief,
      (told) => {
        take(typeof told === 'string' ? told : told.kind === 'http' ? told.answer : 'no answer')
      },
    )
  }

  sendDns(
    node: string,
    packet: Uint8Array,
    { over }: Parameters<Bridged['sendDns']>[2],
    take: Parameters<Bridged['sendDns']>[3],
  ): void {
    const read = decodeQuery(packet)
    const asks = read.ok ? { asks: `${read.value.question.name} ${typeName(read.value.question.type)}` } : {}
    this.#conductor.bridge({ dns: { at: node, packet: base64(packet), over, ...asks } }, true, (told) => {
      take(typeof told === 'string' ? told : told.kind === 'dns' ? told.answer : 'no answer')
    })
  }
}

/** Blocking queries and streams of logs: they would let a minute pass, again and again. */
function waitsForChange(target: string): boolean {
  return /[?&]index=/.test(target) || target.startsWith('/v1/agent/monitor')
}

/** The body as text if it is text. */
function bodyOf(bytes: Uint8Array): Readonly<Record<string, string>> {
  const text = textOf(bytes)
  return equalBytes(utf8(text), bytes) ? { body: text } : { 'body base64': base64(bytes) }
}

function typeName(code: number): string {
  return Object.entries(typeCodes).find(([, known]) => known === code)?.[0] ?? `type ${code}`
}
