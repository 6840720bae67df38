import { describe, expect, it } from 'vitest'
import { relayedWithin } from '../../../src/dns/answer.ts'
import { decodeQuery } from '../../../src/dns-wire/decode-query.ts'
import { decodeResponse, encodeQuestion } from '../../../src/dns-wire/question.ts'

function queryOf(udpSize?: number) {
  const asked = { id: 77, name: 'example.com.', type: 'A' } as const
  const query = decodeQuery(encodeQuestion(udpSize === undefined ? asked : { ...asked, udpSize }))
  if (!query.ok) throw new Error('not a question')
  return query.value
}

describe('what a recursor said', () => {
  it.each([
    [undefined, 512],
    [100, 512],
    [1_232, 1_232],
    [8_192, 8_192],
    [65_535, 8_192],
  ])(
    'goes by UDP to a client that takes %s bytes as long as it has no more than %i, otherwise the question with TC alone',
    (udpSize, most) => {
      const query = queryOf(udpSize)
      const fits = new Uint8Array(most)
      expect(relayedWithin(query, fits, 'udp', { ednsSizes: true })).toBe(fits)
      const cut = relayedWithin(query, new Uint8Array(most + 1), 'udp', { ednsSizes: true })
      expect(cut.length).toBeLessThan(100)
      expect(cut.subarray(0, 2)).toEqual(Uint8Array.of(0, 77))
      const read = decodeResponse(cut)
      expect(read).toMatchObject({ ok: true, value: { truncated: true, rcode: 'NOERROR', answers: [] } })
    },
  )

  it('goes by TCP whole', () => {
    const reply = new Uint8Array(60_000)
    expect(relayedWithin(queryOf(), reply, 'tcp', { ednsSizes: true })).toBe(reply)
  })
})
