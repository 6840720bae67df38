import { Packet } from 'dns2'
import { err, ok, type Result } from '../base/result.ts'
import {
  classInternet,
  type DnsQuestion,
  type DnsRecord,
  type Rcode,
  rcodes,
  type TypeName,
  typeCodes,
} from './message.ts'
import { ownerEnd } from './names.ts'
import { MessageReader, Overrun, uint16 } from './reader.ts'
import { fromResource, isReadType } from './resource.ts'
import { MessageWriter } from './writer.ts'

/** The client's side of the codec. */

const headerBytes = 12
const truncatedBit = 0x02

export interface QuestionToAsk {
  readonly id: number
  /** Absolute, with the final dot. */
  readonly name: string
  readonly type: TypeName
  readonly recursionDesired?: boolean
  readonly opcode?: number
  /** Bytes of UDP payload that the client accepts (EDNS); undefined: the question has no OPT record. */
  readonly udpSize?: number
}

export interface ReceivedResponse {
  readonly id: number
  readonly opcode: number
  /** A number if the code has no name here. */
  readonly rcode: Rcode | number
  readonly authoritative: boolean
  readonly truncated: boolean
  readonly recursionDesired: boolean
  readonly recursionAvailable: boolean
  /** The question that the response repeats, if it does. */
  readonly question: DnsQuestion | undefined
  /** In order. Records of types that are never sent here are left out. */
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
  /** The size in the answer's OPT record, undefined without one. */
  readonly udpSize: number | undefined
}

/** Maximum number of records in one response: 64 KiB hold no more. */
const recordsMax = 8_192

export function encodeQuestion(question: QuestionToAsk): Uint8Array {
  const packet = new Packet()
  const { id, opcode = 0, recursionDesired = true, udpSize } = question
  packet.header = { id, opcode, rd: recursionDesired ? 1 : 0 }
  packet.questions = [{ name: question.name, type: typeCodes[question.type], class: classInternet }]
  const writer = new MessageWriter(true)
  packet.toBuffer(writer)
  if (udpSize !== undefined) {
    writer.write(0, 8)
    writer.write(typeCodes.OPT, 16)
    writer.write(udpSize, 16)
    writer.write(0, 32)
    writer.write(0, 16)
    writer.patch(80, 1, 16)
  }
  return writer.finish()
}

/** `malformed`: not a response, or one that cannot be read to its end. */
export function decodeResponse(bytes: Uint8Array): Result<ReceivedResponse, 'malformed'> {
  if (bytes.length < 12) return err('malformed')
  const reader = new MessageReader(bytes)
  const header = Packet.Header.parse(reader)
  const { qr, qdcount, ancount, nscount, arcount } = header
  if (qr === 0 || qdcount > 1 || ancount + nscount + arcount > recordsMax) return err('malformed')
  const opt: OptSeen = { udpSize: undefined }
  try {
    const asked = qdcount === 0 ? undefined : Packet.Question.parse(reader)
    const question = asked === undefined ? undefined : { ...asked, name: `${asked.name}.` }
    const answers = section(reader, ancount, opt)
    const authorities = section(reader, nscount, opt)
    const additionals = section(reader, arcount, opt)
    return ok({
      id: header.id,
      opcode: header.opcode,
      rcode: rcodes[header.rcode] ?? header.rcode,
      authoritative: header.aa === 1,
      truncated: header.tc === 1,
      recursionDesired: header.rd === 1,
      recursionAvailable: header.ra === 1,
      question,
      answers,
      authorities,
      additionals,
      udpSize: opt.udpSize,
    })
  } catch {
    // The errors by which dns2 reports a malformed field, and our reader that the message ends within a field.
    return err('malformed')
  }
}

interface OptSeen {
  udpSize: number | undefined
}

function section(reader: MessageReader, count: number, opt: OptSeen): DnsRecord[] {
  const records: DnsRecord[] = []
  for (let i = 0; i < count; i++) {
    const head = recordHead(reader)
    if (head.type === typeCodes.OPT) opt.udpSize = head.class
    // dns2 has unsuitable codecs for some other types: these are skipped unread.
    if (!isReadType(head.type)) reader.offset = head.end * 8
    else {
      const record = fromResource(Packet.Resource.parse(reader))
      if (record !== undefined) records.push(record)
    }
  }
  return records
}

/** The fields before a record's data, without moving the reader. */
function recordHead(reader: MessageReader): { readonly type: number; readonly class: number; readonly end: number } {
  const message = reader.buffer
  const name = ownerEnd(message, reader.byteOffset) ?? message.length
  const end = name + 10 + uint16(message, name + 8)
  if (end > message.length) throw new Overrun('the message ends within a record')
  return { type: uint16(message, name), class: uint16(message, name + 2), end }
}

/**
 * Whether a message can be read to its end, as far as the bounds of its questions and records say; what the records
 * contain does not matter. One that is marked as truncated may end anywhere behind its header.
 */
export function isReadable(message: Uint8Array): boolean {
  const { length } = message
  if (length < headerBytes) return false
  if (((message[2] ?? 0) & truncatedBit) !== 0) return true
  let at = headerBytes
  for (let left = uint16(message, 4); left > 0 && at <= length; left--) at = (ownerEnd(message, at) ?? length) + 4
  const records = uint16(message, 6) + uint16(message, 8) + uint16(message, 10)
  for (let left = records; left > 0 && at <= length; left--) {
    const data = (ownerEnd(message, at) ?? length) + 10
    at = data + uint16(message, data - 2)
  }
  return at <= length
}
