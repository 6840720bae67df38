import { describe, expect, it } from 'vitest'
import type { DnsConfig } from '../../../src/agent/settings/agent-config.ts'
import { startingFace } from '../../../src/dns/starting.ts'
import type { TypeName } from '../../../src/dns-wire/message.ts'
import { decodeResponse, encodeQuestion } from '../../../src/dns-wire/question.ts'

const client = { host: '10.0.0.9', port: 40_000 }
const recursor = { host: '10.0.0.53', port: 53 }
const plain = { domains: ['svc.', 'alt.'], recursors: [], ednsSizes: true, udpAnswerLimit: 3 } as unknown as DnsConfig

async function answerTo(name: string, type: TypeName, config: Partial<DnsConfig> = {}, over: 'udp' | 'tcp' = 'tcp') {
  const packet = encodeQuestion({ id: 77, name, type, udpSize: 1_232 })
  const answer = await startingFace({ ...plain, ...config }).answer(packet, over, client)
  const read = answer === undefined ? undefined : decodeResponse(answer)
  if (read?.ok !== true) throw new Error('no answer')
  return read.value
}

describe('an agent that is starting', () => {
  it.each(['udp', 'tcp'] as const)('answers that it cannot tell of a name of its own, over %s', async (over) => {
    for (const [name, type] of [
      ['web.service.svc.', 'SRV'],
      ['Alt.', 'SOA'],
      ['nonsense.svc.', 'A'],
    ] as const) {
      const answer = await answerTo(name, type, {}, over)
      expect(answer).toMatchObject({ id: 77, rcode: 'SERVFAIL', authoritative: true, recursionAvailable: false })
      expect(answer).toMatchObject({ question: { name }, answers: [], authorities: [], udpSize: 1_232 })
    }
    const recursing = await answerTo('web.service.svc.', 'A', { recursors: [recursor] }, over)
    expect(recursing).toMatchObject({ rcode: 'SERVFAIL', authoritative: true, recursionAvailable: true })
  })

  it('answers of foreign names as if no recursor knew them, or as without recursors', async () => {
    const none = { rcode: 'SERVFAIL', authoritative: false, recursionAvailable: false, udpSize: undefined }
    const mute = { rcode: 'SERVFAIL', authoritative: false, recursionAvailable: true, udpSize: 1_232 }
    expect(await answerTo('www.example.', 'A')).toMatchObject(none)
    expect(await answerTo('www.example.', 'A', { recursors: [recursor] })).toMatchObject(mute)
    expect(await answerTo('1.0.0.10.in-addr.arpa.', 'PTR')).toMatchObject(mute)
  })

  it('says of what cannot be read that it cannot be read, and nothing of what is no question', async () => {
    const face = startingFace(plain)
    const packet = encodeQuestion({ id: 77, name: 'web.service.svc.', type: 'A' })
    const cut = await face.answer(packet.slice(0, -1), 'udp', client)
    expect(decodeResponse(cut ?? new Uint8Array())).toMatchObject({ ok: true, value: { id: 77, rcode: 'FORMERR' } })
    const reply = packet.map((byte, at) => (at === 2 ? byte | 0x80 : byte))
    expect(await face.answer(reply, 'udp', client)).toBeUndefined()
    expect(await face.answer(packet.slice(0, 11), 'udp', client)).toBeUndefined()
    expect(face.known(packet, 'udp', client)).toBeUndefined()
  })
})
