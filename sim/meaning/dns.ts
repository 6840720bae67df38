import { concatBytes, emptyBytes } from '../../src/base/bytes.ts'
import { decodeQuery } from '../../src/dns-wire/decode-query.ts'
import { type DnsRecord, typeCodes } from '../../src/dns-wire/message.ts'
import { decodeResponse } from '../../src/dns-wire/question.ts'
import { cut, type Meaning, shownMax } from '../report/meaning.ts'
import { part, unknown } from './unknown.ts'

const typeNames: ReadonlyMap<number, string> = new Map(Object.entries(typeCodes).map(([name, code]) => [code, name]))

/** A question or an answer, as its header says. */
export function dnsMeaning(bytes: Uint8Array): Meaning {
  const query = decodeQuery(bytes)
  if (query.ok) {
    const { id, question } = query.value
    return { layer: 'dns', name: 'question', id, question: cut(question.name), type: typeText(question.type) }
  }
  const response = decodeResponse(bytes)
  if (!response.ok) return unknown(bytes.length, 'it is no DNS message')
  const { id, rcode, truncated, answers, question } = response.value
  return {
    layer: 'dns',
    name: 'answer',
    id,
    question: cut(question?.name ?? ''),
    type: typeText(question?.type ?? 0),
    rcode: String(rcode),
    truncated,
    count: answers.length,
    records: answers.slice(0, shownMax).map(recordText),
  }
}

function typeText(type: number): string {
  return typeNames.get(type) ?? String(type)
}

function recordText(record: DnsRecord): string {
  const { name, type } = record
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return cut(`${name} ${type} ${record.address}`)
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return cut(`${name} ${type} ${record.target}`)
    case 'SRV':
      return cut(`${name} ${type} ${record.target}:${record.port}`)
    case 'TXT':
      return cut(`${name} ${type} ${record.texts.join(' ')}`)
    case 'SOA':
      return cut(`${name} ${type} ${record.primary} ${record.serial}`)
  }
}

/** One direction of a stream: messages, each after two bytes of length (RFC 1035, section 4.2.2). */
export class DnsStream {
  #pending: Uint8Array = emptyBytes

  get held(): number {
    return this.#pending.length
  }

  push(bytes: Uint8Array): readonly Meaning[] {
    const all = this.#pending.length === 0 ? bytes : concatBytes([this.#pending, bytes])
    const means: Meaning[] = []
    let at = 0
    for (;;) {
      const end = at + 2 + (all[at] ?? 0) * 256 + (all[at + 1] ?? 0)
      if (all.length < at + 2 || all.length < end) break
      means.push(dnsMeaning(all.subarray(at + 2, end)))
      at = end
    }
    // The kept bytes must not keep a large segment in memory.
    this.#pending = at === 0 ? all : all.slice(at)
    return means.length > 0 ? means : [part('dns', bytes.length, this.#pending.length)]
  }
}
