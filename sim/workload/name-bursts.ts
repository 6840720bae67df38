import { concatBytes, emptyBytes } from '../../src/base/bytes.ts'
import { encodeQuestion } from '../../src/dns-wire/question.ts'
import type { WantedReply } from '../checkers/reads/pipelined-names.ts'
import type { Draws } from '../world/decisions/draws.ts'

/** One message of a connection, and how it must be answered. */
export interface BurstMessage {
  readonly id: number
  readonly packet: Uint8Array
  readonly wants: WantedReply
}

const usualMost = 12
/** More than an agent answers at the same time. */
const many = 80
const oneInMany = 8
const udpSize = 1_232
const clientSubnetOption = 8

/** Questions for all instances of a service, some of an odd form, and messages that are no questions. */
export function drawnBurst(draws: Draws, name: string): readonly BurstMessage[] {
  const count = draws.below(oneInMany) === 0 ? many : 2 + draws.below(usualMost - 1)
  const firstId = draws.below(65_536 - many)
  return Array.from({ length: count }, (_, nth) => drawnMessage(draws, name, firstId + nth))
}

function drawnMessage(draws: Draws, name: string, id: number): BurstMessage {
  const plain = encodeQuestion({ id, name, type: 'SRV' })
  switch (draws.below(12)) {
    case 0:
      return { id, packet: encodeQuestion({ id, name, type: 'SRV', udpSize }), wants: 'answer' }
    case 1:
      return { id, packet: withSubnet(draws, encodeQuestion({ id, name, type: 'SRV', udpSize })), wants: 'answer' }
    case 2:
      return { id, packet: plain.slice(0, 12 + draws.below(plain.length - 12)), wants: 'malformed' }
    case 3:
      return { id, packet: concatBytes([plain.slice(0, 4), new Uint8Array(8 + draws.below(300))]), wants: 'malformed' }
    case 4:
      return { id, packet: draws.below(2) === 0 ? emptyBytes : plain.slice(0, draws.below(12)), wants: 'nothing' }
    case 5:
      return { id, packet: plain.map((byte, at) => (at === 2 ? byte | 0x80 : byte)), wants: 'nothing' }
    default:
      return { id, packet: plain, wants: 'answer' }
  }
}

/** The address of the client, as resolvers send it (RFC 7871): whole, in part, or of no known family. */
function withSubnet(draws: Draws, packet: Uint8Array): Uint8Array {
  const family = 1 + draws.below(3)
  const address = Uint8Array.from({ length: draws.below(family === 1 ? 5 : 17) }, () => 1 + draws.below(250))
  const option = Uint8Array.of(0, clientSubnetOption, 0, 4 + address.length, 0, family, address.length * 8, 0)
  const data = concatBytes([option, address])
  return concatBytes([packet.slice(0, -2), Uint8Array.of(data.length >> 8, data.length & 0xff), data])
}
