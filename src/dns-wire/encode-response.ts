import { Packet } from 'dns2'
import { glueOf } from './glue.ts'
import { type DecodeFailure, type DnsQuery, type DnsRecord, type DnsResponse, rcodes, typeCodes } from './message.ts'
import { toResource } from './resource.ts'
import { MessageWriter } from './writer.ts'

const opcodeQuery = 0
const clientSubnetOption = 8
/** A pointer for a name, type, class, time to live, length. No need to try more records than could ever fit. */
const recordBytesMin = 12

/** How much of an answer may go out, and in which form. */
export interface ResponseLimits {
  /** Of the whole message. */
  readonly bytes: number
  /** Records of the answer section; beyond it the last go. */
  readonly answers: number
  readonly compress: boolean
  /** When records went because of `answers`, the rest is to fit even where nobody compresses. Reference: dns 76. */
  readonly fitUncompressed: boolean
  /** Says TC when records of the answer section went. Reference: dns 80. */
  readonly markTruncated: boolean
}

/** What is left of a response. */
interface Cut {
  readonly answers: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
}

/**
 * Encodes a response within limits: answers go from the end until it fits, one stays however large. Once answers went,
 * the additional section holds nothing but what the services that stayed point to. Reference: dns 74 to 80.
 */
export function encodeResponse(response: DnsResponse, limits: ResponseLimits): Uint8Array {
  const whole: Cut = { answers: response.answers, additionals: response.additionals }
  const most = Math.min(limits.answers, Math.floor(limits.bytes / recordBytesMin))
  const counted = whole.answers.length > most ? keep(whole, Math.max(1, most)) : whole
  const compressed = limits.compress && !(whole.answers.length > limits.answers && limits.fitUncompressed)
  const first = encode(response, counted, compressed, false)
  const fitting = first.length <= limits.bytes ? counted : mostThatFits(response, counted, compressed, limits.bytes)
  const truncated = limits.markTruncated && fitting.answers.length < whole.answers.length
  if (fitting === counted && compressed === limits.compress && !truncated) return first
  return encode(response, fitting, limits.compress, truncated)
}

/** FORMERR for what could not be read. Nothing of it is repeated. */
export function encodeMalformed(failure: Extract<DecodeFailure, { readonly kind: 'malformed' }>): Uint8Array {
  const packet = new Packet()
  const { id, opcode } = failure
  packet.header = { id, qr: 1, opcode, rd: bit(failure.recursionDesired), rcode: rcodes.indexOf('FORMERR') }
  const writer = new MessageWriter(false)
  packet.toBuffer(writer)
  return writer.finish()
}

/** The most answers that fit, found by halving. */
function mostThatFits(response: DnsResponse, cut: Cut, compress: boolean, bytesMax: number): Cut {
  let most = Math.min(1, cut.answers.length)
  let tooMany = cut.answers.length
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >>> 1
    if (encode(response, keep(cut, middle), compress, false).length <= bytesMax) most = middle
    else tooMany = middle
  }
  return keep(cut, most)
}

function keep(cut: Cut, count: number): Cut {
  const answers = cut.answers.slice(0, count)
  return { answers, additionals: glueOf(answers, cut.additionals) }
}

function encode(response: DnsResponse, cut: Cut, compress: boolean, truncated: boolean): Uint8Array {
  const { query } = response
  const isQuery = query.opcode === opcodeQuery
  const packet = new Packet()
  packet.header = {
    id: query.id,
    qr: 1,
    opcode: query.opcode,
    aa: bit(response.authoritative),
    tc: bit(truncated),
    rd: bit(isQuery && query.recursionDesired),
    ra: bit(response.recursionAvailable),
    cd: bit(isQuery && query.checkingDisabled),
    rcode: rcodes.indexOf(response.rcode),
  }
  packet.questions = [{ ...query.question }]
  packet.answers = cut.answers.map(toResource)
  packet.authorities = response.authorities.map(toResource)
  packet.additionals = cut.additionals.map(toResource)
  const writer = new MessageWriter(compress)
  packet.toBuffer(writer)
  if (response.edns && query.edns !== undefined) {
    writeOpt(writer, query)
    writer.patch(arcountBits, cut.additionals.length + 1, 16)
  }
  return writer.finish()
}

/** Where the number of additional records stands. */
const arcountBits = 80

/** By hand: dns2 drops options that it does not know, and the client's subnet is repeated (RFC 7871, section 7.2.1). */
function writeOpt(writer: MessageWriter, { edns }: DnsQuery): void {
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
    // Its fourth byte is the scope: the answer holds for every subnet.
    writer.write(at === 3 ? 0 : byte, 8)
  }
}

function bit(set: boolean): 0 | 1 {
  return set ? 1 : 0
}
