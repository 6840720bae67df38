import { type Answer, type DecodedPacket, decode, encode, type Packet } from 'dns-packet'
import { canonical, type Exact } from './exact-json.ts'
import type { Step } from './sequence.ts'

/** The packet that a step asks with. An independent codec on this side: ours is what is looked at. */
export function packetOf(step: Step, name: string): Uint8Array {
  const question = { name: name.replace(/\.$/, ''), type: step.type ?? 'A', class: 'IN' } as const
  const flags = ((step.opcode ?? 0) << 11) | (step.rd === false ? 0 : 0x100)
  const opt = { type: 'OPT', name: '.', udpPayloadSize: step.edns ?? 0, flags: 0, options: [] } as unknown as Answer
  const packet = { id: 0x5eed, type: 'query', flags, questions: [question] } as Packet
  return encode(step.edns === undefined ? packet : { ...packet, additionals: [opt] })
}

/** An answer in the words of the recordings; sections are sorted, for their order means nothing. */
export function dnsFacts(bytes: Uint8Array, normalised: (record: Exact) => Exact): Exact {
  const packet = decode(Buffer.from(bytes))
  const sorted = (records: readonly Answer[] = []): Exact[] => {
    const facts = records.map((record) => normalised(factsOf(record)))
    return facts.sort((a, b) => compareText(canonical(a), canonical(b)))
  }
  const flags = packet.flags ?? 0
  return {
    rcode: rcodeOf(packet),
    flags: ['qr', ...flagNames.filter(([bit]) => (flags & bit) !== 0).map(([, name]) => name)],
    answer: sorted(packet.answers),
    authority: sorted(packet.authorities),
    additional: sorted(packet.additionals),
  }
}

/** The codec's declarations leave it out. */
function rcodeOf(packet: DecodedPacket): string {
  return (packet as DecodedPacket & { readonly rcode: string }).rcode
}

const flagNames = [
  [0x400, 'aa'],
  [0x200, 'tc'],
  [0x100, 'rd'],
  [0x80, 'ra'],
] as const

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function factsOf(record: Answer): Exact {
  if (record.type === 'OPT') return { type: 'OPT', udp: record.udpPayloadSize }
  const { name, type, ttl = 0 } = record as { name: string; type: string; ttl?: number }
  return { name: absolute(name), type, ttl, data: dataOf(record) }
}

function dataOf(record: Answer): Exact {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return record.data
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return absolute(record.data)
    case 'TXT':
      return (record.data as unknown as readonly Buffer[]).map((text) => text.toString('utf8'))
    case 'SRV': {
      const { priority, weight, port, target } = record.data
      return `${priority} ${weight} ${port} ${absolute(target)}`
    }
    case 'SOA': {
      const { mname, rname, refresh, retry, expire, minimum } = record.data
      return `${absolute(mname)} ${absolute(rname)} <serial> ${refresh} ${retry} ${expire} ${minimum}`
    }
    default:
      throw new Error(`no sequence asks for ${record.type} records`)
  }
}

function absolute(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}
