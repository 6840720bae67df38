import { type CodecResource, Packet } from 'dns2'
import { lowerAscii } from '../base/letter-case.ts'
import { type DecodeFailure, type DnsQuery, type DnsRecord, type DnsResponse, rcodes, typeCodes } from './message.ts'
import { leastBytes, toResource } from './resource.ts'
import { MessageWriter } from './writer.ts'

const opcodeQuery = 0
const clientSubnetOption = 8
/**
 * Minimum size of a record: a pointer for the name, type, class, time to live and length. It bounds how many records
 * are worth trying.
 */
const recordBytesMin = 12

/** The limits of a response, and its form. */
export interface ResponseLimits {
  /** Size of the whole message. */
  readonly bytes: number
  /** Maximum number of records in the answer section; the last ones beyond it are dropped. */
  readonly answers: number
  readonly compress: boolean
  /**
   * If records were dropped because of `answers`, the rest must fit even without compression. Reference:
   * dns.md#fact-76.
   */
  readonly fitUncompressed: boolean
  /** Sets TC when records of the answer section were dropped. Reference: dns.md#fact-80. */
  readonly markTruncated: boolean
  /**
   * One record stays in the answer section though it is larger than `bytes`, but not if it is larger than this: no
   * answer is sent, and TC says that there is one over TCP. Absent: over TCP, and no message can be longer than that.
   */
  readonly oneRecordBytes?: number
}

/** What two bytes of length say of a message over TCP. RFC 1035, section 4.2.2. */
const messageBytesMax = 65_535

/** The remaining records of a response. */
interface Cut {
  readonly answers: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
}

/**
 * Encodes a response within limits: answers are dropped from the end until it fits, except one. Once answers were
 * dropped, the additional section contains only the targets of the remaining services. Reference:
 * dns.md#fact-75, dns.md#fact-77, dns.md#fact-80.
 */
export function encodeResponse(response: DnsResponse, limits: ResponseLimits): Uint8Array {
  const encoder = new Encoder(response)
  const whole: Cut = { answers: response.answers, additionals: response.additionals }
  const most = Math.min(limits.answers, Math.floor(limits.bytes / recordBytesMin))
  const counted = whole.answers.length > most ? keep(whole, Math.max(1, most)) : whole
  const compressed = limits.compress && !(whole.answers.length > limits.answers && limits.fitUncompressed)
  const least = leastBytesOf(counted)
  const first = least > limits.bytes ? undefined : encoder.encode(counted, compressed, false)
  const firstBytes = first?.length ?? least
  const fitting =
    firstBytes <= limits.bytes ? counted : mostThatFits(encoder, counted, compressed, firstBytes, limits.bytes)
  const truncated = limits.markTruncated && fitting.answers.length < whole.answers.length
  const isFirst = first !== undefined && fitting === counted && compressed === limits.compress && !truncated
  const encoded = isFirst ? first : encoder.encode(fitting, limits.compress, truncated)
  if (encoded.length <= Math.max(limits.bytes, limits.oneRecordBytes ?? messageBytesMax)) return encoded
  return encoder.encode({ answers: [], additionals: [] }, limits.compress, limits.oneRecordBytes !== undefined)
}

/**
 * Whether a response is certainly too large. It need not be encoded to find that out: metadata of many nodes may be a
 * thousand times too large.
 */
function leastBytesOf({ answers, additionals }: Cut): number {
  let bytes = 0
  for (const record of answers) bytes += leastBytes(record)
  for (const record of additionals) bytes += leastBytes(record)
  return bytes
}

/** FORMERR for an unreadable message; the response repeats nothing of it. */
export function encodeMalformed(failure: Extract<DecodeFailure, { readonly kind: 'malformed' }>): Uint8Array {
  const packet = new Packet()
  const { id, opcode } = failure
  packet.header = { id, qr: 1, opcode, rd: bit(failure.recursionDesired), rcode: rcodes.indexOf('FORMERR') }
  const writer = new MessageWriter(false)
  packet.toBuffer(writer)
  return writer.finish()
}

/**
 * Number of guesses by size; after them the range is halved, because an attacker can make the sizes arbitrarily uneven.
 */
const guessesMax = 4

/**
 * The maximum number of answers that fit; at least one. It is guessed from the sizes, because the records of one answer
 * are similar.
 */
function mostThatFits(encoder: Encoder, cut: Cut, compress: boolean, wholeBytes: number, bytesMax: number): Cut {
  const size = (count: number): number => encoder.encode(keep(cut, count), compress, false).length
  let fits = Math.min(1, cut.answers.length)
  let tooMany = cut.answers.length
  if (tooMany - fits <= 1) return keep(cut, fits)
  let [fitsBytes, tooManyBytes] = [size(fits), wholeBytes]
  for (let guesses = 0; tooMany - fits > 1; guesses++) {
    const share = (bytesMax - fitsBytes) / Math.max(1, tooManyBytes - fitsBytes)
    const guess = guesses < guessesMax ? fits + Math.floor((tooMany - fits) * share) : (fits + tooMany) >>> 1
    const count = Math.min(Math.max(guess, fits + 1), tooMany - 1)
    const bytes = size(count)
    if (bytes <= bytesMax) [fits, fitsBytes] = [count, bytes]
    else [tooMany, tooManyBytes] = [count, bytes]
  }
  return keep(cut, fits)
}

function keep(cut: Cut, count: number): Cut {
  const answers = cut.answers.slice(0, count)
  return { answers, additionals: glueOf(answers, cut.additionals) }
}

/** Encodes parts of one response. */
class Encoder {
  readonly #response: DnsResponse
  /** The records in the form for dns2, converted once. */
  readonly #resources = new Map<DnsRecord, CodecResource>()

  constructor(response: DnsResponse) {
    this.#response = response
  }

  encode(cut: Cut, compress: boolean, truncated: boolean): Uint8Array {
    const { query, authoritative, recursionAvailable, rcode, authorities, edns } = this.#response
    const isQuery = query.opcode === opcodeQuery
    const packet = new Packet()
    packet.header = {
      id: query.id,
      qr: 1,
      opcode: query.opcode,
      aa: bit(authoritative),
      tc: bit(truncated),
      rd: bit(isQuery && query.recursionDesired),
      ra: bit(recursionAvailable),
      cd: bit(isQuery && query.checkingDisabled),
      rcode: rcodes.indexOf(rcode),
    }
    packet.questions = [{ ...query.question }]
    packet.answers = this.#section(cut.answers)
    packet.authorities = this.#section(authorities)
    packet.additionals = this.#section(cut.additionals)
    const writer = new MessageWriter(compress)
    packet.toBuffer(writer)
    if (edns && query.edns !== undefined) {
      writeOpt(writer, query, this.#response.forSubnet === true)
      writer.patch(arcountBits, cut.additionals.length + 1, 16)
    }
    return writer.finish()
  }

  #section(records: readonly DnsRecord[]): CodecResource[] {
    return records.map((record) => {
      const known = this.#resources.get(record)
      if (known !== undefined) return known
      const resource = toResource(record)
      this.#resources.set(record, resource)
      return resource
    })
  }
}

/** Offset of the number of additional records. */
const arcountBits = 80

/**
 * Written here: dns2 drops options that it does not know, and the client's subnet must be repeated (RFC 7871, section
 * 7.2.1).
 */
function writeOpt(writer: MessageWriter, { edns }: DnsQuery, forSubnet: boolean): void {
  const subnet = edns?.clientSubnet
  writer.write(0, 8)
  writer.write(typeCodes.OPT, 16)
  writer.write(edns?.udpSize ?? 0, 16)
  writer.write(0, 32)
  writer.write(subnet === undefined ? 0 : 4 + subnet.length, 16)
  if (subnet === undefined) return
  writer.write(clientSubnetOption, 16)
  writer.write(subnet.length, 16)
  for (const [at, byte] of subnet.entries()) {
    // The fourth byte is the scope: the client's prefix length, or zero if the answer is valid for every subnet.
    writer.write(at === 3 ? (forSubnet ? (subnet[2] ?? 0) : 0) : byte, 8)
  }
}

function bit(set: boolean): 0 | 1 {
  return set ? 1 : 0
}

/**
 * The additional records without which the services of an answer cannot be reached: for each target the first record of
 * that name, and if that is an alias, its target. Reference: dns.md#fact-77.
 */
function glueOf(answers: readonly DnsRecord[], additionals: readonly DnsRecord[]): readonly DnsRecord[] {
  if (additionals.length === 0) return additionals
  const firsts = new Map<string, DnsRecord>()
  for (const record of additionals) {
    const name = lowerAscii(record.name)
    if (!firsts.has(name)) firsts.set(name, record)
  }
  const glue: DnsRecord[] = []
  for (const answer of answers) {
    let target = answer.type === 'SRV' ? lowerAscii(answer.target) : undefined
    while (target !== undefined) {
      const record = firsts.get(target)
      // Each target once, which also ends a cycle of aliases.
      firsts.delete(target)
      if (record !== undefined) glue.push(record)
      target = record?.type === 'CNAME' ? lowerAscii(record.target) : undefined
    }
  }
  return glue
}
