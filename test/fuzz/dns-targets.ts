import dnsPacket from 'dns-packet'
import { parseName } from '../../src/dns/asked.ts'
import { addressOfReverseName } from '../../src/dns/reverse-answers.ts'
import { isSame, signatureOf } from '../../src/dns/signature.ts'
import { decodeQuery } from '../../src/dns-wire/decode-query.ts'
import { ownerEnd, plainNameEnd, sameQuestion } from '../../src/dns-wire/names.ts'
import { decodeResponse, encodeQuestion } from '../../src/dns-wire/question.ts'
import type { FuzzTarget } from '../tools/fuzz/target.ts'

function question(name: string, type: string): Uint8Array {
  const record = { type: 'query', id: 1, flags: dnsPacket.RECURSION_DESIRED, questions: [{ type, name }] }
  return new Uint8Array(dnsPacket.encode(record as never))
}

function response(answers: readonly object[]): Uint8Array {
  const questions = [{ type: 'A', name: 'www.example.com' }]
  return new Uint8Array(dnsPacket.encode({ type: 'response', id: 1, flags: 0x8180, questions, answers } as never))
}

const dnsQuery: FuzzTarget = {
  name: 'dns-query',
  about: 'questions of clients, and the names they ask for',
  lengthMax: 4_096,
  run: (bytes) => {
    const signature = signatureOf(bytes, 'udp')
    if (signature !== undefined) isSame(signature, signature)
    const query = decodeQuery(bytes)
    if (!query.ok) return
    const { name } = query.value.question
    addressOfReverseName(name)
    const labels = name.split('.').filter((label) => label !== '')
    for (const srv of [true, false]) parseName(labels, srv, 'any')
  },
  seeds: () => [
    question('web.service.svc', 'A'),
    question('_web._tcp.service.dc1.svc', 'SRV'),
    question('1.0.0.10.in-addr.arpa', 'PTR'),
    question('q.query.svc', 'ANY'),
    question('', 'NS'),
    question('0a000001.addr.svc', 'A'),
  ],
  words: ['\u0007service', '\u0003svc', '\u0005query', '\u0004node', '\u0004addr', '\u0007connect'],
}

const dnsResponse: FuzzTarget = {
  name: 'dns-response',
  about: 'answers of recursors',
  lengthMax: 16_384,
  run: (bytes) => {
    plainNameEnd(bytes, 12)
    ownerEnd(bytes, 12)
    sameQuestion(bytes, bytes)
    decodeResponse(bytes)
  },
  seeds: () => [
    encodeQuestion({ id: 1, name: 'www.example.com.', type: 'A', udpSize: 4_096 } as never),
    response([{ type: 'A', name: 'www.example.com', ttl: 5, data: '192.0.2.1' }]),
    response([
      { type: 'CNAME', name: 'www.example.com', data: 'x.example.com' },
      { type: 'AAAA', name: 'x.example.com', data: '2001:db8::1' },
      { type: 'TXT', name: 'x.example.com', data: ['a', 'b'] },
      { type: 'SRV', name: 'x.example.com', data: { port: 1, target: 'y.example.com' } },
    ]),
  ],
}

export const dnsTargets: readonly FuzzTarget[] = [dnsQuery, dnsResponse]
