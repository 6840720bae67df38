import { Packet } from 'dns2'
import { err, ok, type Result } from '../base/result.ts'
import { type DecodeFailure, type DnsQuery, type DnsQuestion, type QueryEdns, typeCodes } from './message.ts'
import { ownerEnd, plainNameEnd } from './names.ts'
import { MessageReader, uint16 } from './reader.ts'

const headerBytes = 12
/** Maximum number of questions: only the first is answered, and a few more are skipped. */
const questionsMax = 4
/** Maximum number of records beside the question: OPT, and those of a signature or an update. */
const recordsMax = 8
const clientSubnetOption = 8
/**
 * Maximum size of the client-subnet option: family, two prefix lengths, and at most an IPv6 address. RFC 7871, section
 * 6.
 */
const clientSubnetBytesMax = 20

/**
 * Reads a question strictly: every count is bounded and every length is checked before anything is read, so that the
 * cost is proportional to the packet's bytes. Records other than OPT are skipped.
 */
export function decodeQuery(bytes: Uint8Array): Result<DnsQuery, DecodeFailure> {
  if (bytes.length < headerBytes) return err({ kind: 'unanswerable' })
  const reader = new MessageReader(bytes)
  const header = Packet.Header.parse(reader)
  // An answer is never answered, because two servers would then answer each other for ever.
  if (header.qr === 1) return err({ kind: 'unanswerable' })
  const { id, opcode } = header
  const recursionDesired = header.rd === 1
  const malformed = err<DecodeFailure>({ kind: 'malformed', id, opcode, recursionDesired })
  const records = header.ancount + header.nscount + header.arcount
  if (header.qdcount === 0 || header.qdcount > questionsMax || records > recordsMax) return malformed
  let question: DnsQuestion | undefined
  for (let i = 0; i < header.qdcount; i++) {
    const next = readQuestion(reader)
    if (next === undefined) return malformed
    question ??= next
  }
  if (question === undefined) return malformed
  const edns = findEdns(bytes, reader.byteOffset, records)
  if (edns === 'malformed') return malformed
  return ok({ id, opcode, recursionDesired, checkingDisabled: header.cd === 1, question, edns })
}

function readQuestion(reader: MessageReader): DnsQuestion | undefined {
  const end = plainNameEnd(reader.buffer, reader.byteOffset)
  if (end === undefined || end + 4 > reader.buffer.length) return undefined
  const { name, type, class: ofClass } = Packet.Question.parse(reader)
  return { name: `${name}.`, type, class: ofClass }
}

function findEdns(message: Uint8Array, start: number, records: number): QueryEdns | undefined | 'malformed' {
  let found: QueryEdns | undefined
  let at = start
  for (let i = 0; i < records; i++) {
    const end = ownerEnd(message, at)
    const data = end === undefined ? message.length + 1 : end + 10
    if (end === undefined || data > message.length) return 'malformed'
    const dataEnd = data + uint16(message, data - 2)
    if (dataEnd > message.length) return 'malformed'
    if (uint16(message, end) === typeCodes.OPT) {
      // The owner must be the root, and there may be one only (RFC 6891, section 6.1.1).
      if (found !== undefined || end !== at + 1) return 'malformed'
      const options = readOptions(message.subarray(data, dataEnd))
      if (options === 'malformed') return 'malformed'
      found = { udpSize: uint16(message, end + 2), clientSubnet: options }
    }
    at = dataEnd
  }
  return found
}

/** The client-subnet option of an OPT record's data. */
function readOptions(data: Uint8Array): Uint8Array | undefined | 'malformed' {
  let subnet: Uint8Array | undefined
  let at = 0
  while (at < data.length) {
    const body = at + 4
    if (body > data.length) return 'malformed'
    const end = body + uint16(data, at + 2)
    if (end > data.length) return 'malformed'
    if (uint16(data, at) === clientSubnetOption) {
      if (end - body < 4 || end - body > clientSubnetBytesMax) return 'malformed'
      subnet ??= data.slice(body, end)
    }
    at = end
  }
  return subnet
}
