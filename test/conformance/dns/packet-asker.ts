import { type Answer, type DecodedPacket, decode, encode, type Packet, type RecordType } from 'dns-packet'
import type { GoldenTarget } from '../golden/golden-target.ts'
import { type Asker, type Question, type Said, sortedLines, type Unsaid, withoutTime } from './asked.ts'

const timeoutMs = 30_000

/** Asks with packets that an independent codec makes and reads. */
export function packetAsker(target: GoldenTarget): Asker {
  return async (questions) => {
    const said: (Said | Unsaid)[] = []
    for (const question of questions) {
      const transport = question.tcp === true ? 'tcp' : 'udp'
      const answer = await target.until(target.beginDns({ packet: packetOf(question), transport, timeoutMs }))
      said.push(answer.kind === 'answer' ? saidBy(answer.packet, question.subnet !== undefined) : 'no answer')
    }
    return said
  }
}

function packetOf(asked: Question): Uint8Array {
  const { name, type = 'A', edns, subnet, opcode = 0 } = asked
  const question = { name: name.replace(/\.$/, ''), type: type as RecordType, class: asked.class ?? 'IN' } as const
  const [ip = '', prefix = ''] = (subnet ?? '').split('/')
  const network = { code: 'CLIENT_SUBNET', family: 1, ip, sourcePrefixLength: Number(prefix), scopePrefixLength: 0 }
  const options = subnet === undefined ? [] : [network]
  const opt = { type: 'OPT', name: '.', udpPayloadSize: edns ?? 0, flags: 0, options } as unknown as Answer
  const flags = (opcode << 11) | (asked.rd === false ? 0 : 0x100)
  const packet: Packet = { id: 0x5eed, type: 'query', flags, questions: [question] }
  return encode(edns === undefined ? packet : { ...packet, additionals: [opt] })
}

const flagNames = [
  [0x400, 'aa'],
  [0x200, 'tc'],
  [0x100, 'rd'],
  [0x80, 'ra'],
] as const

function saidBy(bytes: Uint8Array, withNetwork: boolean): Said {
  const packet = decode(Buffer.from(bytes)) as DecodedPacket & { readonly rcode: string }
  const flags = packet.flags ?? 0
  const names = flagNames.filter(([bit]) => (flags & bit) !== 0).map(([, name]) => name)
  const plain = (records: readonly Answer[] = []) =>
    records.filter(({ type }) => type !== 'OPT').map((record) => withoutTime(lineOf(record)))
  const lines = (records: readonly Answer[] | undefined) => sortedLines(plain(records))
  return {
    head: `${packet.rcode} ${['qr', ...names].join(' ')}`,
    answers: lines(packet.answers),
    authorities: lines(packet.authorities),
    additionals: lines(packet.additionals),
    edns: ednsOf(packet.additionals, withNetwork),
    order: plain(packet.answers),
    bytes: bytes.length,
  }
}

interface Network {
  readonly ip: string
  readonly sourcePrefixLength: number
  readonly scopePrefixLength: number
}

function ednsOf(additionals: readonly Answer[] | undefined, withNetwork: boolean): string | undefined {
  const opt = additionals?.find(({ type }) => type === 'OPT')
  if (opt?.type !== 'OPT') return undefined
  const [option] = opt.options as unknown as readonly Network[]
  const size = `udp: ${opt.udpPayloadSize}`
  if (option === undefined || !withNetwork) return size
  return `${size} ${option.ip}/${option.sourcePrefixLength}/${option.scopePrefixLength}`
}

function lineOf(record: Answer): string {
  const { name, type, ttl = 0 } = record as { name: string; type: string; ttl?: number }
  return `${absolute(name)} ${ttl} ${type} ${dataOf(record)}`
}

function dataOf(record: Answer): string {
  switch (record.type) {
    case 'A':
      return record.data
    case 'AAAA':
      return new URL(`http://[${record.data}]`).hostname.slice(1, -1)
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return absolute(record.data)
    case 'TXT':
      return (record.data as unknown as readonly Buffer[]).map((text) => `"${text.toString('latin1')}"`).join(' ')
    case 'SRV': {
      const { priority, weight, port, target } = record.data
      return `${priority} ${weight} ${port} ${absolute(target)}`
    }
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record.data
      return `${absolute(mname)} ${absolute(rname)} ${serial} ${refresh} ${retry} ${expire} ${minimum}`
    }
    default:
      return 'of a type that nobody asks for'
  }
}

function absolute(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}
